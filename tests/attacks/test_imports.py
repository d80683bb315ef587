"""Files that anybody may have written: what an import accepts if this server has not signed them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from games.rules import GameError
from pbm.domain.errors import Rejected
from pbm.server.intake import take_in
from pbm.server.operator import Administration
from tests.conversation import House, address_of


@pytest.fixture
def home(house: House) -> House:
    return house.lived(win)


def win(house: House) -> None:
    """alice has won a rated game against bob, and carol one against alice."""
    house.players("alice", "bob", "carol")
    for winner, loser in (("alice", "bob"), ("carol", "alice")):
        board = house.game(f"cross -size=3 {winner} {loser}", ["C3", "B2"])
        for player in (loser, loser):
            house.answer(player, "resign!", board)
    house.answer("alice", "chat\nWell played.", 101)


def exported(house: House, userid: str) -> bytes:
    return Administration(house.service).export_player(userid)


def strange(house: House, userid: str) -> bytes:
    """An export as if signed by another server; all houses in these tests have one secret."""
    return changed(exported(house, userid), signature="5" * 64)


def changed(content: bytes, **values: Any) -> bytes:
    return json.dumps(json.loads(content) | values).encode()


def test_a_stranger_s_file_brings_no_ratings_and_no_confirmed_address(
    home: House, new_house: Callable[..., House]
) -> None:
    there = new_house()
    taken = Administration(there.service).import_player(strange(home, "alice"))
    assert (taken.doubted, taken.games, taken.left_out) == (True, 2, ())
    data = json.loads(exported(there, "alice"))
    assert data["ratings"] == []
    assert [address["confirmed_at"] for address in data["addresses"]] == [None]
    assert not any(game["rated"] or game["rating_changes"] for game in data["games"])
    before = there.dump()
    there.send("mallory", "reset password alice")
    assert there.dump() == before


def test_the_real_person_claims_it_by_answering(home: House, new_house: Callable[..., House]) -> None:
    there = new_house()
    Administration(there.service).import_player(strange(home, "alice"))
    (got,) = there.collect()
    assert (got.address, got["Subject"]) == (address_of("alice"), "pbm: please confirm your address")
    there.answer("alice", "yes")
    there.send("alice", "reset password alice")
    there.answer("alice", "Sesame-1", mail=-1)
    (got,) = there.send("alice", "set alice Sesame-1 mail text")
    assert not got.refuses


def test_who_answers_no_gets_nothing_of_it(home: House, new_house: Callable[..., House]) -> None:
    there = new_house()
    Administration(there.service).import_player(strange(home, "alice"))
    there.collect()
    there.answer("alice", "No! Who are you?")
    assert [each["confirmed_at"] for each in json.loads(exported(there, "alice"))["addresses"]] == [None]


@pytest.mark.parametrize("trusted", [False, True])
def test_games_of_a_player_who_is_here_need_the_operators_word(
    trusted: bool, home: House, new_house: Callable[..., House]
) -> None:
    there = new_house()
    there.player("bob")
    before = there.dump()["matches"]
    taken = Administration(there.service).import_player(strange(home, "alice"), trusted=trusted)
    assert taken.left_out == (() if trusted else (101,))
    boards = {game["board"] for game in json.loads(exported(there, "bob"))["games"]}
    assert boards == ({101} if trusted else set())
    assert not before


def test_an_opponent_who_comes_with_a_file_of_their_own_takes_their_place(
    home: House, new_house: Callable[..., House]
) -> None:
    there = new_house()
    admin = Administration(there.service)
    admin.import_player(strange(home, "alice"))
    there.collect()
    (got,) = there.send("mallory", "signup bob a-good-word")
    assert got.refuses, "a name with games is nobody's to take"
    assert admin.import_player(strange(home, "bob")).left_out == ()
    there.collect()
    there.answer("bob", "yes")
    boards = {game["board"] for game in json.loads(exported(there, "bob"))["games"]}
    assert 101 in boards


def erased(house: House, userid: str) -> House:
    """The house without any trace of the player, like a database that was set back."""
    Administration(house.service).remove_player(userid)
    return house


def test_a_file_of_our_own_is_taken_for_what_it_says_and_a_changed_one_is_not(home: House) -> None:
    ours = exported(home, "carol")
    erased(home, "carol")
    forged = changed(ours, userid="mallory")
    admin = Administration(home.service)
    taken = admin.import_player(forged)
    assert taken.doubted
    assert json.loads(exported(home, "mallory"))["ratings"] == []
    assert not admin.import_player(ours).doubted
    assert json.loads(exported(home, "carol"))["ratings"] == json.loads(ours)["ratings"]


@pytest.mark.parametrize("signature", ["", "0" * 64, None, 7, ["x"], "\u00e9"])
def test_no_other_signature_will_do(signature: Any, home: House, new_house: Callable[..., House]) -> None:
    ours = changed(exported(home, "carol"), signature=signature)
    there = new_house()
    assert Administration(there.service).import_player(ours).doubted


RECORD = """pbm record 1
Game: cross 1
Options: -size=3
First: alice
Second: {}
Started: 2026-01-01T12:01:00+00:00
Ended: 2026-01-02T08:30:00+00:00
Result: resigned 2 by resignation

1 C3
"""


def test_nobody_who_is_here_gets_a_game_out_of_a_text(home: House) -> None:
    admin, before = Administration(home.service), home.dump()
    with pytest.raises(Rejected, match="--trust"):
        admin.import_records({"a": RECORD.format("stranger")})
    assert home.dump() == before
    assert admin.import_records({"a": RECORD.format("stranger")}, trusted=True) == {"a": 103}


ODD: list[tuple[str, Any, Any]] = [
    ("userid", None, "\ud800"),
    ("here_since", None, "0001-01-01T00:00:00+23:00"),
    ("remarks", "board", []),
    ("remarks", "text", "\ud800"),
    ("ratings", None, [{
        "game": "cross", "rating": float("inf"), "deviation": 90.0, "volatility": 0.06, "won": 1, "lost": 0, "drawn": 0,
        "rated_at": "2026-01-01T12:01:00+00:00",
    }]),
    ("games", "rematch_of", {"a": 1}),
    ("games", "moved_at", "9999-12-31T23:59:59-23:00"),
    ("games", "decided", [{"seat": 1, "kind": "bob"}]),
    ("addresses", "created_at", "0001-01-01T00:00:00+23:00"),
    ("blocks", None, ["dave", "dave"]),
]  # fmt: skip


@pytest.mark.parametrize(("section", "name", "value"), ODD, ids=[f"{each[0]} {each[1]}" for each in ODD])
def test_what_no_database_holds_is_refused_in_a_sentence(
    section: str, name: str | None, value: Any, home: House, new_house: Callable[..., House]
) -> None:
    """Otherwise each of these ends the command with a traceback, or leaves a rating without bounds."""
    data, there = json.loads(exported(home, "alice")), new_house()
    if name is None:
        data[section] = value
    else:
        data[section][0][name] = value
    before = there.dump()
    with pytest.raises(Rejected, match=r"[Tt]he file|not fit|no instant|does not go"):
        Administration(there.service).import_player(json.dumps(data).encode(), trusted=True)
    assert there.dump() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [("2026-01-02T08:30:00+00:00", "9999-12-31T23:59:59-23:00"), ("Game: cross 1", f"Game: cross {10**30}")],
)
def test_a_record_with_odd_numbers_is_refused_in_a_sentence(old: str, new: str, home: House) -> None:
    before = home.dump()
    with pytest.raises(Rejected):
        Administration(home.service).import_records({"a": RECORD.format("stranger").replace(old, new)}, trusted=True)
    assert home.dump() == before


def test_a_record_in_sgf_that_names_no_game_is_refused_in_a_sentence(home: House) -> None:
    with pytest.raises(Rejected, match="no game"):
        Administration(home.service).import_records({"a": "(;FF[4]PBM[Game: \nOptions:\nResult: x])"})


HOSTILE: list[Any] = [
    None,
    True,
    -1,
    2**70,
    0.5,
    float("nan"),
    "",
    "\0",
    "x" * 10_000,
    [],
    {},
    [[]],
    [{}],
    {"board": 101},
]


def places(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to every value in the data, of lists only to the first item."""
    if way:
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*way, name))


def put(data: Any, way: tuple[str | int, ...], value: Any) -> None:
    *above, last = way
    for name in above:
        data = data[name]
    data[last] = value


def test_whatever_stands_in_a_file_it_is_taken_or_refused_in_a_sentence(
    home: House, new_house: Callable[..., House]
) -> None:
    """Every value of an export in turn is another one; what is refused has changed nothing."""
    content, there = exported(home, "alice"), new_house()
    before, wrong = there.dump(), []
    for number, way in enumerate(places(json.loads(content))):
        for value in HOSTILE[number % 3 :: 3]:
            data = json.loads(content)
            put(data, way, value)
            try:
                with there.service.store.write() as tx:
                    take_in(tx, [json.dumps(data).encode()], trusted=True)
                    tx.players.all()
                    raise _TakenError
            except (Rejected, GameError, _TakenError):
                continue
            except Exception as error:  # noqa: BLE001  all of them are shown
                wrong.append((way, value, repr(error)[:200]))
    assert wrong == []
    assert there.dump() == before


class _TakenError(Exception):
    """Undoes an import that was taken."""


@pytest.mark.parametrize(
    "content", [b"", b"[" * 10**6, b'{"format":' * 10**5, b"\x1f\x8b" + b"\0" * 100, b"\xff" * 1000]
)
def test_what_is_no_export_is_refused_in_a_sentence(content: bytes, home: House) -> None:
    with pytest.raises(Rejected):
        Administration(home.service).import_player(content)


def test_part_of_a_file_is_refused_in_a_sentence(home: House, new_house: Callable[..., House]) -> None:
    content, there = exported(home, "alice"), Administration(new_house().service)
    for length in range(0, len(content), len(content) // 50):
        with pytest.raises(Rejected):
            there.import_player(content[:length], trusted=True)
