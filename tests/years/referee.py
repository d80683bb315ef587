"""The referee of a simulated club: knows what was said and told, reads the tables, and nothing of the program.

Every sentence it gives is a promise that was broken. It has its own rules of clocks, of tables, and of who may do what.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path

from tests.years.arithmetic import NEW, Board, Clocks, Ply, Rating, aged, instant, long, rated, time_for_a_move
from tests.years.story import Said, Story, Told

_BY_TIME = frozenset({"forfeit", "void"})
ROBOTS = re.compile(r"robot\d+")
_PLAYED = re.compile(r"\bplayed (\S+)\.\n")
_TAKEN_BACK = re.compile(r"\bt(?:ook|aken) back\b")
_END = re.compile(r"void and counts for nobody|\bwon\b|\bdraw\b|\bdrawn\b")
_WINDOW, _MOST_OF_A_PAIR = timedelta(days=90), 3
"""How many games of the same two players are rated within which time."""
_WRITTEN = frozenset({"inbox", "outbox", "remarks", "intents"})
"""Tables of what people wrote, which may name anybody."""
_ANSWERS_AN_HOUR = 20
"""How many answers mails that prove nothing cause to one address, at most, in an hour."""


def broken(story: Story, database: Path) -> Iterator[str]:
    """Whatever promise was broken, in sentences. The club must be at rest."""
    said, told = defaultdict[int | None, list[Said]](list), defaultdict[int | None, list[Told]](list)
    for word in story.said:
        said[word.board].append(word)
    for mail in (*story.told, *story.returned):
        told[mail.board].append(mail)
    with closing(sqlite3.connect(database)) as tables:
        boards = list(_boards(story, tables))
        clocks = Clocks(story, tables)
        yield from _not_handled_once(story, tables)
        yield from _not_delivered(story, tables)
        yield from _nobody_answered(story, tables)
        yield from _changed_by_others(story, tables)
        yield from _never_asked_for(story, boards)
        yield from _tables_differ(story, tables, boards)
        yield from _ratings_differ(story, tables, boards)
        yield from _starved(story, tables)
        yield from _not_erased(story, tables)
    for board in boards:
        yield from _played_when_kept_out(story, board)
        yield from _not_played_by_its_player(story, board, said[board.number])
        if story.babblers & {*board.players}:
            continue  # they may have asked for all of this in words of their own
        yield from _not_told(story, board, told[board.number])
        yield from _told_twice(story, board, told[board.number])
        yield from _ended_wrongly(story, board, said[board.number])
        if not any(word.line.split(" ")[0] in ("undo", "give") for word in said[board.number]):
            yield from clocks.differ(board)
    yield from story.seen
    yield from _leaked(story)
    yield from _told_differently(story)


def _boards(story: Story, tables: sqlite3.Connection) -> Iterator[Board]:
    """With the userids that players had first."""
    names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids
    rows = tables.execute(
        "SELECT board, game, seat1_id, seat2_id, options, control, started_at, ended_at, ending, winner, rated "
        "FROM matches ORDER BY ended_at"
    )
    for board, game, first, second, options, control, started_at, ended_at, ending, winner, counts in rows:
        players = names[first], names[second]
        found = tables.execute(
            "SELECT ply, notation, seat, played_at, auto, time_left FROM plies WHERE board = ? ORDER BY ply", (board,)
        )
        plies = tuple(
            Ply(ply, text, players[seat - 1], instant(at), bool(auto), None if left is None else long(left))
            for ply, text, seat, at, auto, left in found
        )
        yield Board(
            board, game, players, options, control, instant(started_at), instant(ended_at) if ended_at else None,
            ending, winner, bool(counts), (first, second), plies,
        )  # fmt: skip


def _by_key(tables: sqlite3.Connection) -> dict[str, list[tuple[int, str, str]]]:
    """The rows of what came in, by Message-ID: number, state and reason."""
    rows: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for number, raw, state, reason in tables.execute("SELECT id, raw, state, reason FROM inbox ORDER BY id"):
        rows[str(message_from_bytes(raw)["Message-ID"])[1:-1]].append((number, state, reason))
    return rows


def _not_handled_once(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """What was acknowledged is handled exactly once; nothing is parked but what cannot be read."""
    rows = _by_key(tables)
    parked = "SELECT id, reason FROM inbox WHERE state = 'parked' AND reason NOT LIKE 'reject:%'"
    for number, reason in tables.execute(parked):
        yield f"mail {number} in the inbox is parked: {reason}"
    for said in story.said:
        if said.is_torn:
            continue
        states = [state for _, state, reason in rows[said.key] if "handled before" not in reason]
        if not states and (said.safe_at is None or _is_forgotten(story, said)):
            continue
        if not said.sender and set(states) == {"ignored"}:
            continue  # what came back counts for the mail that it was, however often it comes
        if len(states) != 1 or states[0] not in ("handled", "ignored"):
            yield f'{said.key} by {said.author}, "{said.line}", is in the inbox as {rows[said.key]}'


def _not_delivered(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """What is owed is sent, if nothing has failed for a while, except to those whose mail servers refuse them."""
    for number, address, state, trouble in tables.execute(
        "SELECT id, address, state, trouble FROM outbox WHERE state <> 'sent'"
    ):
        if address not in story.refused:
            yield f"mail {number} to {address} is {state}: {trouble}"


def _nobody_answered(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """Whoever writes in their own name gets an answer, or somebody else does."""
    rows = _by_key(tables)
    answered = {number for (number,) in tables.execute("SELECT DISTINCT inbox_id FROM outbox")}
    for said in story.said:
        if said.is_torn or said.author in story.babblers:
            continue  # what they say may be a mail that is never answered
        is_own = story.addresses.get(said.author) == said.sender
        if not is_own or said.safe_at is None or _is_forgotten(story, said):
            continue
        if any(name == said.author and begins < said.written_at < ends for name, begins, ends in story.kept_out):
            continue  # they are told so once a day
        if not any(number in answered for number, _, _ in rows[said.key]):
            yield f'nobody was told anything because of {said.key} by {said.author}, "{said.line}": {rows[said.key]}'


def _is_forgotten(story: Story, said: Said) -> bool:
    """Whether a mail may be gone: it is of somebody erased, or may have named them, or came after the backup."""
    if said.safe_at is not None and any(begins <= said.safe_at <= ends for begins, ends in story.restored):
        return True
    return any(said.author == userid or said.written_at <= at for userid, at in story.erased.items())


def _not_played_by_its_player(story: Story, board: Board, about: list[Said]) -> Iterator[str]:
    """Each ply was written by its own player, about this board, and counts once."""
    written: dict[str, list[Said]] = defaultdict(list)
    for said in about:
        written[f"{story.person(said.author)} {said.line.casefold()}"].append(said)
    for ply in board.plies:
        if ply.is_automatic or ROBOTS.fullmatch(ply.userid) or ply.userid in story.babblers:
            continue
        own = written[f"{ply.userid} {ply.notation.casefold()}"]
        earlier = [said for said in own if said.written_at <= ply.played_at]
        if not earlier:
            yield f"board {board.number}, ply {ply.number}: {ply.userid} never wrote {ply.notation}"
        else:
            own.remove(earlier[0])


def _hearers(story: Story, board: Board, but: str = "") -> list[str]:
    """The players of a board who can be told of it."""
    if story.erased.keys() & {*board.players}:
        return []
    known = [name for name in board.players if name != but and name in story.addresses]
    return [name for name in known if story.addresses[name] not in story.refused]


def _not_told(story: Story, board: Board, told: list[Told]) -> Iterator[str]:
    """The other player was told of each ply after it was played, and both of the end."""
    for ply in board.plies:
        if ply.is_automatic:
            continue
        does = "swapped sides" if ply.notation == "swap" else f"played {ply.notation}"
        sentences = [f"{name} {does}" for name in (ply.userid, *story.names[ply.userid])]
        for other in _hearers(story, board, but=ply.userid):
            heard = _texts(story, told, other, ply.played_at)
            if not any(sentence in text for text in heard for sentence in sentences):
                yield f"board {board.number}, ply {ply.number}: {other} never heard that {sentences[0]}"
    if board.ended_at is not None:
        for name in _hearers(story, board):
            if not any(_END.search(text) for text in _texts(story, told, name, board.ended_at)):
                yield f"board {board.number}: {name} was never told that it has ended"


def _texts(story: Story, told: list[Told], userid: str, since: datetime) -> list[str]:
    """What somebody was told from an instant on, which may be dated too late if the clock was ahead."""
    boxes = story.mailboxes(userid)
    return [each.text for each in told if each.address in boxes and each.told_at >= since - story.ahead]


def _told_twice(story: Story, board: Board, told: list[Told]) -> Iterator[str]:
    """A ply is told to each of its players in one mail, however often that is sent."""
    words = Counter[tuple[str, str]]()
    for address, _, text in {(each.address, each.key, each.text) for each in told}:
        words.update((address, sentence) for sentence in _PLAYED.findall(text))
    played = Counter(ply.notation for ply in board.plies)
    taken_back = any(_TAKEN_BACK.search(each.text) for each in told)
    for (address, notation), number in words.items():
        if number > played[notation] and not taken_back and not story.restored:
            yield f"board {board.number}: {address} was told {number} times that {notation} was played"


def _ended_wrongly(story: Story, board: Board, said: list[Said]) -> Iterator[str]:
    """Nobody resigns but by their own words, and nobody loses by time before their time is over."""
    if board.ended_at is None or board.number in story.voided or {*board.players} & {*story.erased}:
        return
    words = [(story.person(each.author), each.line) for each in said]
    if board.ending == "resigned":
        loser = board.players[2 - board.winner] if board.winner else ""
        if (loser, "resign!") not in words:
            yield f"board {board.number} ended as {loser} resigned, who never did"
    # Whoever resigns before both have moved makes the game void.
    if board.ending in _BY_TIME and "resign!" not in {line for _, line in words}:
        begun = max([board.started_at, *(ply.played_at for ply in board.plies)])
        allowed = time_for_a_move(board.control)
        is_misdated = any(begins <= begun <= ends for begins, ends in story.leaps)
        if board.ended_at - begun < allowed and not is_misdated:
            yield f"board {board.number} ended by time after {board.ended_at - begun}, of {allowed} ({board.control})"


def _changed_by_others(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """What enemies asked for in others' names has not been done."""
    for (address,) in tables.execute("SELECT address FROM addresses WHERE address LIKE '%evil.example'"):
        yield f"{address} is somebody's address now"
    for (address,) in tables.execute("SELECT address FROM addresses WHERE suspended_at IS NOT NULL"):
        if address not in story.refused:
            yield f"{address} gets no more mail, and never refused any"
    yield from _players_changed(story, tables)
    for what, table in (
        ("blocked somebody", "blocks"),
        ("is on vacation", "(SELECT player_id FROM absences WHERE kind = 'vacation')"),
        ("wrote to all", "broadcasts"),
    ):
        query = f"SELECT players.id FROM {table} JOIN players ON players.id = player_id"  # noqa: S608  names of this file
        for name in [story.ids[number] for (number,) in tables.execute(query)]:
            if name not in story.babblers:
                yield f"{name} {what}, and never wanted that"


def _players_changed(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    for number, removed_at, settings in tables.execute("SELECT id, removed_at, settings FROM players WHERE NOT bot"):
        name = story.ids[number]
        if name in story.erased or name in story.babblers or name in story.merged:
            continue
        if removed_at is not None:
            yield f"{name} is gone, and never wanted that"
        if json.loads(settings) != {"mail": "text", "picture": "off"}:
            yield f"{name} has other settings: {settings}"


def _never_asked_for(story: Story, boards: list[Board]) -> Iterator[str]:
    """Nobody plays more boards than they and the other have asked for."""
    wanted = Counter(story.person(said.author) for said in story.said if story.addresses.get(said.author) == said.sender
                     and ("challenge" in said.line or said.line.startswith("seek")))  # fmt: skip
    begun = Counter(frozenset(board.players) for board in boards if not story.babblers & {*board.players})
    for pair, number in begun.items():
        if number > sum(wanted[name] for name in pair):
            yield f"{' and '.join(sorted(pair))} play {number} boards, and asked for fewer"


def _played_when_kept_out(story: Story, board: Board) -> Iterator[str]:
    """Who is kept out does not play."""
    for ply in board.plies:
        for userid, begins, ends in story.kept_out:
            if userid == ply.userid and begins < ply.played_at < ends and not ply.is_automatic:
                yield f"board {board.number}, ply {ply.number}: {ply.userid} played, and was kept out"


def _not_erased(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """Somebody who was erased is named nowhere any more, but in what others wrote since, and were told of that."""
    for userid, erased_at in story.erased.items():
        address = story.addresses[userid]
        named = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in (address, userid, *story.names[userid])))
        is_forged = any(said.sender == address and said.written_at > erased_at for said in story.said)
        for (table,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if is_forged and table in ("inbox", "outbox"):
                continue
            pattern = re.compile(re.escape(address)) if table in _WRITTEN else named
            for row in tables.execute(f"SELECT * FROM {table}"):  # noqa: S608  the database's own names
                if any(pattern.search(_text(cell)) for cell in row):
                    yield f"{userid} was erased, and {table} still knows them: {str(row)[:200]}"


def _text(cell: object) -> str:
    return cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)


def _results(story: Story, boards: list[Board]) -> Iterator[tuple[Board, dict[str, float]]]:
    """The boards that count, and the score of each of their players, in the order in which they ended."""
    ended = defaultdict[tuple[str, frozenset[str]], list[datetime]](list)
    for board in boards:
        both_moved = len({ply.userid for ply in board.plies}) == 2
        if board.ended_at is None or not board.is_rated or board.ending == "void" or not both_moved:
            continue
        if any(map(ROBOTS.fullmatch, board.players)):
            continue
        before = ended[board.game, frozenset(board.players)]
        if sum(board.ended_at - at <= _WINDOW for at in before) >= _MOST_OF_A_PAIR:
            continue
        before.append(board.ended_at)
        first = 0.5 if board.winner is None else float(board.winner == 1)
        yield board, dict(zip(board.players, (first, 1 - first), strict=True))


def _tables_differ(story: Story, tables: sqlite3.Connection, boards: list[Board]) -> Iterator[str]:
    """The tables of won, lost and drawn games are those of the boards."""
    counted: dict[tuple[str, str], Counter[float]] = defaultdict(Counter)
    for board, scores in _results(story, boards):
        for name, score in scores.items():
            counted[name, board.game][score] += 1
    names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids
    for number, game, won, lost, drawn in tables.execute("SELECT player_id, game, won, lost, drawn FROM ratings"):
        name = names[number]
        own = counted.pop((name, game), Counter())
        if (won, lost, drawn) != (own[1.0], own[0.0], own[0.5]):
            yield f"{name} has {won} won, {lost} lost, {drawn} drawn in {game}; the boards say {dict(own)}"
    for (name, game), own in counted.items():
        if name not in story.erased:
            yield f"{name} has no standing in {game}; the boards say {dict(own)}"


def _ratings_differ(story: Story, tables: sqlite3.Connection, boards: list[Board]) -> Iterator[str]:
    """Ratings are those that follow from the boards by Glicko-2, in the order in which they ended."""
    found, at = dict[tuple[str, str], Rating](), dict[tuple[str, str], datetime]()
    doubtful = {board.game for board in boards if _is_of_a_leap(story, board.ended_at)}
    for board, scores in _results(story, boards):
        assert board.ended_at is not None
        first, second = ((name, board.game) for name in board.players)
        one, two = (aged(found.get(key, NEW), board.ended_at - at.get(key, board.ended_at)) for key in (first, second))
        found[first] = rated(one, two, scores[board.players[0]])
        found[second] = rated(two, one, scores[board.players[1]])
        at[first] = at[second] = board.ended_at
    names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids
    for number, game, rating, deviation in tables.execute("SELECT player_id, game, rating, deviation FROM ratings"):
        own = found.get((names[number], game), NEW)
        if game not in doubtful and (abs(own[0] - rating) > 0.01 or abs(own[1] - deviation) > 0.01):
            yield f"{names[number]} is rated {rating:.2f} in {game}, and by the boards {own[0]:.2f}"


def _is_of_a_leap(story: Story, at: datetime | None) -> bool:
    return at is not None and any(begins <= at <= ends for begins, ends in story.leaps)


def _starved(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """Whoever proves who they are is not put off for what others write in their name, who cause few answers an hour."""
    rows = _by_key(tables)
    asked, written = defaultdict[str, list[datetime]](list), {said.key: said for said in story.said}
    for said in story.said:
        if (
            said.is_proven
            and story.addresses.get(said.author) == said.sender
            and any("limit" in reason for _, _, reason in rows[said.key])
        ):
            yield f'{said.key} by {said.author}, "{said.line}", was too much: {rows[said.key]}'
    keys = {number: key for key, found in rows.items() for number, _, _ in found}
    for number, created_at, address in tables.execute(
        "SELECT inbox_id, created_at, address FROM outbox WHERE reply ORDER BY created_at"
    ):
        word = written.get(keys.get(number, ""))
        if word is not None and word.sender == address and word.author not in story.addresses:
            lately = [at for at in asked[address] if at > instant(created_at) - timedelta(hours=1)]
            asked[address] = [*lately, instant(created_at)]
            if len(lately) == 2 * _ANSWERS_AN_HOUR:
                yield f"{address} got more than {len(lately)} answers in an hour to what others wrote"


def _leaked(story: Story) -> Iterator[str]:
    """What only one may read is in no mail to others, and what enemies wrote in a name in none but to that name."""
    owners = {mark: story.mailboxes(story.person(userid)) for mark, userid in story.secrets.items()}
    for said in story.said:
        for mark in re.findall(r"\bevil\w+x\b", said.line):
            owners[mark] = {said.sender}
    for told in story.told:
        for mark in re.findall(r"\b(?:secret\d+x|evil\w+x)\b", told.text):
            if told.address not in owners.get(mark, set()):
                yield f"{told.address} was told {mark} in {told.key}"


def _told_differently(story: Story) -> Iterator[str]:
    """A mail that is sent again is the same mail."""
    texts: dict[tuple[str, str], str] = {}
    for told in story.told:
        if texts.setdefault((told.address, told.key), told.text) != told.text:
            yield f"{told.key} to {told.address} came with two texts"
