"""Exports and imports: a player's games and data leave the server and come back the same, byte for byte."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from pbm.cli.output import replayed
from pbm.domain.errors import Rejected
from pbm.features import export
from pbm.server.operator import Administration
from tests.conversation import Got, House, address_of

COMMANDS = (
    "set alice alicepass timezone Europe/Berlin",
    "follow alice alicepass dave",
    "follow alice alicepass {followed}",
    "block alice alicepass erin",
    "cross seek alice alicepass 2 -size=5",
    "cross limit alice alicepass 7",
    "loops notify alice alicepass",
)


@pytest.fixture
def rich(house: House) -> House:
    return house.lived(live)


_EXPORTS: dict[str, bytes] = {}
"""The export of each player of a rich house, made only once because it does not change."""


@pytest.fixture
def exports(new_house: Callable[..., House]) -> dict[str, bytes]:
    if not _EXPORTS:
        house = new_house().lived(live)
        _EXPORTS.update((userid, exported(house, userid)) for userid in ("alice", "bob", "carol", "dave", "erin"))
    return _EXPORTS


def live(house: House) -> None:
    """alice has a bit of everything: games ended, drawn, swapped and running, notes, words, choices, follows."""
    house.players("alice", "bob", "carol", "dave", "erin")
    ended = house.game("cross -size=3 alice bob", ["C3", "swap", "B2"])
    house.answer("bob", "note\nLook at D4.", ended)
    house.answer("alice", "note\nSee A1.\n\nAnd C2, \u00e9.", ended)
    house.answer("bob", "chat\nGood luck!", ended)
    house.answer("alice", "chat\nThank you.", ended)
    house.answer("alice", "resign!", ended)
    house.answer("bob", "resign!", ended)
    drawn = house.game("loops alice carol", ["4x4"])
    house.answer("alice", "propose", drawn)
    house.answer("carol", "accept", drawn)
    running = house.game("luddit bob alice")
    house.answer("alice", "resign!", running)
    followed = house.game("cross -size=4 dave carol", ["C3"])
    for line in COMMANDS:
        assert not any(got.refuses for got in house.send("alice", line.format(followed=followed))), line
    house.send("alice", f"cross kibitz {followed} alice alicepass", "Not bad.")


def exported(house: House, userid: str) -> bytes:
    return Administration(house.service).export_player(userid)


def bare(content: bytes) -> dict[str, Any]:
    """All but the signature, which each server makes with its own secret."""
    return {name: value for name, value in json.loads(content).items() if name != "signature"}


@pytest.mark.parametrize("userid", ["alice", "bob", "carol", "dave", "erin"])
def test_what_comes_back_is_the_same_to_the_byte(
    userid: str, exports: dict[str, bytes], new_house: Callable[..., House]
) -> None:
    written = exports[userid]
    there = new_house()
    Administration(there.service).import_player(written, trusted=True)
    assert bare(exported(there, userid)) == bare(written)
    assert not [each.problem for each in replayed(there.service.store) if each.problem]


@pytest.mark.parametrize("userid", ["alice", "bob", "carol", "dave", "erin"])
def test_what_comes_back_is_enough_to_go_on(
    userid: str, exports: dict[str, bytes], new_house: Callable[..., House]
) -> None:
    there = new_house()
    Administration(there.service).import_player(exports[userid], trusted=True)
    there.send(userid, f"reset password {userid}")
    there.answer(userid, "Sesame-1")
    (got,) = there.send(userid, f"cross games {userid}")
    assert not got.refuses
    assert not there.parked()


def test_a_digest_comes_from_the_new_server(rich: House, new_house: Callable[..., House]) -> None:
    rich.game("cross -size=3 bob carol")
    rich.send("bob", "set bob bobpass digest 08:00")
    there = new_house()
    there.now = rich.now
    Administration(there.service).import_player(exported(rich, "bob"), trusted=True)
    assert [got["Subject"] for got in there.wait(timedelta(days=1))] == ["pbm: 1 board waiting for you, 2 January"]


def test_two_who_played_each_other_come_back_to_the_same_boards(
    exports: dict[str, bytes], new_house: Callable[..., House]
) -> None:
    there = new_house()
    admin = Administration(there.service)
    for userid in ("alice", "bob", "carol", "dave", "erin"):
        assert admin.import_player(exports[userid], trusted=True).renumbered == {}
    for userid in ("alice", "bob", "carol", "dave", "erin"):
        assert bare(exported(there, userid)) == bare(exports[userid])


def test_a_board_whose_number_is_taken_gets_another(exports: dict[str, bytes], new_house: Callable[..., House]) -> None:
    there = new_house()
    there.players("frank", "grace")
    there.game("cross frank grace", ["F6"])
    taken = Administration(there.service).import_player(exports["alice"], trusted=True)
    assert taken.renumbered == {101: 102, 102: 103, 103: 104, 104: 105}
    assert not [each.problem for each in replayed(there.service.store) if each.problem]
    data = json.loads(exported(there, "alice"))
    assert {each["board"] for each in data["remarks"]} <= {each["board"] for each in data["games"]}


def test_who_is_here_is_not_taken_in_again(rich: House) -> None:
    before = rich.dump()
    with pytest.raises(Rejected, match="alice"):
        Administration(rich.service).import_player(exported(rich, "alice"))
    assert rich.dump() == before


def changed(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(values)


def in_game(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["games"][0].update({name: value})


def in_record(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["games"][0]["record"][2].update({name: value})


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (in_record("notation", "Z9"), "cannot be replayed"),
        (in_record("notation", "b2"), "not b2"),
        (in_record("seat", 2), "of 2"),
        (in_record("seat", 300), "neither 1 nor 2"),
        (in_record("seat", -1), "neither 1 nor 2"),
        (in_record("played_at", "soon"), "soon"),
        (in_record("extra", 1), "extra"),
        (in_game("plies", 7), "plies"),
        (in_game("game", "chess"), "chess"),
        (in_game("options", "-size=99"), "size"),
        (in_game("ending", "luck"), "luck"),
        (in_game("ending", "rules"), "hold together"),
        (in_game("players", ["alice"]), "two players"),
        (in_game("players", ["alice", "b b"]), "b b"),
        (in_game("started_at", None), "None"),
        (changed(version=2), "version 2"),
        (changed(format="diary"), "no export"),
        (changed(games={}), "games"),
        (changed(userid="../alice"), "alice"),
        (changed(settings={"timezone": "Moon/Crater"}), "Moon/Crater"),
        (changed(settings={"remind": "often"}), "often"),
        (changed(settings={"digest": "8"}), "digest"),
        (changed(addresses=[{"address": "a@b\r\nBcc: c@d"}]), "address"),
        (changed(remarks=[{"board": 999}]), "999"),
        (lambda data: data.pop("blocks"), "blocks"),
    ],
)
def test_a_file_that_does_not_hold_together_changes_nothing(
    spoil: Callable[[dict[str, Any]], object], told: str, exports: dict[str, bytes], new_house: Callable[..., House]
) -> None:
    data = json.loads(exports["alice"])
    spoil(data)
    there = new_house()
    before = there.dump()
    with pytest.raises(Rejected) as refused:
        Administration(there.service).import_player(json.dumps(data).encode(), trusted=True)
    assert told in str(refused.value)
    assert there.dump() == before


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 100_000, b"[]", b'{"format": "pbm player", "version": 1}'])
def test_what_is_no_export_is_refused(content: bytes, house: House) -> None:
    with pytest.raises(Rejected):
        Administration(house.service).import_player(content)


def attached(got: Got) -> dict[str, bytes]:
    parts = [part for part in got.parsed.walk() if part.get_content_disposition() == "attachment"]
    return {str(part.get_filename()): bytes(part.get_payload(decode=True)) for part in parts}


def test_the_mail_holds_what_the_operator_would_get_and_a_text_for_each_game(rich: House) -> None:
    (got,) = rich.send("alice", "export alice alicepass")
    files = attached(got)
    assert sorted(files) == ["cross-101.txt", "loops-102.txt", "luddit-103.txt", "pbm-alice.json"]
    assert files["pbm-alice.json"] == exported(rich, "alice")
    record = files["cross-101.txt"].decode()
    assert "See A1." in record
    assert "Thank you." in record
    assert "Look at D4." not in record
    assert "Good luck!" not in record


def test_an_export_goes_only_to_an_address_that_is_confirmed(rich: House) -> None:
    mails = rich.send("mallory@example.com", "export alice alicepass")
    assert [got.address for got in mails] == [address_of("alice")]
    assert "mallory" not in mails[0].text


def test_many_games_come_packed(rich: House) -> None:
    for _ in range(21):
        board = rich.game("cross -size=2 alice bob")
        rich.answer("alice", "resign!", board)
    (got,) = rich.send("alice", "export alice alicepass")
    ((name, data),) = attached(got).items()
    assert name == "pbm-alice.zip"
    packed = zipfile.ZipFile(io.BytesIO(data))
    assert packed.read("pbm-alice.json") == exported(rich, "alice")
    assert len(packed.namelist()) == 25


def parts_of(house: House, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, bytes]]:
    """The files of alice's export by mail, for each mail in turn, if a mail may hold little."""
    monkeypatch.setattr(export, "MAX_OCTETS", 1600)
    found, line = [], "export alice alicepass"
    while line:
        (got,) = house.send("alice", line)
        assert not got.refuses, got.body
        found.append(attached(got))
        following = re.search(r" answer: export (\d+)$", got.body, re.MULTILINE)
        line = f"export alice alicepass {following[1]}" if following else ""
    return found


def json_of(files: dict[str, bytes]) -> bytes:
    """The content of the export among the files of a mail."""
    ((name, data),) = [(name, data) for name, data in files.items() if not name.endswith(".txt")]
    if name.endswith(".json"):
        return data
    packed = zipfile.ZipFile(io.BytesIO(data))
    return packed.read(next(each for each in packed.namelist() if each.endswith(".json")))


def test_what_is_too_much_for_a_mail_comes_in_parts_that_can_be_taken_in_together(
    rich: House, new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_, last = (game["board"] for game in json.loads(exported(rich, "alice"))["games"])
    for board in (last, first, last):  # remarks of one part between those of another
        assert not rich.answer("alice", f"note\nAfter all, {board}.", board)[0].refuses
    parts = parts_of(rich, monkeypatch)
    assert len(parts) >= 3
    assert all(sum(map(len, files.values())) <= 1600 for files in parts)
    there = new_house()
    Administration(there.service).import_player(*map(json_of, reversed(parts)), trusted=True)
    whole, back = bare(exported(rich, "alice")), bare(exported(there, "alice"))
    assert back == whole


def test_a_part_reads_few_more_boards_than_it_takes(rich: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(21):
        rich.answer("alice", "resign!", rich.game("cross -size=2 alice bob"))
    read, told_game = list[str](), export.told_game

    def told(*game: Any) -> str:
        read.append(told_game(*game))
        return read[-1]

    monkeypatch.setattr(export, "told_game", told)
    parts = parts_of(rich, monkeypatch)
    assert len(parts) > 9
    assert len(set(read)) == 25
    assert len(read) < 6 * len(parts)


@pytest.mark.parametrize("spoil", ["first", "last", "twice"])
def test_parts_that_are_not_all_there_are_not_taken_in(
    spoil: str, rich: House, new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [json_of(files) for files in parts_of(rich, monkeypatch)]
    there = new_house()
    before = there.dump()
    spoiled = {"first": parts[1:], "last": parts[:-1], "twice": [*parts, parts[1]]}[spoil]
    with pytest.raises(Rejected, match="parts of one export"):
        Administration(there.service).import_player(*spoiled, trusted=True)
    assert there.dump() == before


def test_a_board_that_is_not_there_begins_no_part(rich: House) -> None:
    (got,) = rich.send("alice", "export alice alicepass 999")
    assert got.refuses


def test_tournaments_messages_and_words_of_a_challenge_are_in_it(new_house: Callable[..., House]) -> None:
    house = new_house()
    house.players("alice", "bob", "carol")
    house.send("alice", "event create cup round-robin cross alice alicepass")
    for userid in ("alice", "bob", "carol"):
        house.send(userid, f"event join cup {userid} {userid}pass")
    assert not any(got.refuses for got in house.send("alice", "event start cup alice alicepass"))
    house.wait(timedelta(minutes=1))
    house.send("alice", "message alice alicepass bob carol", "See you on Sunday.")
    house.send("alice", "cross challenge -size=4 alice carol", "Have fun, carol!")
    data = json.loads(exported(house, "alice"))
    (cup,) = data["tournaments"]
    assert (cup["name"], cup["made"], cup["entered"]["left_at"] is None) == ("cup", True, True)
    assert {bout["board"] for bout in cup["bouts"]} <= {None, *(game["board"] for game in data["games"])}
    assert cup["bouts"]
    assert [(each["to"], each["text"]) for each in data["messages"]] == [
        ("bob", "See you on Sunday."),
        ("carol", "See you on Sunday."),
    ]
    assert "Have fun, carol!" in [remark["text"] for remark in data["remarks"]]
    told = json.loads(exported(house, "bob"))
    assert not told["messages"], "another's words are the other's"
    assert "example.net" not in json.dumps([data["tournaments"], data["messages"]])


def test_the_answer_to_an_export_brings_the_next_part(house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    house.send("alice", "export alice open-sesame")
    assert house.answer("alice", "export 101")[0]["Subject"] == "pbm: your games and data, from board 101 on"
