"""Verbs that play on a board: moving, queueing, submitting, resigning, and making and answering offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile

from games.rules import BadNotation, GameError, MoveError, quoted
from pbm.compose.notices import Answer
from pbm.core import decisions
from pbm.core.board import SILENCE, SILENT_FOR, SILENT_IN_TOURNAMENTS_FOR, OpenBoard
from pbm.core.decisions import GRANTS, WISHES, ask, check_plain, grants
from pbm.core.notify import tell_players
from pbm.core.registry import HANDLERS, Occasion, handles, on_board, when_due
from pbm.core.reply import tell_sender
from pbm.core.request import Request
from pbm.domain import plans
from pbm.domain.calendars import Calendar
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected, existing
from pbm.domain.match import SWAP, WORDS_KEPT, Intent, IntentKind, Offer, OfferKind, Seat, other
from pbm.domain.plans import PASSING
from pbm.reading.book import words as kind
from pbm.reading.commands import NOTHING, Command, as_played, split_guard, verb_meant
from pbm.reading.verbs import FIRST_BOARD, Alteration, Entry

AT_ONCE = "resign!"
"""The alias of resign that does not ask back."""
YES, NO = "yes", "no"


@handles(
    on_board("GAME move BOARD USERID PASSWORD MOVE...", alters=Alteration(takes_plan=True), aliases=("mvoe", "board")),
    Entry(10, "play a move; MOVE#PLY only if that ply is the next"),
)
def move(request: Request, command: Command) -> Answer | None:
    text, guard = split_guard(command.args["MOVE"])
    verb = verb_meant(text)
    if verb is not None:
        # "resign#7" is meant for that ply, too.
        if guard is not None:
            request.author.seated(command)[0].check_running(guard)
        return HANDLERS[verb](request, command)
    # What reads like a plan is no move, however it is misspelt: its plies must not be played by themselves.
    if plans.BEGINNING.match(text) and ":" in text:
        return HANDLERS["plan"](request, replace(command, args={**command.args, "PLAN": text}))
    board, seat = request.author.seated(command)
    if text.rstrip(".!").casefold() in (YES, NO):
        return _reply(request, command, board, seat, agrees=text[:1] in "yY")
    words = text.rstrip("?？!. ")
    # Whoever asks is not sure, and a ply cannot be taken back alone.
    if {"?", "？"} & {*text[len(words) :]} and _is_lawful(board, words):
        raise BadArguments(f"{quoted(text)} is a question, so nothing is played. To play, leave out the question mark.")
    return _play(request, command, board, seat, text, guard)


_OF_QUESTIONS = {plans.RESIGN: f'"{AT_ONCE}" resigns', WORDS_KEPT: '"confirm" sends the words that were kept back'}
_DROPPED = {plans.RESIGN: "you do not resign.", WORDS_KEPT: "your words went to nobody."}
"""The same after a no."""


def _is_lawful(board: OpenBoard, words: str) -> bool:
    """Whether the words are a move on the board as it stands."""
    try:
        board.state.play(words)
    except (GameError, Rejected):
        return False
    return True


def _reply(request: Request, command: Command, board: OpenBoard, seat: Seat, *, agrees: bool) -> Answer | None:
    """Do what the seat was asked, or decline it. Raises: NotFound if it was asked nothing, BadArguments if unsure."""
    board.check_running()
    offer, submitted = board.match.offer, board.intents.find(seat, IntentKind.SUBMIT)
    what = _OF_QUESTIONS.get(submitted.text if submitted else "", '"confirm" plays what you submitted')
    if offer is not None and offer.seat != seat:
        wish = WISHES[offer.kind]
        if submitted is not None:
            _check_one_question(submitted, wish, what, agrees=agrees)
        check_plain(board, seat, offer.since, f'"accept" agrees to {wish}, "reject" refuses.')
        return (accept if agrees else reject)(request, command)
    if submitted is None:
        word = command.args["MOVE"]
        raise NotFound(f'"{word}" answers no question: you are asked nothing on board {board.match.board}.')
    check_plain(board, seat, submitted.since, f"{what}.")
    if agrees and _answers_older(request, submitted.since):
        raise BadArguments(f"You answer an older email of ours, which did not ask this, so nothing is done. {what}.")
    if agrees:
        return confirm(request, command)
    board.intents.drop(submitted)
    what = _DROPPED.get(submitted.text, "what you submitted is dropped.")
    return tell_sender(request, command, board, seat, what)


def _check_one_question(submitted: Intent, wish: str, what: str, *, agrees: bool) -> None:
    """Raises: BadArguments for a yes or no while an offer waits, too: one word would be guessed to one of both."""
    if agrees:
        raise BadArguments(f'Yes to what? "accept" agrees to {wish}, {what}.')
    if submitted.is_question:
        raise BadArguments(f'No to what? "reject" refuses {wish}, {what}.')


def _answers_older(request: Request, since: datetime | None) -> bool:
    """Whether the mail answers one of ours from before a question was put, as another question may have been."""
    answered = request.message.in_reply_to
    told = request.tx.outbox.recall(answered.strip("<>").partition("@")[0]) if answered else None
    return told is not None and since is not None and told.created_at < since


def _play(
    request: Request, command: Command, board: OpenBoard, seat: Seat, text: str, guard: int | None = None
) -> Answer | None:
    """Play a move, with the plan for after it; or hold it, if the player has chosen so.

    If a side moves twice in a row, its other moves may be written after the first or on the lines below it.
    Raises: as decisions.play_ply, NotAllowed.
    """
    plan = plans.read(command.plan) if command.plan else ()
    until = decisions.until(request, board, seat)
    plies = _turn(request, board, seat, text)
    # The plan is for after the last of the plies.
    if until is None:
        for number, ply in enumerate(plies, 1):
            decisions.play_ply(board, seat, ply, guard if number == 1 else None, plan if number == len(plies) else ())
        return None
    if len(plies) > 1:
        raise NotAllowed(f"Your moves wait before they are played, and only one can. Send {plies[0]} by itself.")
    what, line = decisions.hold(request, board, seat, text, guard, plan, until)
    return tell_sender(request, command, board, seat, what, line)


def _turn(request: Request, board: OpenBoard, seat: Seat, text: str) -> Sequence[str]:
    """The plies that the sender means; the text alone if it is one. Lines with other plies are then no comment.

    Raises: MoveError for an illegal ply after the first.
    """
    state, is_alone = board.state, len(request.reading.lines) == 1
    lines = filter(str.strip, request.words.comment.splitlines() if is_alone else ())
    below = list(takewhile(state.reads, lines))
    # One word is one ply, and the usual case.
    if seat != state.to_move or not (below or re.search(r"[\s,;]", text)):
        return [text]
    links = "|".join(sorted(kind("turn-links"), key=len, reverse=True))
    # "E5 and C3" is two moves.
    between_links = [each for each in re.split(rf"[,;&]|\b(?:{links})\b", text, flags=re.IGNORECASE) if each.strip()]
    for words in ([text], between_links, text.split()):
        if len(words) + len(below) > 1 and all(map(state.reads, words)):
            plies = state.turn([*words, *below])
            if len(plies) >= len(words):
                request.words.take_lines(len(plies) - len(words))
                return plies
    return [text]


@handles(
    on_board("GAME pass BOARD USERID PASSWORD", alters=Alteration(takes_plan=True)),
    Entry(20, "pass your turn, where the game has that; as a move it is also written --"),
)
def pass_(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    try:
        return _play(request, command, board, seat, PASSING)
    except BadNotation:
        raise NotAllowed(f"{board.state.game.info.title} does not allow passing.") from None


@handles(
    on_board("GAME swap BOARD USERID PASSWORD", alters=Alteration(takes_plan=True)),
    Entry(40, "exchange sides, as the second ply of a game that has the swap"),
)
def swap(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    return _play(request, command, board, seat, SWAP)


@handles(
    on_board("GAME resign BOARD USERID PASSWORD", alters=Alteration(asks=True), aliases=(AT_ONCE,)),
    Entry(110, "give the game up, as soon as it is your turn; before both have moved it counts for nobody"),
)
def resign(request: Request, command: Command) -> Answer | None:
    """Resign after asking once, or at once if the command insists or has a password; a waiting one is taken back."""
    board, seat = request.author.seated(command)
    board.check_running()
    waiting, asked = board.intents.find(seat, IntentKind.RESIGN), board.intents.find(seat, IntentKind.SUBMIT)
    # Whoever got an answer in copy knows the ids in it, so by an id alone one resigns only in answer to our question.
    told_at = None if request.message.authenticated else request.message.told_at
    insists = AT_ONCE in command.line.casefold().split() and told_at is None
    # A second "resign" on the opponent's turn takes the first back.
    if waiting is not None and not insists:
        board.intents.drop(waiting)
        return tell_sender(request, command, board, seat, "you will not resign.")
    # Anybody else is asked, because a game is lost for good by it.
    if insists or command.credentials is not None or _is_asked(asked, told_at):
        return _resign(request, command, board, seat, asked)
    comments = "\n".join(comment.text for comment in request.comments(board.match.board))
    board.intents.keep(Intent(seat, IntentKind.SUBMIT, plans.RESIGN, comments))
    return tell_sender(request, command, board, seat, "you have not resigned yet.")


def _is_asked(asked: Intent | None, told_at: datetime | None) -> bool:
    """Whether a mail answers our question whether to resign. told_at: of the mail that it answers, if that matters."""
    if asked is None or asked.text != plans.RESIGN:
        return False
    return told_at is None or asked.since is None or told_at >= asked.since


def _resign(
    request: Request, command: Command, board: OpenBoard, seat: Seat, asked: Intent | None = None
) -> Answer | None:
    """Resign at once in one's turn or in the first round, otherwise when one's turn comes. asked: the open question."""
    if asked is not None and asked.text == plans.RESIGN:
        request.words.say_first(asked.comment)
        board.intents.drop(asked)
    # Before both have moved it only declines the game, so nobody need wait.
    if seat == board.state.to_move or board.match.opening:
        if decisions.until(request, board, seat) is not None:
            return _play(request, command, board, seat, plans.RESIGN)
        board.resign(seat)
        return None
    board.intents.keep(Intent(seat, IntentKind.RESIGN))
    return tell_sender(request, command, board, seat, "your resignation waits for your turn.")


@handles(
    on_board(
        "GAME queue BOARD USERID PASSWORD MOVE...",
        alters=Alteration(asks=True, takes_plan=True),
        aliases=("qmove", "qboard", "moveq", "boardq"),
    ),
    Entry(30, 'play a move as soon as it is your turn; "queue BOARD USERID PASSWORD none" drops it'),
)
def queue(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    board.check_running()
    words = command.args["MOVE"]
    text, guard = split_guard(words)
    if verb_meant(text) == "resign":
        return resign(request, command)
    if words.casefold() in NOTHING:
        queued = board.intents.find(seat, IntentKind.QUEUE)
        dropped = existing(queued, f"You have queued no move on board {board.match.board}.")
        board.intents.drop(dropped)
        return tell_sender(request, command, board, seat, f"{dropped.text} is not queued any more.")
    if seat == board.state.to_move:
        return move(request, command)
    # It could never be played.
    if guard not in (None, board.next_ply + 1):
        raise BadArguments(f'"{words}" cannot be queued: your next ply is {board.next_ply + 1}, not {guard}.')
    planned = board.intents.find(seat, IntentKind.PLAN)
    instead = " It takes the place of your plan." if planned is not None else ""
    if command.plan:
        tree = (plans.Branch(plans.ANY, as_played(text), plans.read(command.plan)),)
        decisions.keep_plan(board, seat, decisions.check_plan(board, board.state, seat, tree))
        return tell_sender(request, command, board, seat, "your move is queued, with what you plan after it.")
    text = _queueable(board, text)
    if planned is not None:
        board.intents.drop(planned)
    board.intents.keep(Intent(seat, IntentKind.QUEUE, text if guard is None else f"{text}#{guard}"))
    return tell_sender(request, command, board, seat, f"{text} is queued.{instead}")


def _queueable(board: OpenBoard, text: str) -> str:
    """The move as far as it can be read now, after some legal move of the opponent; it need not be legal there.

    Raises: BadNotation, NotAllowed.
    """
    move, state = as_played(text), board.state
    after, _ = state.play(state.some_ply)
    try:
        return after.play(move)[1]
    except BadNotation:
        raise
    except MoveError:
        # "#20" is an edge; in a queued move the mark comes before the number of its ply.
        return move.replace("#", "")


@handles(
    on_board("GAME submit BOARD USERID PASSWORD MOVE...", alters=Alteration(takes_plan=True)),
    Entry(0, "look at the board after your move before you play it with confirm"),
)
def submit(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    text, guard = split_guard(command.args["MOVE"])
    after, notation = board.try_play(seat, as_played(text), guard)
    below = plans.write(decisions.check_plan(board, after, seat, plans.read(command.plan))) if command.plan else ""
    board.intents.keep(
        Intent(seat, IntentKind.SUBMIT, "\n".join(filter(None, (f"{notation}#{board.next_ply}", below))))
    )
    what = f"{notation} would lead to this. Nothing is played yet."
    return tell_sender(request, command, board, seat, what, (notation,))


@handles(
    on_board("GAME confirm BOARD USERID PASSWORD"),
    Entry(0, "play the move you have submitted, or resign where you were asked whether you really do"),
)
def confirm(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    board.check_running()
    excuse = f"You have submitted no move on board {board.match.board}."
    submitted = existing(board.intents.find(seat, IntentKind.SUBMIT), excuse, "submit MOVE")
    if submitted.text == plans.RESIGN:
        return _resign(request, command, board, seat, submitted)
    if submitted.text == WORDS_KEPT:
        board.intents.drop(submitted)
        # What stands below the yes was not kept back, and so not agreed to.
        below, request.words.comment = request.words.comment, submitted.comment
        named = {name: value for name, value in command.args.items() if name == "BOARD"}
        HANDLERS["chat"](request, replace(command, args=named))
        request.words.comment = below
        return None
    text, _, planned = submitted.text.partition("\n")
    decisions.play_ply(board, seat, *split_guard(text), plans.reread(planned) if planned else ())
    return None


@handles(
    on_board("GAME propose BOARD USERID PASSWORD", alters=Alteration(asks=True), aliases=("draw", "offer draw")),
    Entry(70, "offer your opponent a draw"),
)
def propose(request: Request, command: Command) -> Answer | None:
    """Offer a draw; if the opponent has offered one already, agree to it."""
    board, seat = request.author.seated(command)
    offer = board.match.offer
    # Both want it, so nobody has to be asked.
    if board.match.result is None and offer is not None and (offer.kind, offer.seat) == (OfferKind.DRAW, other(seat)):
        board.agree(seat)
    else:
        ask(board, seat, OfferKind.DRAW)
    return None


@handles(
    on_board("GAME undo BOARD USERID PASSWORD", alters=Alteration(asks=True), aliases=("takeback", "take back")),
    Entry(80, "ask your opponent to take your last ply back"),
)
def undo(request: Request, command: Command) -> Answer | None:
    # "undo 2" names a number of plies, and no board.
    if int(command.args.get("BOARD", FIRST_BOARD)) < FIRST_BOARD:
        raise BadArguments("One ply is taken back: your last one, with what was played after it.", "undo")
    board, seat = request.author.seated(command)
    ask(board, seat, OfferKind.UNDO)
    return None


@handles(
    on_board("GAME accept [BOARD] USERID PASSWORD"),
    Entry(90, "agree to what your opponent asks on a board; or, without a board, take challenges of a game"),
)
def accept(request: Request, command: Command) -> Answer | None:
    if _is_of_game(request, command):
        return HANDLERS["limit"](request, replace(command, args={**command.args, "NUMBER": "accept"}))
    board, seat, offer = _answered(request, command)
    # Somebody who plays both sides may agree with themselves.
    if offer.seat == seat and board.match.player(other(seat)).id != board.match.player(seat).id:
        raise NotAllowed(f"You asked for {WISHES[offer.kind]} yourself; your opponent must answer.")
    GRANTS[offer.kind](request, board, seat)
    return None


@grants(OfferKind.DRAW)
def grant_draw(_: Request, board: OpenBoard, seat: Seat) -> None:
    board.agree(seat)


@when_due(SILENCE, within=timedelta())
def take_silence_for_consent(occasion: Occasion) -> None:
    """Accept a draw offer that was left unanswered for long enough, not counting outages and absences of its hearer.

    The time is worked out again from when the offer was made.
    """
    tx, now = occasion.tx, occasion.now
    board = occasion.open(int(occasion.item.key))
    match, offer = board.match, board.match.offer
    if match.result is not None or offer is None or offer.since is None or offer.kind is not OfferKind.DRAW:
        return
    hearer, asked_at = other(offer.seat), offer.since
    length = SILENT_IN_TOURNAMENTS_FOR if match.tournament else SILENT_FOR
    player = match.player(hearer).id
    stops = tx.absences.stops((player,), asked_at)[player]
    over_at = Calendar(stops=stops).deadline(asked_at, length // timedelta(microseconds=1))
    # Absences of the hearer have moved the day.
    if over_at is None or over_at > now:
        tx.agenda.put(SILENCE, match.board, over_at or now + timedelta(days=1))
        return
    board.agree(hearer, silently=True)
    occasion.owe(tell_players(occasion, board))


@grants(OfferKind.UNDO)
def grant_undo(_: Request, board: OpenBoard, seat: Seat) -> None:
    board.take_back(other(seat))


@handles(
    on_board("GAME reject [BOARD] USERID PASSWORD"),
    Entry(100, "refuse what your opponent asks on a board; or, without a board, all challenges of a game"),
)
def reject(request: Request, command: Command) -> Answer | None:
    """Reject the opponent's offer, or take back one's own."""
    if _is_of_game(request, command):
        return HANDLERS["limit"](request, replace(command, args={**command.args, "NUMBER": "reject"}))
    board, seat, offer = _answered(request, command)
    if offer.seat == seat:
        board.cancel_offer()
    else:
        board.reject_offer(seat)
    return None


def _is_of_game(request: Request, command: Command) -> bool:
    """Whether the command is about the challenges of a game, not about a board."""
    if "BOARD" in command.args or "MOVE" in command.args:
        return False
    return request.sender.board is None or command.credentials is not None


def _answered(request: Request, command: Command) -> tuple[OpenBoard, Seat, Offer]:
    """The board and the offer that waits on it. Raises: NotFound, NotAllowed, MatchOver, Stale."""
    board, seat = request.author.seated(command)
    board.check_running()
    return board, seat, existing(board.match.offer, f"Nobody has asked for anything on board {board.match.board}.")
