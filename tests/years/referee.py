"""The referee of a simulated club: knows what was said and told, reads the tables, and nothing of the program.

Every sentence it gives is a promise that was broken. It has its own rules of clocks, of tables, and of who may do what.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

from tests.years.arithmetic import NEVER, Rating, instant, rated, time_for_a_move
from tests.years.story import Said, Story, Told

_ROBOT, _PLAYED = re.compile(r"robot\d+"), re.compile(r"\bplayed (\S+)\.\n")
_WINDOW, _MOST_OF_A_PAIR = timedelta(days=90), 3  # within which time how many games of the same two are rated
_HOUR, _MOST_ANSWERS = timedelta(hours=1), 40  # within which time how many answers mails without proof cause to one
_SINCE = {"inbox": 1, "outbox": 2}  # the column that says when a row of what others write was made
_WRITTEN = ("inbox", "outbox", "remarks", "intents", "tickets")  # of what people wrote or asked, which may name anybody


class Ply(NamedTuple):
    number: int
    notation: str
    userid: str
    played_at: datetime
    is_automatic: bool
    time_left: timedelta | None


class Board(NamedTuple):
    number: int
    game: str
    players: tuple[str, str]
    plies: list[Ply]
    control: str
    started_at: datetime
    ended_at: datetime
    ending: str | None
    winner: int | None
    is_rated: bool


def broken(story: Story, database: Path) -> Iterator[str]:
    """Whatever promise was broken, in sentences. The club must be at rest."""
    with closing(sqlite3.connect(database)) as tables:
        referee = _Referee(story, tables)
        yield from referee.wrongly_handled()
        yield from referee.too_many_answers()
        yield from referee.forbidden_rows()
        yield from referee.never_asked_for()
        yield from referee.wrong_standings()
        yield from referee.not_erased()
    for board in referee.boards:
        yield from referee.wrongly_played(board)
        if referee.babblers & {*board.players}:
            continue  # they may have asked for all of this in words of their own
        yield from referee.not_told(board)
        yield from referee.told_twice(board)
        yield from referee.wrongly_ended(board)
        if not story.erased.keys() & {*board.players}:  # for with their mails it is gone when those were handled
            yield from referee.wrong_clocks(board)
    yield from story.seen
    yield from referee.wrongly_told()


class _Referee:
    def __init__(self, story: Story, tables: sqlite3.Connection) -> None:
        self.story, self.tables = story, tables
        self.names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids  # the first ones
        self.newcomers = {name for number, name in self.names.items() if number not in story.ids}
        boxes = {story.addresses[name] for name in story.babblers}
        owners = tables.execute("SELECT address, userid FROM addresses JOIN players ON players.id = player_id")
        self.babblers = story.babblers | {userid for address, userid in owners if address in boxes}  # by any name
        self.rows = defaultdict[str, list[tuple[int, str, str]]](list)
        """What came in, by Message-ID: number, state and reason."""
        for number, raw, state, reason in tables.execute("SELECT id, raw, state, reason FROM inbox ORDER BY id"):
            self.rows[str(message_from_bytes(raw)["Message-ID"])[1:-1]].append((number, state, reason))
        times = tables.execute("SELECT received_at, handled_at FROM inbox WHERE handled_at > 0")
        self.handled_at = {instant(received_at): instant(handled_at) for received_at, handled_at in times}
        stops = tables.execute("SELECT player_id, starts_at, ends_at FROM absences WHERE kind <> 'heartbeat'")
        self.stops = [(who and self.names[who], instant(start), instant(end)) for who, start, end in stops if start]
        self.said, self.told = defaultdict[int | None, list[Said]](list), defaultdict[int | None, list[Told]](list)
        for said in story.said:
            self.said[said.board].append(said)
        for told in (*story.told, *story.returned):
            self.told[told.board].append(told)
        self.boards = list(self._boards())

    def _boards(self) -> Iterator[Board]:
        """In the order in which they ended."""
        plies = defaultdict[int, list[Ply]](list)
        for board, number, notation, who, at, auto, left in self.tables.execute(
            "SELECT board, ply, notation, iif(seat = 1, seat1_id, seat2_id), played_at, auto, time_left "
            "FROM plies JOIN matches USING (board) ORDER BY ply"
        ):
            left = None if left is None else timedelta(microseconds=left)
            plies[board].append(Ply(number, notation, self.names[who], instant(at), bool(auto), left))
        for board, game, first, second, control, started_at, ended_at, *result in self.tables.execute(
            "SELECT board, game, seat1_id, seat2_id, control, started_at, ended_at, ending, winner, rated "
            "FROM matches ORDER BY ended_at"
        ):
            players = self.names[first], self.names[second]
            yield Board(board, game, players, plies[board], control, instant(started_at), instant(ended_at), *result)

    def wrongly_handled(self) -> Iterator[str]:
        """What was acknowledged is handled once and answered; who proves who they are is never too much."""
        answered = {number for (number,) in self.tables.execute("SELECT DISTINCT inbox_id FROM outbox")}
        for said in self.story.said:
            rows, words = self.rows[said.key], f'{said.key} by {said.author}, "{said.line}"'
            states = [state for _, state, reason in rows if "handled before" not in reason]
            is_own, is_kept = self.story.addresses.get(said.author) == said.sender, self._is_kept(said)
            if is_own and said.is_proven and any("limit" in reason for _, _, reason in rows):
                yield f"{words}, was too much: {rows}"
            if said.is_torn or not (states or is_kept):
                continue
            is_back = not said.sender and {*states} == {"ignored"}  # and counts for the mail that it was, each time
            if not is_back and states not in (["handled"], ["ignored"]):
                yield f"{words}, is in the inbox as {rows}"
            must_hear = is_own and is_kept and said.author not in self.babblers
            is_unanswered = answered.isdisjoint(number for number, _, _ in rows)
            handled_at = self.handled_at.get(said.safe_at or NEVER, said.written_at)
            if must_hear and is_unanswered and not self.story.is_kept_out(said.author, handled_at):
                yield f"nobody was told anything because of {words}: {rows}"

    def _is_kept(self, said: Said) -> bool:
        """Whether a mail is safe, and not of somebody erased, nor may have named them, nor came after the backup."""
        if said.safe_at is None or _is_in(self.story.restored, said.safe_at):
            return False
        return not any(said.author == userid or said.written_at <= at for userid, at in self.story.erased.items())

    def too_many_answers(self) -> Iterator[str]:
        """What others write in somebody's name causes few answers an hour."""
        forged = {said.key: said.sender for said in self.story.said if said.author not in self.story.addresses}
        causes = {number: forged.get(key) for key, rows in self.rows.items() for number, _, _ in rows}
        asked = defaultdict[str, list[datetime]](list)
        replies = "SELECT inbox_id, created_at, address FROM outbox WHERE reply ORDER BY created_at"
        for number, created_at, address in self.tables.execute(replies):
            if causes.get(number) == address:
                asked[address].append(instant(created_at))
        for address, times in asked.items():
            if any(late - early < _HOUR for early, late in zip(times, times[_MOST_ANSWERS:], strict=False)):
                yield f"{address} got more than {_MOST_ANSWERS} answers in an hour to what others wrote"

    def forbidden_rows(self) -> Iterator[str]:
        """Only what cannot be read is parked, what is owed is sent, and what enemies asked for was not done."""
        refused, babblers, nobody = self.story.refused, self.babblers, set[str]()
        changed = {*babblers, *self.story.erased, *self.story.merged}
        parked = "state = 'parked' AND reason NOT LIKE 'reject:%'"
        settings = """json_patch('{"mail":0,"picture":0}', settings) <> '{"mail":"text","picture":"off"}'"""
        for spared, wrong, query in (  # whom it may be true of, what is wrong, and where it would be found
            (nobody, "mail {1} in the inbox is parked: {2}", f"'', id, reason FROM inbox WHERE {parked}"),
            (refused, "mail {1} to {0} is {2}: {3}", "address, id, state, trouble FROM outbox WHERE state <> 'sent'"),
            (refused, "{0} gets no more mail, and never refused any", "address FROM addresses WHERE suspended_at > 0"),
            (nobody, "{0} is somebody's address now", "address FROM addresses WHERE address LIKE '%evil.example'"),
            (babblers, "{0} blocked somebody, and never wanted that", "player_id FROM blocks"),
            (babblers, "{0} is on vacation, and never wanted that", "player_id FROM absences WHERE kind = 'vacation'"),
            (babblers, "{0} wrote to all, and never wanted that", "player_id FROM broadcasts"),
            (changed, "{0} is gone, and never wanted that", "id FROM players WHERE NOT bot AND removed_at NOT NULL"),
            (changed, "{0} has other settings: {1}", f"id, settings FROM players WHERE NOT bot AND {settings}"),
        ):
            for who, *rest in self.tables.execute(f"SELECT {query}"):
                name = self.names.get(who, who)
                if name not in spared:
                    yield wrong.format(name, *rest)

    def never_asked_for(self) -> Iterator[str]:
        """Nobody plays more boards than they and the other have asked for."""
        own = [said for said in self.story.said if self.story.addresses.get(said.author) == said.sender]
        wanted = Counter(self.story.person(said.author) for said in own if re.search("^seek|challenge", said.line))
        for pair, number in Counter(frozenset(board.players) for board in self.boards).items():
            if not self.babblers & pair and number > sum(wanted[name] for name in pair):
                yield f"{' and '.join(sorted(pair))} play {number} boards, and asked for fewer"

    def wrong_standings(self) -> Iterator[str]:
        """Standings and ratings are those that follow from the boards by Glicko-2, in the order in which they ended."""
        ratings = defaultdict[tuple[str, str], Rating](Rating)
        scores = defaultdict[tuple[str, str], Counter[float]](Counter)
        for board, score in self._results():
            first, second = ((name, board.game) for name in board.players)
            one, two = ratings[first], ratings[second]
            ratings[first] = rated(one, two, score, board.ended_at)
            ratings[second] = rated(two, one, 1 - score, board.ended_at)
            scores[first][score] += 1
            scores[second][1 - score] += 1
        doubtful = {board.game for board in self.boards if _is_in(self.story.leaps, board.ended_at)}
        for number, game, won, lost, drawn, rating, deviation in self.tables.execute(
            "SELECT player_id, game, won, lost, drawn, rating, deviation FROM ratings"
        ):
            name = self.names[number]
            true, own = ratings[name, game], scores.pop((name, game), Counter())
            if (won, lost, drawn) != (own[1.0], own[0.0], own[0.5]):
                yield f"{name} has {won} won, {lost} lost, {drawn} drawn in {game}; the boards say {dict(own)}"
            difference = max(abs(true.value - rating), abs(true.deviation - deviation))
            if difference > 0.01 and game not in doubtful:
                yield f"{name} is rated {rating:.2f} in {game}, and by the boards {true.value:.2f}"
        for (name, game), own in scores.items():
            if name not in self.story.erased:
                yield f"{name} has no standing in {game}; the boards say {dict(own)}"

    def _results(self) -> Iterator[tuple[Board, float]]:
        """The boards that count, and the score of the first player, in the order in which they ended."""
        ended = defaultdict[tuple[str, frozenset[str]], list[datetime]](list)
        for board in self.boards:
            both_moved = len({ply.userid for ply in board.plies}) == 2
            if board.ended_at == NEVER or not board.is_rated or board.ending == "void" or not both_moved:
                continue
            before = ended[board.game, frozenset(board.players)]
            is_one_too_many = sum(board.ended_at - at <= _WINDOW for at in before) >= _MOST_OF_A_PAIR
            if is_one_too_many or any(map(_ROBOT.fullmatch, board.players)):
                continue
            before.append(board.ended_at)
            yield board, 0.5 if board.winner is None else float(board.winner == 1)

    def not_erased(self) -> Iterator[str]:
        """Somebody who was erased is named nowhere any more, but in what others wrote since, and were told of that."""
        tables = self.tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for userid, erased_at in self.story.erased.items():
            address = self.story.addresses[userid]
            names = {address, userid, *self.story.names[userid]} - self.newcomers
            named = "|".join(rf"\b{re.escape(name)}\b" for name in sorted(names))
            for (table,) in tables:
                pattern = re.compile(re.escape(address) if table in _WRITTEN else named)
                for row in self.tables.execute(f"SELECT * FROM {table}"):  # noqa: S608  the database's own names
                    if table in _SINCE and instant(row[_SINCE[table]]) > erased_at:
                        continue
                    cells = [cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell) for cell in row]
                    if pattern.search("\n".join(cells)):
                        yield f"{userid} was erased, and {table} still knows them: {str(row)[:200]}"

    def wrongly_played(self, board: Board) -> Iterator[str]:
        """Each ply was written by its own player, about this board, and counts once; who is kept out does not play."""
        written = defaultdict[tuple[str, str], list[datetime]](list)
        for said in self.said[board.number]:
            written[self.story.person(said.author), said.line.casefold()].append(said.written_at)
        for ply in board.plies:
            who, is_robot = f"board {board.number}, ply {ply.number}: {ply.userid}", _ROBOT.fullmatch(ply.userid)
            if not ply.is_automatic and self.story.is_kept_out(ply.userid, ply.played_at):
                yield f"{who} played, and was kept out"
            if ply.is_automatic or is_robot or ply.userid in self.babblers:
                continue
            own = written[ply.userid, ply.notation.casefold()]
            if not own or own[0] > ply.played_at:
                yield f"{who} never wrote {ply.notation}"
            else:
                own.pop(0)

    def not_told(self, board: Board) -> Iterator[str]:
        """The other player was told of each ply after it was played, and both of the end."""
        if self.story.erased.keys() & {*board.players}:
            return
        addresses = {name: self.story.addresses.get(name) for name in board.players}
        hearers = [name for name, address in addresses.items() if address and address not in self.story.refused]
        for ply in [ply for ply in board.plies if not ply.is_automatic]:
            does = "swapped sides" if ply.notation == "swap" else f"played {ply.notation}"
            sentences = [f"{name} {does}" for name in (ply.userid, *self.story.names[ply.userid])]
            for other in [name for name in hearers if name != ply.userid]:
                heard = self._heard(board, other, ply.played_at)
                if not any(sentence in heard for sentence in sentences):
                    yield f"board {board.number}, ply {ply.number}: {other} never heard that {sentences[0]}"
        end = r"void and counts for nobody|\bwon\b|\bdraw\b|\bdrawn\b"
        for name in hearers:
            if board.ended_at < NEVER and not re.search(end, self._heard(board, name, board.ended_at)):
                yield f"board {board.number}: {name} was never told that it has ended"

    def _heard(self, board: Board, userid: str, since: datetime) -> str:
        """What somebody was told from an instant on, which may be dated too late if the clock was ahead."""
        boxes, since = self.story.mailboxes(userid), since - self.story.ahead
        told = [each for each in self.told[board.number] if each.address in boxes and each.told_at >= since]
        return "\n".join(each.text for each in told)

    def told_twice(self, board: Board) -> Iterator[str]:
        """A ply is told to each of its players in one mail, however often that is sent."""
        told = {(each.address, each.key, each.text) for each in self.told[board.number]}
        if self.story.restored or any(re.search(r"\bt(?:ook|aken) back\b", text) for _, _, text in told):
            return
        played = Counter(ply.notation for ply in board.plies)
        words = Counter((address, notation) for address, _, text in told for notation in _PLAYED.findall(text))
        for (address, notation), number in words.items():
            if number > played[notation]:
                yield f"board {board.number}: {address} was told {number} times that {notation} was played"

    def wrongly_ended(self, board: Board) -> Iterator[str]:
        """Nobody resigns but by their own words, and nobody loses by time before their time is over."""
        if board.ended_at == NEVER or board.number in self.story.voided or {*board.players} & {*self.story.erased}:
            return
        resigned = {self.story.person(said.author) for said in self.said[board.number] if said.line == "resign!"}
        loser = board.players[2 - board.winner] if board.winner else ""
        if board.ending == "resigned" and loser not in resigned:
            yield f"board {board.number} ended as {loser} resigned, who never did"
        if board.ending in ("forfeit", "void") and not resigned:  # who resigns before both have moved makes it void
            begun = max([board.started_at, *(ply.played_at for ply in board.plies)])
            took, allowed = board.ended_at - begun, time_for_a_move(board.control)
            if took < allowed and not _is_in(self.story.leaps, begun):
                yield f"board {board.number} ended by time after {took}, of {allowed} ({board.control})"

    def wrong_clocks(self, board: Board) -> Iterator[str]:
        """What each player had left at each ply follows exactly from the times of mails."""
        said = {said.line.split(" ")[0] for said in self.said[board.number]}
        leaps = [begins for begins, ends in self.story.leaps if board.started_at <= ends]
        if self.story.restored or said & {"undo", "give"} or any(at <= board.ended_at for at in leaps):
            return  # the clock leapt while they played, or the board was set back, or they took back or gave time
        stops = [(begins, ends) for who, begins, ends in self.stops if who is None or who in board.players]
        allowed, begun = time_for_a_move(board.control), board.started_at
        given_until = dict.fromkeys(board.players, begun)
        for ply in board.plies:
            # A mail counts from when it came, but what is given before it is handled is given for that move, too.
            handled_at = max(ply.played_at, self.handled_at.get(ply.played_at, ply.played_at))
            gifts = [gift for at, gift in self.story.gifts if given_until[ply.userid] < at <= handled_at]
            stood_still = [min(ends, ply.played_at) - max(begins, begun) for begins, ends in stops]
            most = sum(gifts, allowed) - (ply.played_at - begun)
            had = sum((max(time, timedelta()) for time in stood_still), most)
            if ply.time_left is not None and not max(most, timedelta()) <= ply.time_left <= max(had, timedelta()):
                yield f"board {board.number}, ply {ply.number}: {ply.userid} had {had} left, and not {ply.time_left}"
            given_until[ply.userid] = begun = handled_at

    def wrongly_told(self) -> Iterator[str]:
        """What only one may read, or enemies wrote in a name, is told to nobody else; a mail sent again is the same."""
        owners = {mark: self.story.mailboxes(self.story.person(userid)) for mark, userid in self.story.secrets.items()}
        boxes = {box: self.story.mailboxes(self.story.person(name)) for name, box in self.story.addresses.items()}
        for said in self.story.said:
            owners.update((m, boxes.get(said.sender, {said.sender})) for m in re.findall(r"\bevil\w+x\b", said.line))
        texts = dict[tuple[str, str], str]()
        for told in self.story.told:
            for mark in re.findall(r"\b(?:secret\d+x|evil\w+x)\b", told.text):
                if told.address not in owners.get(mark, set()):
                    yield f"{told.address} was told {mark} in {told.key}"
            if texts.setdefault((told.address, told.key), told.text) != told.text:
                yield f"{told.key} to {told.address} came with two texts"


def _is_in(spans: list[tuple[datetime, datetime]], at: datetime) -> bool:
    return any(begins <= at <= ends for begins, ends in spans)
