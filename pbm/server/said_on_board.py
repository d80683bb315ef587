"""Plain words about a board: what they ask for, a question to their writer, or words for the other player."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from games.rules import MoveError
from pbm.core.board import OpenBoard
from pbm.core.decisions import WISHES
from pbm.core.limits import Act, drawn
from pbm.core.request import Request
from pbm.core.robots import UNHEARD, is_robot
from pbm.domain.errors import BadArguments, Unsure
from pbm.domain.mail import RemarkKind
from pbm.domain.match import ASKED, WORDS_KEPT, Intent, IntentKind, OfferKind, Player, Seat, other
from pbm.domain.plans import RESIGN
from pbm.reading.book import common, words
from pbm.reading.book import named as called
from pbm.reading.command_lines import Reading, board_below
from pbm.reading.commands import Command, begins, clean, is_moves
from pbm.reading.consent import kinds_in
from pbm.reading.dates import vacation_said
from pbm.reading.games_named import game_named, topic
from pbm.reading.intent import (
    ACTS,
    MOST_READINGS,
    Ask,
    Meaning,
    Sure,
    Surroundings,
    Talk,
    is_courteous,
    is_held,
    is_prose,
    read,
)
from pbm.reading.sentences import Sentence, discreet, in_plain_marks, phrases, plain, says, sentences, unsigned
from pbm.reading.verbs import find

CHAT = "chat"
BOARD = re.compile(r"(?<![\w.:/-])#?(\d{3,9})(?![\w/-]|:\d)")
"""The number of a board among words."""
_BOARD_NAMED = re.compile(rf"(?:\b(?:{'|'.join(words('before-boards'))})\s+)*{BOARD.pattern}:?", re.IGNORECASE)
SPOKEN = re.compile(
    r"\s*(?P<verb>chat|kibitz|note(?! (?:that|how|the)\b| no(?:ne|thing)\W*$))[ :,-]+(?P<words>[^\d\W].*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""A command of text with its words on the same line."""
NO_GAME = BadArguments("You have no game under way. To start one at once, against a program:", "play")
HELPS = {"time": "help clock", "rest": "help vacation", "remind": "help remind", "undo": "help undo"}
"""The command that helps with what words speak of, where no person reads them."""

_UNSAID = re.compile(r"[\[\]{}<>|=\\]|\*\*|(?:^|\s)--?[a-z]|:\s*\Z", re.IGNORECASE)
"""What people seldom write to people, but commands, quotes and notices hold; at its end, what announces nothing."""
_PLANNED = re.compile(r"(?:^|\s)if\b[^\n]*:", re.IGNORECASE)
"""What reads like a plan is refused as one."""
_CELL = re.compile(r"[a-z]\d", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:.!?]\s")
_NEAR_BELOW = ("resign", "accept", "propose", "rematch")
"""The verbs that count as misspelt below a move, where most words are for the other player."""
_MOST_LINES = 50
"""How many lines of words are looked at."""
_NEAR, _SHORTEST_NEAR = 0.75, 4
"""How similar to a verb a word must be to count as misspelt, and how long."""


def begins_like_command(text: str) -> bool:
    """Whether the first line begins like a command, which then could not be read."""
    first = text.strip().partition("\n")[0]
    return bool(first) and begins(clean(first))


def is_ours(line: str) -> bool:
    """Whether the line is a command to the server as it stands."""
    name = line.split(" ")[0]
    return name == "all" or find(name) is not None


def without_boards(text: str, instead: str = "") -> str:
    """The words without the numbers of boards and what names these as such: "D4 in game 101" is "D4"."""
    return _BOARD_NAMED.sub(instead, text).strip()


def answers(text: str) -> bool:
    """Whether a text is a yes or a no and nothing else."""
    said = phrases(text, "answer")
    return len(text.split()) == 1 and any(phrase.does in ("yes", "no") for phrase in said)


def acts(line: str) -> bool:
    """Whether a command changes something on a board, or asks the other player for something."""
    return line.split(" ")[0] in ACTS | {"reject"}


def about_time(request: Request, text: str, about: str) -> Reading:
    """What answers words about time or an absence where no person reads them: a vacation with its days, or help."""
    days = vacation_said(text, request.now) if about == "rest" else ""
    return Reading.of(f"vacation {days}" if days else HELPS.get(about, "help"))


def near_verb(text: str) -> str:
    """The verb to whose name the only word of the first line is similar; "" for none.

    >>> near_verb("resing"), near_verb("resigned to my fate")
    ('resign', '')
    """
    first = text.strip().partition("\n")[0].strip().rstrip(".!").casefold()
    if len(first) < _SHORTEST_NEAR or not first.isalpha() or first in common() or find(first) is not None:
        return ""
    near = difflib.get_close_matches(first, [*ACTS, "show", "pause", "rematch", "hint"], n=1, cutoff=_NEAR)
    return near[0] if near else ""


class SaidOnBoard:
    """The words that somebody wrote about a board: who the writer is there, and what the words mean by its moves.

    What they mean is a reading of one line, with the words left for the opponent and what the writer is told.
    """

    def __init__(self, request: Request, board: OpenBoard, text: str, *, is_alone: bool = True) -> None:
        """is_alone: the mail is about no other board, so that a yes to a question about it is clear."""
        self.is_alone = is_alone
        self.request, self.board, self.text = request, board, text
        self.writer = request.sender.writer
        match = board.match
        self.seat: Seat | None = None if self.writer is None else match.seat_of(self.writer.id)
        self.opponent = None if self.seat is None else match.player(other(self.seat))
        self.is_running = match.result is None
        self.is_to_move = self.is_running and self.seat == board.state.to_move
        rival = "" if self.opponent is None else self.opponent.userid
        legal = board.state.named if self.is_running else lambda _: None
        # Many phrases ask about the same words.
        own = "" if self.writer is None else self.writer.userid
        self.surroundings = Surroundings(legal, request.is_player, self.is_to_move, rival, own)
        self.meant: Meaning = read(text, self.surroundings)

    @cached_property
    def rival(self) -> Player | None:
        """The other player if they are a robot, which reads no words."""
        return self.opponent if self.opponent is not None and is_robot(self.request.tx, self.opponent) else None

    @property
    def asked(self) -> OfferKind | None:
        """What the other player asks for, if the writer has not answered."""
        offer = self.board.match.offer
        return offer.kind if offer is not None and self.seat not in (None, offer.seat) else None

    @property
    def _question(self) -> Intent | None:
        """What of the writer's waits for a word of theirs."""
        return self.board.intents.find(self.seat, IntentKind.SUBMIT) if self.seat is not None else None

    def restated(self, *, is_open: bool) -> Reading | None:
        """What the words mean; None if that is unknown, or if they are a command.

        is_open: the strict reading found no command. Raises: Unsure, BadArguments.
        """
        spoken = SPOKEN.fullmatch(self.text)
        # "chat good luck": the verb says whose the words are, so none of them is read as a move.
        if spoken is not None and self.writer is not None:
            self.request.check_no_password()
            return Reading.of(spoken["verb"].casefold(), spoken["words"])
        meant = self.meant
        # Reminding is the server's affair, so the words are not for the opponent.
        is_open = is_open or meant == Talk("remind")
        if is_open and self.seat is not None:
            self._check_correction()
        if isinstance(meant, Sure):
            return self._done(meant, is_open=is_open)
        # A plan with an error is told what is wrong with it, and no opponent reads what was to be played.
        if not is_open or _PLANNED.search(self.text):
            return None
        return self._unsure(meant)

    def _unsure(self, meant: Ask | Talk) -> Reading | None:
        """What words mean that are no command for sure: an answer, a question to their writer, or a message; None for
        what playing says best. Raises: Unsure, BadArguments.
        """
        replied = self._replied()
        if replied is not None:
            return replied
        if isinstance(meant, Ask) and (meant.is_said or len(meant.readings) <= MOST_READINGS):
            # Several moves that one side makes in a row: playing them will say what is wrong.
            if self.is_turn:
                return None
            self.check_elsewhere(self.text)
            self.ask(meant)
        # A move with an error is told what is wrong with it, and no opponent reads what was to be played.
        faulty = self._faulty_move()
        if faulty:
            return Reading.of(faulty)
        # "I resign game 102"
        if not isinstance(read(without_boards(self.text), self.surroundings), Talk):
            self.check_elsewhere(self.text)
        return self._words(meant if isinstance(meant, Talk) else Talk())

    def _faulty_move(self) -> str:
        """What is written like a move at the beginning or below a greeting, and is no legal one: "b1-b9, good luck"."""
        first = next((line for line in self.text.splitlines() if line.strip() and not is_courteous(line)), "")
        piece, state = _CLAUSE_END.split(first, 1)[0].strip(), self.board.state
        # "bxc3" and "Qd1-d7" are written as in chess; a lone letter may be a word.
        is_move = state.reads(piece) or (is_moves(piece) and _CELL.search(piece) is not None)
        is_faulty = self.is_running and is_move and not piece.isalpha() and state.named(piece) is None
        return piece if is_faulty else ""

    def named(self, whole: str) -> Reading | None:
        """What is to be done or shown on a board that a letter names. whole: the letter; its words go to nobody.

        Raises: Unsure.
        """
        number = self.board.match.board
        # A refusal then shows the board.
        if self.request.sender.shown is not None:
            self.request.author.player = self.request.sender.shown
        if is_courteous(self.text):
            return Reading.of("show", board=number)
        verb = find(plain(self.text))
        # "show game 101": the number stands behind the verb, not in front.
        if verb is not None and "BOARD" in verb.keys:
            return Reading.of(verb.name, board=number)
        if isinstance(self.meant, Sure):
            if self.meant.line == self.text.strip():
                return Reading.of(self.meant.line, board=number)
        # What is wrong with the command is told then.
        elif begins_like_command(whole):
            return None
        found = self.restated(is_open=True)
        # The letter answers the server, so its words are not for the opponent.
        if found is None or found.lines == (CHAT,):
            return None
        comment = found.comment if found.comment in whole else whole
        return Reading.of(found.lines[0], comment, found.read_as, number)

    def _done(self, meant: Sure, *, is_open: bool) -> Reading | None:
        """The command that is surely meant. Raises: BadArguments for a pass that loses at once."""
        line = self._filled(meant.line)
        # What only shows something is done wherever it stands: below a move such words went to the opponent.
        if not acts(line) and is_ours(line):
            return Reading.of(line)
        if not is_open or self.text.strip() == line:
            return None
        # "Let's play on" answers nothing while nobody asks for anything.
        if line == "reject" and self.board.match.offer is None:
            return self._unsure(Talk())
        self._forget()
        self.check_no_command(meant.comment, line)
        # What is to be done may stand in one sentence with another board.
        named = [each.text for each in sentences(self.text) if line.casefold() in each.text.casefold()]
        self.check_elsewhere(" ".join([*named, board_below(self.text)]))
        self._check_offer(line)
        line = self._as_answer(line)
        if line == "pass":
            self._check_pass()
        # The text may say more than the command, and then the other player reads all of it: "pause until Monday".
        name, said = line.split(" ")[0], plain(self.text)
        is_begun = said.startswith(name)
        is_spoken = {"pause": said != name, "give": not is_begun, "rematch": not is_begun}.get(name, False)
        return Reading.of(line, self.text.strip() if is_spoken else meant.comment, line)

    def _filled(self, line: str) -> str:
        """The line of a phrase with what only the board knows: its game, its number, the other player."""
        if line == "about RIVAL":
            return f"about {self.opponent.userid}" if self.opponent else "show"
        if line.startswith("show #"):
            return f"show {self.board.match.board}{line.removeprefix('show ').replace('##', '#')}"
        return line.replace("{game}", game_named(self.text) or self.board.match.game)

    def _as_answer(self, line: str) -> str:
        """The line, or what it answers if the other player asks for something. Raises: Unsure."""
        # Whoever offers a draw that is offered to them agrees, unless they ask whether to.
        if line == "propose" and self.asked is OfferKind.DRAW:
            if "?" in self.text:
                raise Unsure("It is not clear whether you accept the draw. To accept the draw:", "accept")
            line = "accept"
        # "Sure, take it back" grants it, unless it speaks of its writer's own move.
        grants = "?" not in self.text and words("oneself").isdisjoint(plain(self.text).split())
        if line == "undo" and self.asked is OfferKind.UNDO and grants:
            line = "accept"
        # "agreed" may answer whatever was written last, as a yes may.
        if line == "accept" and self.asked is not None and len(self.text.split()) == 1:
            return "yes"
        return line

    def _check_offer(self, line: str) -> None:
        """Raises: Unsure for an answer to another offer than the one that waits: "I accept the draw" of a takeback."""
        said = {called("offers").get(word) for word in plain(self.text).split()} - {None}
        if self.asked is not None and said and self.asked not in said and line in ("accept", "reject", "propose"):
            raise Unsure(f"You are asked for {WISHES[self.asked]}. To agree to that:", "accept")

    def command_in(self, words: str) -> str:
        """The first line of the words that is a command by itself, though it stands among them; "" if none is."""
        others = {*self.request.reading.lines[1:], self.request.reading.late} - {""}
        return next((line for line in map(clean, words.splitlines()) if line in others), "")

    def check_no_command(self, words: str, deed: str) -> None:
        """Raises: Unsure for a command among words, which the other player would read, and nobody carry out.

        deed: what the mail would do otherwise; a move is offered as the answer.
        """
        line = self.command_in(words)
        if not line:
            return
        raise Unsure(
            f'"{line}" stands among your words, so nothing is done. Write commands first, each on a line of its own, '
            "and then your words.",
            candidates=(deed,) if self.board.state.named(deed) is not None else (),
        )

    def check_no_move_below(self) -> None:
        """Raises: Unsure for a move right below another command, such as an offer or a no, which would be lost."""
        deed, _, below = self.text.partition("\n")
        move = self.board.state.named(below.strip().partition("\n")[0].strip(" .!")) if self.is_to_move else None
        if move is not None and self.board.state.named(deed) is None:
            self.ask(Ask((move, deed)))

    def _check_correction(self) -> None:
        """Raises: BadArguments for another move in place of the one just made: "I meant E4"."""
        has_moved = self.is_running and not self.is_to_move and len(self.board.match.record) > 0
        found = [
            phrase for each in sentences(self.text) for phrase in self.surroundings.phrases(each.text, "correction")
        ]
        if has_moved and any(phrase.group for phrase in found):
            raise BadArguments("Your move is made. To ask your opponent whether you may take it back:", "undo")

    def _check_pass(self) -> None:
        """Raises: BadArguments for a pass that loses at once."""
        move = self.board.state.named("pass") if self.is_to_move else None
        result = self.board.state.play(move)[0].result if move else None
        if result is not None and result.winner not in (self.seat, None):
            raise BadArguments('"pass" loses this game at once. If you mean it, answer with nothing else.')

    def _replied(self) -> Reading | None:
        """A yes or no to what the other player asks, or to whether the writer really resigns. Raises: Unsure."""
        said, question = sentences(self.text), self._question
        # "yes, send it" answers this question, and none of the other player's.
        if question is not None and question.text == WORDS_KEPT and len(said) == 1:
            for phrase in self.surroundings.phrases(said[0].text, "kept-back"):
                return Reading.of(phrase.does)
        is_asked = self.asked is not None or (question is not None and question.is_question)
        if not is_asked or not self._is_answer(said):
            return None
        # "Yes... or maybe not" resigned for good.
        if self._is_torn(said):
            raise Unsure('It is not clear whether you agree. Answer with "yes" or "no" and nothing else.')
        # "No, E4" is a move as well, and which of both counts is asked.
        resigns = question is not None and question.text == RESIGN
        return None if isinstance(self.meant, Ask) else self._yes_or_no(said, resigns=resigns)

    def _yes_or_no(self, said: Sequence[Sentence], *, resigns: bool) -> Reading | None:
        """What sentences say that are nothing but an answer. resigns: to whether the writer does. Raises: Unsure."""
        kinds = self._answers(said[0].text)
        if "no" in kinds:
            # "No! Wait, let me think" is none.
            return None if any(says(each.text, "doubt") for each in said[1:]) else Reading.of("no")
        # "sounds good" agrees to what the other player asks, but resigns no game
        agreeing = {"yes"} if resigns else {"yes", "yes gladly"}
        if not agreeing & kinds or "asks" in kinds:
            return None
        self._check_weak(plain(said[0].text.partition(",")[0]), resigns=resigns)
        below = self.text.partition(said[0].text)[2].strip(" ,.!\n")
        return Reading.of("yes", below, "yes")

    def _is_answer(self, said: Sequence[Sentence]) -> bool:
        """Whether the text may be a yes or no in other words than these two, and says nothing else."""
        bare = self.text.strip().rstrip(".!").casefold()
        if not said or bare in ("yes", "no") or "?" in self.text:
            return False
        # "No. You touched it": no reason takes a plain no back.
        if any(phrase.does == "no" and not phrase.is_loose for phrase in phrases(said[0].text, "answer")):
            return True
        return all(is_courteous(each.text) or self._answers(each.text) for each in said[1:])

    def _check_weak(self, said: str, *, resigns: bool) -> None:
        """Raises: Unsure for "ok", which may only say that one has read the offer, where a yes would end the game."""
        if resigns and said in words("weak-yes") | words("no-resignation"):
            raise Unsure("It is not clear whether you resign. If you do:", "yes")
        if not resigns and self.asked is OfferKind.DRAW and said in words("weak-yes"):
            raise Unsure("It is not clear whether you accept the draw. To accept the draw:", "accept")

    def _is_torn(self, said: Sequence[Sentence]) -> bool:
        """Whether a yes and a no stand beside each other: "yes, but not now"."""
        kinds = [self._answers(each.text) for each in said]
        # "of" in "yes of course" is the "or" of another language.
        doubts = [says(each.text, "doubt") and "yes" not in found for each, found in zip(said, kinds, strict=True)]
        is_no = any({"no", "never"} & found for found in kinds) or any(doubts)
        return is_no and "yes" in self._answers(said[0].text.split()[0])

    def _answers(self, sentence: str) -> set[str]:
        """What a sentence answers to a question of the other player's, whom it may address by name."""
        others = [] if self.opponent is None else [self.opponent.userid]
        return set[str]().union(*kinds_in(sentence, others)) - {""}

    @property
    def or_say(self) -> str:
        """A sentence on how to pass the words on all the same; empty if only a robot would get them."""
        return "" if self.rival is not None else f' To write to your opponent, begin with "{CHAT}".'

    def ask(self, meant: Ask) -> None:
        """Ask which reading is meant, so that "yes" does the only one. Raises: Unsure."""
        self._forget()
        readings = meant.readings
        acts = [each for each in readings if each in ACTS]
        # "E5 and a draw?" means both, so a choice between the two would be wrong.
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
        # A yes must do nothing that ends the game, and needs somebody who has shown who they are.
        if acts or self.board.state.named(reading) is None or not self._may_keep():
            raise Unsure(f"It is not clear whether you mean {reading}, so nothing is done. If you do:", reading)
        assert self.seat is not None  # noqa: S101  _may_keep
        # The question comes with the board then.
        self.request.author.player = self.writer
        self.board.intents.keep(Intent(self.seat, IntentKind.SUBMIT, f"{reading}#{self.board.next_ply}", ASKED))
        raise Unsure(
            f"Your email speaks of {reading}, and does not say that you play it.{self.or_say}", candidates=(reading,)
        )

    def _forget(self) -> None:
        """Drop a question about a move once its writer speaks of something else, to which a later yes may belong."""
        waiting = self._question
        if waiting is not None and waiting.comment == ASKED and self._may_keep():
            self.board.intents.drop(waiting)

    def _may_keep(self) -> bool:
        """Whether a question may be kept until it is answered: for the player only who has shown who they are, and only
        in place of an earlier question about their words, never of a move they submitted or of a resignation.
        """
        proven = self.request.sender.proven is not None or self.request.sender.seat is not None
        # Anybody else could have a yes of the player's do what they wrote.
        if self.seat is None or not (self.is_running and proven and self.is_alone):
            return False
        waiting = self._question
        return waiting is None or waiting.comment == ASKED or waiting.text == WORDS_KEPT

    def _words(self, meant: Talk) -> Reading | None:
        """A message to the opponent, if the words can be nothing else. Raises: Unsure, BadArguments."""
        text, about = self.text, meant.about
        # "pass" and "yes" would mean nothing to an opponent who has asked for neither.
        if find(plain(text)) is not None or answers(text):
            return self._answer_to_words()
        self._check_near_verb()
        self._check_heard()
        told = self._told_of_rival(about)
        if told is not None:
            return told
        self._check_wishes(about)
        if meant.is_held or self._may_be_for_us():
            self.hold_back()
            return None
        kept = discreet(text.strip())
        # Without a player there is nobody to answer to, and what is no prose may be a mistyped move.
        if self.writer is None or not (about or is_prose(kept)):
            return None
        self.request.check_no_password()
        self.check_seated()
        return Reading.of(CHAT, kept, self._read_as(about)) if self.may_write(self.writer) else None

    def _may_be_for_us(self) -> bool:
        """Whether the words may be a command with an error, a quote or a notice, at which the other player would wonder
        and which may hold a secret; or answer a question of ours.
        """
        if begins_like_command(self.text) or self.command_in(self.text):
            return True
        if self._question is not None and self._question.comment == ASKED:
            return True
        return _UNSAID.search(in_plain_marks(self.text)) is not None

    def _told_of_rival(self, about: str) -> Reading | None:
        """What the server tells in place of a robot, which reads no words; None if it knows no more."""
        if self.rival is None:
            return None
        if about == "who":
            return Reading.of(f"about {self.rival.userid}")
        if topic(self.text):
            return Reading.of(topic(self.text).replace("GAME", game_named(self.text) or self.board.match.game))
        return about_time(self.request, self.text, about) if about in HELPS else None

    def _check_wishes(self, about: str) -> None:
        """Raises: BadArguments for what words ask of the server, and not of the other player."""
        said = sentences(self.text)
        if any(phrase.does == "never" for each in said for phrase in phrases(each.text, "answer")):
            way_out = '"resign" gives this game up, and' if self.is_running else "This game is over;"
            raise BadArguments(f'You want no more emails. {way_out} "help mails" says how to get fewer, or none.')
        address = next((word for word in plain(self.text).split() if "@" in word), "")
        if address and any(says(each.text, "invites") for each in said):
            game = game_named(self.text) or self.board.match.game
            raise BadArguments("To invite somebody to a game:", f"{game} challenge me {address}")
        if about == "remind":
            raise BadArguments(f"Your opponent is reminded by the server, as they have chosen.{self.or_say}")

    def _answer_to_words(self) -> Reading | None:
        """A yes or no that nothing was asked for, as a message, if the other player's words were the last."""
        said = self.request.tx.remarks.of(RemarkKind.COMMENT, self.board.match.board)[-1:]
        is_theirs = bool(said) and said[0].author != self.writer and self.board.match.offer is None
        # It may answer a question of ours.
        if self.writer is None or self._question is not None:
            return None
        if not is_theirs or not answers(self.text) or not self.may_write(self.writer):
            return None
        return Reading.of(CHAT, self.text.strip(), "a message")

    def _check_near_verb(self) -> None:
        """Raises: Unsure for a first line that is nearly the name of a verb."""
        verb = near_verb(self.text)
        if verb:
            self._forget()
            first = self.text.strip().partition("\n")[0].strip().rstrip(".!").casefold()
            raise Unsure(f'"{first}" is neither a move nor a command. Did you mean "{verb}"?', verb)

    def _check_heard(self) -> None:
        """Raises: Unsure for one or two words that may be a dictated move, in any language: "see three", "sieben"."""
        said = [word for word in plain(self.text).split() if word not in words("requesting")]
        if not 0 < len(said) <= 2:
            return
        # People dictate to their phones.
        letters = [called("letters").get(word, word) for word in said[:-1]]
        cell = "".join([*letters, called("spelt").get(said[-1], said[-1])])
        move = self.board.state.named(cell) if cell != "".join(said) and self.is_running else None
        if move is not None:
            self._forget()
            raise Unsure(f"It is not clear whether you mean {move}. If you do:", move)

    def _read_as(self, about: str) -> str:
        """How a message is read: as a wish that the server could grant, if it is one, or as words to a robot."""
        if self.rival is not None:
            return UNHEARD
        clock = self.board.match.clock
        is_timed = clock is not None and clock.control.timed
        # Where no clock runs, nobody needs a vacation.
        if about == "rest" and is_timed:
            days = vacation_said(self.text, self.request.now)
            return f"vacation {days}" if days else about
        # The wish goes to the opponent, and its writer hears of the command that does it.
        if about in ("who", "undo") or (about in ("time", "rest") and is_timed):
            return about
        # The other player is asked, and the writer is told of a page of help on the same.
        found = topic(self.text) if self.text.rstrip().endswith("?") else ""
        return found if found and found not in words("unhinted") | {"help GAME"} else "a message"

    def hold_back(self) -> None:
        """Ask whether words go to the other player, and keep them until then. Raises: Unsure, BadArguments."""
        if self.opponent is None or self.rival is not None or not self._may_keep() or not is_prose(self.text):
            return
        assert self.seat is not None  # noqa: S101  _may_keep
        self.request.check_no_password()
        # The question comes with the board then.
        self.request.author.player = self.writer
        _keep(self.board, self.seat, self.text)
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
        # Playing it will say what is wrong.
        except MoveError:
            return True

    def check_elsewhere(self, said: str) -> None:
        """Raises: BadArguments if the words name another board where the writer plays."""
        others = [int(number) for number in BOARD.findall(said) if int(number) != self.board.match.board]
        for number in others:
            match = self.request.tx.matches.summary(number)
            if match is not None and match.result is None and self.writer in match.players:
                raise BadArguments(
                    f"Your email speaks of board {number}, too, so nothing is played. Answer the email of each board "
                    "with nothing but what you do there."
                )

    def check_seated(self) -> None:
        """Raises: BadArguments for the words of an onlooker, who may mean the players or other onlookers."""
        if self.seat is None:
            raise BadArguments(
                'Nothing was passed on. To write to the players, begin with "chat"; to others who look on, with '
                '"kibitz".'
            )

    def may_write(self, writer: Player) -> bool:
        """Whether the writer may send the message: programs that answer every mail repeat themselves, or send many."""
        said = self.request.tx.remarks.of(RemarkKind.COMMENT, self.board.match.board)
        if any(remark.author == writer and remark.text.split() == self.text.split() for remark in said):
            return False
        return drawn(self.request.tx, self.request.tools.limits, Act.CHAT, self.request.whose()) is None


def _keep(board: OpenBoard, seat: Seat, words: str) -> None:
    """Keep words until their writer has said whether they go to the other player."""
    board.intents.keep(Intent(seat, IntentKind.SUBMIT, WORDS_KEPT, discreet(words.strip())))


def kept_back(request: Request, board: OpenBoard) -> bool:
    """Whether the mail's words to the players of a board are kept back until their writer, a player, has said that
    they are for the other one: they hold a doubt, are private, or are nearly a command.
    """
    words, writer = unsigned(request.words.of(board.match.board)).strip(), request.author.player
    seat = board.match.seat_of(writer.id) if writer is not None else None
    if not words or writer is None or seat is None:
        return False
    rival = board.match.player(other(seat))
    here = Surroundings(lambda _: None, request.is_player, rival=rival.userid, own=writer.userid)
    holds_secret = any(secret in words for secret in request.secrets)
    if not (holds_secret or _is_doubtful(words, here)) or is_robot(request.tx, rival):
        return False
    # Where they cannot be kept, nobody gets them, and their writer is told.
    if not holds_secret and board.match.result is None:
        _add_to_kept(request, board, seat, words)
    return True


def _is_doubtful(words: str, here: Surroundings) -> bool:
    """Whether words below what is done may not be for the other player, or hold a misspelt verb alone on its line, or a
    line that begins like a command and names a cell: "plan E5 F6".
    """
    lines = words.splitlines()[:_MOST_LINES]
    if any(near_verb(line) in _NEAR_BELOW for line in lines):
        return True
    if any(begins(clean(line).replace(":", " ", 1)) and _CELL.search(line) for line in lines):
        return True
    return is_held(words, here)


def _add_to_kept(request: Request, board: OpenBoard, seat: Seat, words: str) -> None:
    """Keep words with those that are kept already; not in place of another question, and not without a bound."""
    waiting = board.intents.find(seat, IntentKind.SUBMIT)
    if waiting is not None:
        if waiting.text != WORDS_KEPT:
            return
        words = f"{waiting.comment}\n\n{words}"
    if len(words) <= request.tools.house.message_characters:
        request.words.drop(board.match.board)
        _keep(board, seat, words)


_AT_ONCE = ("move", "accept", "resign")
"""Verbs of what cannot be undone by oneself; "move" also stands for a yes."""


def check_sure(request: Request, command: Command, text: str) -> None:
    """Refuse a move or another verb if the words below it take it back, or name a different move or a different board.

    text: what the command does, and the words, if these may say so. Raises: Unsure, BadArguments, and whatever the move
    would raise.
    """
    # "D4" above "oops, not D4" was played for good.
    if not text:
        return
    said = SaidOnBoard(request, request.boards.named(command), text)
    if said.command_in(text):
        request.author.seated(command)
        said.check_no_command(text, command.args.get("MOVE", ""))
    said.check_no_move_below()
    if command.verb.name not in _AT_ONCE:
        return
    # A move above the number of another board of the writer's was played on the board that was answered.
    below = board_below(text)
    if below:
        request.author.seated(command)
        said.check_elsewhere(below)
    if isinstance(said.meant, Ask) and said.meant.is_said and not said.is_turn:
        request.author.seated(command)
        said.ask(said.meant)
