"""The mail with the answers to the commands of a mail; a stranger who knows no commands gets a greeting instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from games import GAMES
from pbm.compose.notices import Answer, Outcome
from pbm.compose.views import plain
from pbm.core.reply import original_of
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed, NotFound, UnknownCommand
from pbm.domain.mail import Mail
from pbm.domain.match import replay
from pbm.features.newcomer import FIRST, kept
from pbm.mailin import strip_subject
from pbm.reading.book import words as kind
from pbm.reading.commands import begins
from pbm.reading.consent import Answer as Consented
from pbm.reading.consent import consent, introduced
from pbm.reading.games_named import game_elsewhere, game_named, lost, starts, topic
from pbm.reading.sentences import plain as plain_words
from pbm.reading.sentences import sentences, unsigned
from pbm.reading.slips import is_said
from pbm.reading.verbs import find, redact

_ROOM = 16_000
"""Characters of the answers to several commands, so that one mail stays below 60 kB: a list may be as long as that."""
_SHOWN = ("C3", "B2", "D3")
"""What is played on the board that a stranger is shown."""
_TOO_LONG = "There is no room for this here: send the line in a separate email."


def answer_mail(request: Request) -> list[Mail]:
    """The mail with the answers. It never quotes a stranger's mail: somebody else may have sent it to annoy them."""
    reader, answers = request.author.reader(), request.outgoing.answers
    known = reader.player is not None
    if not known and request.refusal is not None and _is_talk(request, request.refusal, answers[-1].line):
        leaves = bool(request.author.offered.leaves) or _wants_no_mail(request)
        answers = [_greeting(request, answers[-1].line)]
        # Who wants no more mail is offered no game.
        if leaves:
            text = request.outgoing.page("forgotten.txt", robot=request.tools.composer.robot.address)
            answers = [Answer("", Outcome.DONE, text, "pbm: you have no account", is_greeting=True)]
        reader = replace(reader, newcomer=reader.newcomer and replace(reader.newcomer, leaves=int(leaves)))
    failed = any(answer.outcome is Outcome.FAILED for answer in answers)
    original = redact(original_of(request), request.secrets) if failed and known else ""
    answers = [replace(answer, line=redact(answer.line, request.secrets)) for answer in _bounded(answers)]
    wish = kept(request)
    return request.tools.composer.answer(
        reader, answers, request.now, request.message, original, request.author.sent_from, wish.told if wish else ""
    )


def is_newcomers(text: str) -> bool:
    """Whether the words read like a faulty command, but may be a newcomer's plain words.

    >>> [is_newcomers(text) for text in ("play", "help me please", "unsubscribe", "What is this?", "games", "what bob")]
    [True, True, True, True, True, False]
    """
    said = plain_words(text)
    first = said.split(" ")[0]
    if lost(text) or first == "play" or topic(text) == "help":
        return True
    answer = consent(text).answer
    # "unsubscribe" and a lone "yes" or "no" answer something, though we asked nothing.
    if answer is Consented.NEVER or (" " not in said and answer is not Consented.UNCLEAR):
        return True
    return text.rstrip().endswith("?") and first in kind("common") and find(first) is None


def _is_talk(request: Request, refusal: Exception, line: str) -> bool:
    """Whether a stranger's mail is not a faulty command, but words of somebody who knows no commands."""
    if isinstance(refusal, NotAllowed):
        return _wants_no_mail(request)
    if isinstance(refusal, NotFound) and is_said(request.message.text.partition(" ")[0]):
        return True
    if isinstance(refusal, UnknownCommand):
        return not begins(line) or starts(line)
    if request.sender.newcomer:
        return False
    return is_newcomers(unsigned(request.message.text).strip() or strip_subject(request.message.subject))


def _bounded(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers; those for which one mail has no room come without their text."""
    room = _ROOM
    for number, answer in enumerate(answers):
        is_too_long = number > 0 and len(answer.text) > max(room, 200)
        yield replace(answer, text=_TOO_LONG) if is_too_long else answer
        room -= 0 if is_too_long else len(answer.text)


def _wants_no_mail(request: Request) -> bool:
    """Whether a stranger wants to be forgotten, or to get no more mail."""
    words = f"{request.message.text} {strip_subject(request.message.subject)}"
    return consent(request.message.text or words).answer is Consented.NEVER


def _greeting(request: Request, line: str) -> Answer:
    """The answer to a stranger whose mail holds no command: what this is, a board, and three possible answers.

    line: the line that was not understood; if it has few words, it may be a faulty command, and the error is told.
    """
    robot, board = request.tools.composer.robot.address, plain(replay(GAMES["cross"], ("-size=3",), "", _SHOWN))
    wish, said = introduced(request.message.text), sentences(line)
    # A word that is a command, or that people say and no name, is not misspelt.
    is_word = find(plain_words(line)) is not None or plain_words(line).split(" ")[0] in kind("no-names")
    is_typo = len(line.split()) < 3 and "Did you mean" in str(request.refusal) and said and not (wish or is_word)
    problem = str(request.refusal) if is_typo else ""
    words = f"{request.message.text} {strip_subject(request.message.subject)}"
    if absent := game_elsewhere(words):
        problem = f'There is no {absent} here, but there are {len(GAMES)} other games: answer "help" to see them.'
    # Players write from another address when they have forgotten their password.
    elif not wish and topic(words) == "help account":
        problem = (
            'No account has your address. If yours has another one, "help account" tells how to get a new password, '
            "and how to change its address."
        )
    elif request.sender.newcomer and not is_typo:
        problem = "Your answer could not be read. One word is enough: a name you like."
    game = GAMES.get(game_named(words), GAMES[FIRST]).info
    text = request.outgoing.page("stranger.txt", robot=robot, board=board, wish=wish, problem=problem, game=game)
    return Answer("", Outcome.DONE, text, "pbm: games by mail", is_greeting=True)
