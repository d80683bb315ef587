"""Plain words in place of a command: what they ask for, a question to their writer, or words for the other player."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise, takewhile

from games.rules import MoveError
from pbm.core.board import OpenBoard
from pbm.core.decisions import WISHES
from pbm.core.request import Request, no_player, userid_named
from pbm.core.robots import UNHEARD, is_robot, robot_called
from pbm.domain.commands import Command, begins, board_first, clean
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand, Unsure
from pbm.domain.mail import RemarkKind
from pbm.domain.match import ASKED, WORDS_KEPT, Intent, IntentKind, OfferKind, Player, Seat, other
from pbm.domain.reading import Reading, board_below
from pbm.domain.vacations import vacation_said
from pbm.domain.verbs import FIRST_BOARD, PASSWORD, find, leading, passwords_behind
from pbm.features.newcomer import FIRST
from pbm.mailin import strip_subject
from pbm.reading.book import Phrase, words
from pbm.reading.book import named as called
from pbm.reading.consent import Answer, consent
from pbm.reading.games_named import game_elsewhere, game_named, game_wanted, lost, starts, topic
from pbm.reading.intent import ACTS, MOST_READINGS, Ask, Meaning, Sure, Surroundings, Talk, is_courteous, is_prose, read
from pbm.reading.sentences import Sentence, discreet, in_plain_marks, phrases, plain, says, sentences, unsigned

CHAT = "chat"
_BOARD = re.compile(r"(?<![\w.:/-])#?(\d{3,9})(?![\w/-]|:\d)")
"""The number of a board among words."""
_SPOKEN = re.compile(
    r"\s*(?P<verb>chat|kibitz|note(?! (?:that|how|the)\b| no(?:ne|thing)\W*$))[ :,-]+(?P<words>[^\d\W].*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""A command of text with its words on the same line."""
_UNSAID = re.compile(r"[\[\]{}<>|=\\]|\*\*|(?:^|\s)--?[a-z]|:\s*\Z", re.IGNORECASE)
"""What people seldom write to people, but commands, quotes and notices hold; at its end, what announces nothing."""
_PLANNED = re.compile(r"(?:^|\s)if\b[^\n]*:", re.IGNORECASE)
"""What reads like a plan is refused as one."""
_NO_GAME = BadArguments("You have no game under way. To start one at once, against a program:", "play")
_NEAR, _SHORTEST_NEAR = 0.75, 4
"""How similar to a verb a word must be to count as misspelt, and how long."""
_HELPS = {"time": "help clock", "rest": "help vacation", "remind": "help remind", "undo": "help undo"}
"""The command that helps with what words speak of, where no person reads them."""


@dataclass(frozen=True, slots=True)
class Restated:
    """The meaning of plain words: a command, the words left for the opponent, and what the writer is told."""

    line: str
    comment: str = ""
    read_as: str = ""
    board: int | None = None
    """The board that the writer named; None for the board that the mail answers, or for no board."""

    @property
    def whole_line(self) -> str:
        """The line, with the number of the named board in front if its verb is about a board."""
        verb, _ = leading(self.line.split())
        is_of_board = verb is None or any(param.key == "BOARD" for param in verb.params)
        return f"{self.board} {self.line}" if self.board is not None and is_of_board else self.line


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Restated | None:
    """The meaning of a mail in plain words; None if it is unknown, or if the mail is a command.

    command: its first command, which was refused. Raises: Unsure with the question to the writer; BadArguments.
    """
    text, number = reading.text, request.sender.board
    if not text or (number is None and not request.sender.standing.known):
        return None
    is_open = isinstance(command, UnknownCommand | BadArguments) or (
        isinstance(command, Command) and reading.opens_with(command)
    )
    if number is not None and not (is_open or _SPOKEN.fullmatch(text)):
        meant = read(text, _surroundings(request, None))  # the board is not loaded for a command that was refused
        if isinstance(meant, Talk) and meant.about == "remind":
            return _Board(request, request.boards.load(number), text).restated(is_open=True)
        if not isinstance(meant, Sure) or _acts(meant.line) or "{" in meant.line:
            return None
        return Restated(meant.line) if _is_ours(meant.line) else None
    if number is not None:
        return _Board(request, request.boards.load(number), text).restated(is_open=is_open)
    named = _on_named_board(request, text) if is_open else None
    return named or _letter(request, unsigned(text).strip() or text, command)


def restated_line(request: Request, line: str, remark: str, command: Command | Rejected) -> Restated | None:
    """As restated, for a line that begins with a board's number, with the remark below it."""
    named = board_first(clean(line), request.sender.standing)
    if named is None:
        return None
    number, said = named
    is_open = isinstance(command, Rejected) or command.args.get("MOVE") == said
    text = "\n".join(filter(None, (said, remark)))
    meant = _Board(request, request.boards.load(number), text, is_alone=False).restated(is_open=is_open)
    return None if meant is None or meant.line == said else replace(meant, board=number)


def check_sure(request: Request, board: OpenBoard, text: str, command: Command) -> None:
    """Refuse a move if the words below it take it back, or name a different move or a different board.

    board: the one that is answered. Raises: Unsure, BadArguments, and whatever the move would raise.
    """
    said = _Board(request, board, text)
    below = board_below(text)
    if below:
        request.author.seated(command)
        said.check_elsewhere(below)
    if isinstance(said.meant, Ask) and said.meant.is_said and not said.is_turn:
        request.author.seated(command)
        said.ask(said.meant)


def is_newcomers(text: str) -> bool:
    """Whether the words read like a faulty command, but may be a newcomer's plain words.

    >>> [is_newcomers(text) for text in ("play", "help me please", "unsubscribe", "What is this?", "games", "what bob")]
    [True, True, True, True, True, False]
    """
    said = plain(text)
    first = said.split(" ")[0]
    if lost(text) or first == "play" or topic(text) == "help":
        return True
    answer = consent(text).answer
    if answer is Answer.NEVER or (" " not in said and answer is not Answer.UNCLEAR):
        return True
    return text.rstrip().endswith("?") and first in words("common") and find(first) is None


def holds_password(request: Request, text: str, writer: Player) -> bool:
    """Whether the text may hold a password of its writer, which nobody else may read."""
    userid = writer.userid.casefold()
    unchecked = {(userid, word) for word in passwords_behind(text.splitlines(), userid)}
    suspected = request.incoming.locked.keys() | request.incoming.verified.keys()
    return PASSWORD.search(text) is not None or bool(unchecked & suspected)


def _begins_like_command(text: str) -> bool:
    """Whether the first line begins like a command, which then could not be read."""
    first = text.strip().partition("\n")[0]
    return bool(first) and begins(clean(first))


def _is_ours(line: str) -> bool:
    """Whether the line is a command to the server as it stands."""
    name = line.split(" ")[0]
    return name == "all" or find(name) is not None


def _answers(text: str) -> bool:
    """Whether a text is a yes or a no and nothing else."""
    said = phrases(text, "answer")
    return len(text.split()) == 1 and any(phrase.does in ("yes", "no") for phrase in said)


def _acts(line: str) -> bool:
    """Whether a command changes something on a board, or asks the other player for something."""
    return line.split(" ")[0] in ACTS | {"reject"}


def _surroundings(request: Request, board: OpenBoard | None, *, is_turn: bool = False, rival: str = "") -> Surroundings:
    def is_player(word: str) -> bool:
        return request.tx.players.find(word) is not None or bool(robot_called(request.tx, word))

    legal = board.state.named if board is not None and board.match.result is None else lambda _: None
    return Surroundings(legal, is_player, is_turn, rival)


class _Board:
    """The words that somebody wrote about a board: who the writer is there, and what the words mean by its moves."""

    def __init__(self, request: Request, board: OpenBoard, text: str, *, is_alone: bool = True) -> None:
        """is_alone: the mail is about no other board, so that a yes to a question about it is clear."""
        self.is_alone = is_alone
        self.request, self.board, self.text = request, board, text
        self.writer = request.sender.writer
        match = board.match
        self.seat: Seat | None = None if self.writer is None else match.seat_of(self.writer.id)
        self.opponent = None if self.seat is None else match.player(other(self.seat))
        self.rival = self.opponent if self.opponent is not None and is_robot(request.tx, self.opponent) else None
        self.is_running = match.result is None
        self.is_to_move = self.is_running and self.seat == board.state.to_move
        rival = "" if self.opponent is None else self.opponent.userid
        self.surroundings = _surroundings(request, board, is_turn=self.is_to_move, rival=rival)
        self.meant: Meaning = read(text, self.surroundings)

    @property
    def asked(self) -> OfferKind | None:
        """What the other player asks for, if the writer has not answered."""
        offer = self.board.match.offer
        return offer.kind if offer is not None and self.seat not in (None, offer.seat) else None

    def restated(self, *, is_open: bool) -> Restated | None:
        """What the words mean; None if that is unknown, or if they are a command.

        is_open: the strict reading found no command. Raises: Unsure, BadArguments.
        """
        spoken = _SPOKEN.fullmatch(self.text)
        if spoken is not None and self.writer is not None:
            self.check_no_password(self.writer)
            return Restated(spoken["verb"].casefold(), spoken["words"])
        meant = self.meant
        if is_open and self.seat is not None:
            self._check_correction()
        if isinstance(meant, Sure):
            return self._done(meant, is_open=is_open)
        if not is_open or _PLANNED.search(self.text):
            return None
        replied = self._replied()
        if replied is not None:
            return replied
        if isinstance(meant, Ask) and (meant.is_said or len(meant.readings) <= MOST_READINGS):
            if self.is_turn:
                return None  # several moves that one side makes in a row: playing them will say what is wrong
            self.check_elsewhere(self.text)
            self.ask(meant)
        return self._words(meant if isinstance(meant, Talk) else Talk())

    def named(self, whole: str) -> Restated | None:
        """What is to be done or shown on a board that a letter names. whole: the letter; its words go to nobody.

        Raises: Unsure.
        """
        number = self.board.match.board
        if self.request.sender.proven is not None:
            self.request.author.player = self.request.sender.proven  # so that a refusal shows the board
        if is_courteous(self.text):
            return Restated("show", board=number)
        verb = find(plain(self.text))
        if verb is not None and any(param.key == "BOARD" for param in verb.params):
            return Restated(verb.name, board=number)
        if _begins_like_command(whole) and not isinstance(self.meant, Sure):
            return None  # what is wrong with the command is told
        if isinstance(self.meant, Sure) and self.meant.line == self.text.strip():
            return Restated(self.meant.line, board=number)
        found = self.restated(is_open=True)
        if found is None or found.line == CHAT:
            return None
        return replace(found, board=number, comment=found.comment if found.comment in whole else whole)

    def _done(self, meant: Sure, *, is_open: bool) -> Restated | None:
        """The command that is surely meant. Raises: BadArguments for a pass that loses at once."""
        line = meant.line.replace("{game}", game_named(self.text) or self.board.match.game)
        if line == "about RIVAL":
            return Restated(f"about {self.opponent.userid}" if self.opponent else "show")
        if line.startswith("show #"):
            return Restated(f"show {self.board.match.board}{line.removeprefix('show ').replace('##', '#')}")
        name = line.split(" ")[0]
        if not _acts(line) and _is_ours(line):
            return Restated(line)
        if not is_open or self.text.strip() == line:
            return None
        self._forget()
        self._check_other_board(line)
        self._check_offer(line)
        if line == "propose" and self.asked is OfferKind.DRAW:
            if "?" in self.text:
                raise Unsure("It is not clear whether you accept the draw. To accept the draw:", "accept")
            line = "accept"
        if line == "accept" and self.asked is not None and len(self.text.split()) == 1:
            line = "yes"  # "agreed" may answer whatever was written last, as a yes may
        if line == "pass" and self.is_to_move:
            self._check_pass()
        name = line.split(" ")[0]
        is_until = name == "pause" and plain(self.text) != name  # "pause until Monday"
        is_spoken = is_until or (name in ("give", "rematch") and not plain(self.text).startswith(name))
        return Restated(line, self.text.strip() if is_spoken else meant.comment, line)

    def _check_offer(self, line: str) -> None:
        """Raises: Unsure for an answer to another offer than the one that waits: "I accept the draw" of a takeback."""
        said = {called("offers")[word] for word in plain(self.text).split() if word in called("offers")}
        if self.asked is not None and said and self.asked not in said and line in ("accept", "reject", "propose"):
            raise Unsure(f"You are asked for {WISHES[self.asked]}. To agree to that:", "accept")

    def _check_correction(self) -> None:
        """Raises: BadArguments for another move in place of the one just made: "I meant E4"."""
        has_moved = self.is_running and not self.is_to_move and len(self.board.match.record) > 0
        spans = self.surroundings.spans(self.text)
        found = [phrase for each in sentences(self.text) for phrase in phrases(each.text, "correction", spans)]
        if has_moved and any(phrase.group for phrase in found):
            raise BadArguments("Your move is made. To ask your opponent whether you may take it back:", "undo")

    def _check_pass(self) -> None:
        """Raises: BadArguments for a pass that loses at once."""
        move = self.board.state.named("pass")
        result = self.board.state.play(move)[0].result if move else None
        if result is not None and result.winner not in (self.seat, None):
            raise BadArguments('"pass" loses this game at once. If you mean it, answer with nothing else.')

    def _replied(self) -> Restated | None:
        """A yes or no to what the other player asks, or to whether the writer really resigns. Raises: Unsure."""
        resigns = self.seat is not None and any(each.is_question for each in self.board.intents.of(self.seat))
        if not resigns and self.asked is None:
            return None
        said = sentences(self.text)
        kinds = [{phrase.does for phrase in phrases(each.text, "answer")} for each in said[:1]]
        is_whole = all(is_courteous(each.text) or says(each.text, "answer") for each in said[1:])
        first = kinds[0] if kinds else set()
        bare = self.text.strip().rstrip(".!").casefold()
        if bare in ("yes", "no") or "?" in self.text or not is_whole:
            return None
        if self._is_torn(said):
            raise Unsure('It is not clear whether you agree. Answer with "yes" or "no" and nothing else.')
        if "no" in first:
            return Restated("no")
        if "yes" not in first:
            return None
        weak = words("weak-yes") | (words("no-resignation") if resigns else frozenset())
        if plain(said[0].text) in weak and (resigns or self.asked is OfferKind.DRAW):
            # "ok" may only say that one has read the offer, and both a draw and a resignation end the game
            what = "resign. If you do:" if resigns else "accept the draw. To accept the draw:"
            raise Unsure(f"It is not clear whether you {what}", "yes" if resigns else "accept")
        below = self.text.partition(said[0].text)[2].strip(" ,.!\n")
        return Restated("yes", below, "yes")

    @staticmethod
    def _is_torn(said: Sequence[Sentence]) -> bool:
        """Whether a yes and a no stand beside each other: "yes, but not now"."""
        first = next(iter(said[0].text.split()), "") if said else ""
        kinds = {phrase.does for each in said for phrase in phrases(each.text, "answer")}
        is_no = bool({"no", "never"} & kinds) or any(says(each.text, "doubt") for each in said)
        return is_no and any(phrase.does == "yes" for phrase in phrases(first, "answer"))

    @property
    def or_say(self) -> str:
        """A sentence on how to pass the words on all the same; empty if only a robot would get them."""
        return "" if self.rival is not None else f' To write to your opponent, begin with "{CHAT}".'

    def ask(self, meant: Ask) -> None:
        """Ask which reading is meant, so that "yes" does the only one. Raises: Unsure."""
        self._forget()
        readings = meant.readings
        acts = [each for each in readings if each in ACTS]
        if len(readings) == 2 and acts == [readings[1]] and readings[1] in ("propose", "resign"):
            does = {"propose": "offer a draw", "resign": "resign"}[readings[1]]
            raise Unsure(
                f'To play {readings[0]} and {does}, answer with "{readings[0]}" on one line and "{readings[1]}" on the '
                "next."
            )
        if len(readings) > 1:
            named = " or ".join(readings)
            raise Unsure(
                f"Your email may mean {named}, so nothing is done. Answer with the one that you mean.",
                candidates=readings[:MOST_READINGS],
            )
        (reading,) = readings
        if acts or self.board.state.named(reading) is None or not self._may_keep():
            raise Unsure(f"It is not clear whether you mean {reading}, so nothing is done. If you do:", reading)
        assert self.seat is not None  # noqa: S101  _may_keep
        self.request.author.player = self.writer  # so that the question comes with the board
        self.board.intents.keep(Intent(self.seat, IntentKind.SUBMIT, f"{reading}#{self.board.next_ply}", ASKED))
        raise Unsure(
            f"Your email speaks of {reading}, and does not say that you play it.{self.or_say}", candidates=(reading,)
        )

    def _forget(self) -> None:
        """Drop a question about a move once its writer speaks of something else, to which a later yes may belong."""
        waiting = self.board.intents.find(self.seat, IntentKind.SUBMIT) if self.seat is not None else None
        if waiting is not None and waiting.comment == ASKED and self._may_keep():
            self.board.intents.drop(waiting)

    def _may_keep(self) -> bool:
        """Whether a question may be kept until it is answered: for the player only who has shown who they are, and only
        in place of an earlier question about their words, never of a move they submitted or of a resignation.
        """
        proven = self.request.sender.proven is not None or self.request.sender.seat is not None
        if self.seat is None or not (self.is_running and proven and self.is_alone):
            return False
        waiting = self.board.intents.find(self.seat, IntentKind.SUBMIT)
        return waiting is None or waiting.comment == ASKED or waiting.text == WORDS_KEPT

    def _words(self, meant: Talk) -> Restated | None:
        """A message to the opponent, if the words can be nothing else. Raises: Unsure, BadArguments."""
        text, about = self.text, meant.about
        if find(plain(text)) is not None or _answers(text):
            return self._answer_to_words()
        self._check_near_verb()
        self._check_heard()
        if self.rival is not None and about == "who":
            return Restated(f"about {self.rival.userid}")
        if self.rival is not None and topic(text):
            return Restated(topic(text).replace("GAME", game_named(text) or self.board.match.game))
        if self.rival is not None and about in _HELPS:
            return _about_time(self.request, text, about)
        if any(phrase.does == "never" for each in sentences(text) for phrase in phrases(each.text, "answer")):
            way_out = '"resign" gives this game up, and' if self.is_running else "This game is over;"
            raise BadArguments(f'You want no more emails. {way_out} "help mails" says how to get fewer, or none.')
        self._check_invites()
        if about == "remind":
            raise BadArguments(f"Your opponent is reminded by the server, as they have chosen.{self.or_say}")
        if meant.is_held or _begins_like_command(text) or _UNSAID.search(in_plain_marks(text)):
            self.hold_back()
            return None
        if self.writer is None or not (about or is_prose(discreet(text.strip()))):
            return None
        self.check_seated()
        self.check_no_password(self.writer)
        if not self.may_write(self.writer):
            return None
        return Restated(CHAT, discreet(text.strip()), UNHEARD if self.rival is not None else self._read_as(about))

    def _answer_to_words(self) -> Restated | None:
        """A yes or no that nothing was asked for, as a message, if the other player's words were the last."""
        said = self.request.tx.remarks.of(RemarkKind.COMMENT, self.board.match.board)[-1:]
        is_theirs = bool(said) and said[0].author != self.writer and self.board.match.offer is None
        if self.seat is not None and self.board.intents.find(self.seat, IntentKind.SUBMIT) is not None:
            return None  # it may answer a question of ours
        if not is_theirs or self.writer is None or not _answers(self.text) or not self.may_write(self.writer):
            return None
        return Restated(CHAT, self.text.strip(), "a message")

    def _check_invites(self) -> None:
        """Raises: BadArguments for a wish to invite an address, which is nobody else's business."""
        address = next((word for word in plain(self.text).split() if "@" in word), "")
        if address and any(says(each.text, "invites") for each in sentences(self.text)):
            game = game_named(self.text) or self.board.match.game
            raise BadArguments("To invite somebody to a game:", f"{game} challenge me {address}")

    def _check_near_verb(self) -> None:
        """Raises: Unsure for a first line that is one word, nearly the name of a verb: "resing"."""
        first = self.text.strip().partition("\n")[0].strip().rstrip(".!").casefold()
        known = words("courtesies") | words("common")
        if len(first) < _SHORTEST_NEAR or not first.isalpha() or first in known or find(first) is not None:
            return
        near = difflib.get_close_matches(first, [*ACTS, "show", "pause", "rematch", "hint"], n=1, cutoff=_NEAR)
        if near:
            self._forget()
            raise Unsure(f'"{first}" is neither a move nor a command. Did you mean "{near[0]}"?', near[0])

    def _check_heard(self) -> None:
        """Raises: Unsure for one or two words that may be a dictated move, in any language: "see three", "sieben"."""
        said = [word for word in plain(self.text).split() if word not in words("requesting")]
        if not 0 < len(said) <= 2:
            return
        letters = [called("letters").get(word, word) for word in said[:-1]]
        cell = "".join([*letters, called("spelt").get(said[-1], said[-1])])
        move = self.board.state.named(cell) if cell != "".join(said) and self.is_running else None
        if move is not None:
            self._forget()
            raise Unsure(f"It is not clear whether you mean {move}. If you do:", move)

    def _read_as(self, about: str) -> str:
        """How a message is read: as a wish that the server could grant, if it is one."""
        clock = self.board.match.clock
        is_timed = clock is not None and clock.control.timed
        if about == "rest" and is_timed and self.is_running:
            days = vacation_said(self.text, self.request.now)
            return f"vacation {days}" if days else about
        if about in ("who", "undo") or (about in ("time", "rest") and is_timed):
            return about
        found = topic(self.text) if self.text.rstrip().endswith("?") else ""
        is_hint = bool(found) and found not in words("unhinted") and "GAME" not in found
        return found if is_hint else "a message"

    def hold_back(self) -> None:
        """Keep words that are not surely for the other player, and ask whether they are. Raises: Unsure."""
        if self.opponent is None or self.rival is not None or not self._may_keep() or not is_prose(self.text):
            return
        assert self.seat is not None  # noqa: S101  _may_keep
        if self.writer is not None and holds_password(self.request, self.text, self.writer):
            return
        self.request.author.player = self.writer  # so that the question comes with the board
        self.board.intents.keep(Intent(self.seat, IntentKind.SUBMIT, WORDS_KEPT, discreet(self.text.strip())))
        raise Unsure(
            f'I kept this back. Send it to {self.opponent.userid}? Answer "yes", "no" or "note".',
            candidates=("no", "note"),
        )

    @property
    def is_turn(self) -> bool:
        """Whether the words begin with several moves that one side makes in a row."""
        reads = self.board.state.reads
        pieces: list[str] = []
        for line in filter(str.strip, self.text.splitlines()):
            found = [word for word in re.split(r"[,;&\s]+", line) if word and word not in words("move-links")]
            pieces += [line] if reads(line) else found
        try:
            return len(self.board.state.turn(takewhile(reads, pieces))) > 1
        except MoveError:
            return True  # playing it will say what is wrong

    def _check_other_board(self, line: str) -> None:
        """Raises: BadArguments if what is to be done stands in one sentence with another board of the writer's."""
        named = [each.text for each in sentences(self.text) if line.casefold() in each.text.casefold()]
        self.check_elsewhere(" ".join([*named, board_below(self.text)]))

    def check_elsewhere(self, said: str) -> None:
        """Raises: BadArguments if the words name another board where the writer plays."""
        others = [int(number) for number in _BOARD.findall(said) if int(number) != self.board.match.board]
        for number in others:
            match = self.request.tx.matches.summary(number)
            if match is not None and match.result is None and self.writer in match.players:
                raise BadArguments(
                    f"Your email speaks of board {number}, too, so nothing is played. Answer the email of each board "
                    "with nothing but what you do there."
                )

    def check_seated(self) -> None:
        """Raises: BadArguments for the words of an onlooker, who may mean the players or other onlookers."""
        if self.writer is not None and self.seat is None:
            raise BadArguments(
                'Nothing was passed on. To write to the players, begin with "chat"; to others who look on, with '
                '"kibitz".'
            )

    def check_no_password(self, writer: Player) -> None:
        """Raises: BadArguments."""
        if holds_password(self.request, self.text, writer):
            raise BadArguments(
                "Nothing was passed on, for your email may hold a password. Answers need none.", "help account"
            )

    def may_write(self, writer: Player) -> bool:
        """Whether the writer may send the message: programs that answer every mail repeat themselves, or send many."""
        remarks, since = self.request.tx.remarks, self.request.now - timedelta(days=1)
        if remarks.written_since(RemarkKind.COMMENT, writer.id, since) >= self.request.tools.limits.messages_per_day:
            return False
        said = remarks.of(RemarkKind.COMMENT, self.board.match.board)
        return all(remark.author != writer or remark.text.split() != self.text.split() for remark in said)


def _on_named_board(request: Request, text: str) -> Restated | None:
    """The meaning of words that name exactly one board of the writer's: something to do or show there, but no message
    to the opponent, because the mail answers the server. Raises: Unsure.
    """
    found = [number for number in _BOARD.findall(text) if int(number) >= FIRST_BOARD]
    player = request.sender.writer
    if player is None or text.startswith(">") or len(found) != 1:
        return None
    number = int(found[0])
    match = request.tx.matches.summary(number)
    if match is None or player not in match.players:
        return None
    board = request.boards.load(number)
    said = _without_board(text, number, "the game")
    if not _is_said_of(said):  # "delete game 101" is "delete the game": "delete" alone is another command
        said = _without_board(text, number)
    return _Board(request, board, said).named(text)


def _is_said_of(text: str) -> bool:
    """Whether words about a board are wholly a phrase."""
    return isinstance(read(text, Surroundings(lambda _: None)), Sure)


def _without_board(text: str, number: int, instead: str = "") -> str:
    """The words without those that name the board: "D4 in game 101" is "D4"."""
    about = "|".join(sorted(words("before-boards"), key=len, reverse=True))
    named = rf"(?:\b(?:{about})\s+)*#?\b{number}\b:?"
    return re.sub(named, instead, text, flags=re.IGNORECASE).strip() or "show"


def _letter(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """The meaning of plain words in a mail that answers no board. Raises: BadArguments.

    command: what the mail was read as, and refused. If it could be read, only whole phrases count beside it.
    """
    said = _phrase_of_letter(request, text)
    if said is not None:
        return _of_letter(request, text, said.line)
    if not isinstance(command, Rejected):
        return None
    if not sentences(text):
        return Restated("help start") if text.strip().startswith("?") else None
    if is_courteous(text) and not _answers(text):
        return Restated("thanks")
    if consent(text).answer is Answer.NEVER:
        return Restated("help mails")
    _check_players(request, text)
    if not _is_said(text, command):
        return None
    _check_board(request, text)
    found = _about_games(request, text)
    if found is None and not topic(text):
        _check_answer(text)
    return found or _about_topic(request, text, command)


def _phrase_of_letter(request: Request, text: str) -> Phrase | None:
    """The first phrase in a letter that asks for something."""
    here = _surroundings(request, None)
    for group in ("everywhere", "letter", "board"):
        for each in sentences(text):
            said = [phrase for phrase in phrases(each.text, group, here.spans(each.text)) if phrase.group]
            for phrase in sorted(said, key=lambda phrase: -len(phrase.slots)):  # "y" may be the game, or an "and"
                # "Ich bin ..." may end in anything: it is an absence only if it says of which days
                is_absence = phrase.does == "chat about rest" and not vacation_said(text, request.now)
                if not is_absence and not phrase.does.startswith("lead "):
                    return phrase
    return None


def _is_said(text: str, command: Rejected) -> bool:
    """Whether a text that is no command is plain words, though it may begin like one: "cancel my vacation"."""
    if isinstance(command, UnknownCommand) and command.suggestion in _GENERAL:
        return True
    if _EXACT.search(text):
        return False
    return text.rstrip().endswith("?") or bool(words("common").intersection(plain(text).split()[1:]) - {"me"})


def _check_answer(text: str) -> None:
    """Raises: BadArguments for a lone yes or no."""
    if plain(text).split(" ")[0] in ("yes", "no") and len(text.split()) <= MOST_READINGS:
        raise BadArguments(
            f'"{text.strip()[:40]}" answers no question of ours: the email you answer asks none, was answered before, '
            "or is too old by now.",
            "help",
        )


def _check_board(request: Request, text: str) -> None:
    """Raises: BadArguments for a move on a board that the letter does not name; it says how to name one."""
    meant, player = read(text, Surroundings(str.upper, is_turn=True)), request.sender.writer
    readings = set(meant.readings) - ACTS if isinstance(meant, Ask) else set()
    names_cell = any(map(str.isalpha, "".join(readings)))
    move = "MOVE" if names_cell else meant.line if isinstance(meant, Sure) else ""
    is_other = move != "MOVE" and ("{" in move or find(move) is not None)
    if player is None or not move or is_other or _begins_like_command(text):
        return
    running = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
    named = [each for each in running if each.game == game_named(text)]
    if named and isinstance(meant, Ask) and len(meant.readings) == 1:
        running, move = named, meant.readings[0]
    waiting = [each.board for each in running if each.players[(each.seat_to_move or 1) - 1].id == player.id]
    if not running:
        raise _NO_GAME
    if not waiting:
        raise BadArguments("None of your boards waits for your move. You get an email when one does: answer that.")
    raise BadArguments(
        "Which board do you mean? Answer an email about it, or put its number in front.",
        f"{waiting[0] if len(waiting) == 1 or move == 'MOVE' else 'BOARD'} {move}",
    )


def _about_games(request: Request, text: str) -> Restated | None:
    """A wish to play, anywhere in a letter. Raises: BadArguments with the line that challenges whom it names."""
    if topic(text) != "tournaments":
        _check_rival(request, text)
    told = userid_named(request.tx, text, "told")
    if told:
        raise BadArguments(f"To write to {told}, with your words below:", f"message {told}")
    _check_joins(request, text)
    absent = game_elsewhere(text)
    if absent:
        return Restated(f"play {absent}")
    return Restated(f"play {game_wanted(text)}".rstrip()) if starts(text) else None


def _check_rival(request: Request, text: str, named: str = "") -> None:
    """Raises: BadArguments with the line that challenges the player whom a letter names."""
    game = game_named(text)
    rival = named if "@" in named else robot_called(request.tx, named) or userid_named(request.tx, text, "rival")
    if rival and "@" in rival:
        raise BadArguments(f"To invite {rival}:", f"{game or FIRST} challenge me {rival}")
    if rival:
        way = "" if game else ", name a game"
        raise BadArguments(f"To play with {rival}{way}:", f"{game or FIRST} challenge me {rival}")


def _check_players(request: Request, text: str) -> None:
    """Raises: NotFound for a word of a challenge that names no player if another one does; it says who may be meant."""
    verb, *named = text.split()[:_MOST_NAMED] or [""]
    found = {word: word == "me" or request.tx.players.find(word) is not None for word in named if word[0].isalpha()}
    unknown = next((word for word, is_there in found.items() if not is_there), "")
    if verb.casefold() == "challenge" and unknown and any(found.values()):
        raise no_player(request.tx, unknown)


def _check_joins(request: Request, text: str) -> None:
    """Raises: BadArguments for a wish to take part in a tournament."""
    said = plain(text).split()
    for place, (before, word) in enumerate(pairwise(said)):
        if before not in words("before-events"):
            continue
        # people write "the spring cup" of spring-cup
        event = request.tx.tournaments.find(word) or request.tx.tournaments.find("-".join(said[place + 1 : place + 3]))
        if event is not None:
            raise BadArguments(f"To join {event.name}:", f"tournament join {event.name}")


def _about_topic(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """The page of help on what a letter speaks of; the first page for any other sentence."""
    found = topic(text)
    if found == "help vacation":
        return _about_time(request, text, "rest")
    if found:
        named = game_named(text)
        if found.startswith("GAME ") and not named:
            return Restated(f"help {found.removeprefix('GAME ')}")
        return Restated(found.replace("GAME", named).strip())
    game = game_named(f"{text} {strip_subject(request.message.subject)}")
    is_sentence = bool(words("common").intersection(plain(text).split()))
    is_talk = len(text.split()) > 1 and is_sentence and isinstance(command, UnknownCommand) and is_prose(text)
    return Restated(f"help {game}" if game else "help start") if is_talk else None


_EXACT = re.compile(r"[\d=@]")
"""Characters that a faulty command may hold, but seldom a question."""
_GENERAL = ("", "help", "tournaments")
"""The suggestions for words that are no command, and similar to none."""
_MOST_NAMED = 10
"""Words of a challenge, with its verb, in which an unknown userid is looked for."""
_OF_LETTERS = {
    "standings": "help standings",
    "show": "all show me active",
    "about RIVAL": "all show me active",
    "hint": "help start",
}


def _about_time(request: Request, text: str, about: str) -> Restated:
    """What answers words about time or an absence where no person reads them: a vacation with its days, or help."""
    days = vacation_said(text, request.now) if about == "rest" else ""
    return Restated(f"vacation {days}" if days else _HELPS.get(about, "help"))


def _of_letter(request: Request, text: str, line: str) -> Restated | None:
    """The command of a phrase, in a mail that answers no board. Raises: BadArguments if it needs to name one."""
    name = line.split(" ")[0]
    player = request.sender.writer
    if line == "rematch":
        about = strip_subject(request.message.subject)
        return Restated(f"puzzle {game_named(about)}".rstrip()) if topic(about) == "puzzle" else None
    if name in ACTS | {"reject"}:
        running = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None) if player else []
        if not running:
            raise _NO_GAME
        shown = str(running[0].board) if len(running) == 1 else "BOARD"
        raise BadArguments(
            "Which board do you mean? Answer an email about it, or put its number in front.", f"{shown} {line}"
        )
    if line.startswith("chat about "):
        return _about_time(request, text, line.removeprefix("chat about "))
    rival = line.rpartition(" with ")[2] if name == "play" else ""
    if rival != line and rival:
        _check_rival(request, text, rival)
        raise no_player(request.tx, rival)
    if line == "help {game}" and not game_named(text):
        return Restated("help start")
    line = _OF_LETTERS.get(line, line).replace("{game}", game_named(text)).rstrip()
    if line == _OF_LETTERS["show"] and not (player and request.tx.matches.active_counts([player.id])[player.id]):
        raise _NO_GAME
    return Restated(line)
