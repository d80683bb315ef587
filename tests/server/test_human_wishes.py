"""Wishes to the server as people write them: none does what was not meant, and each answer leads on."""

from __future__ import annotations

import pytest

from tests.conversation import House

VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def club(house: House) -> House:
    """bob has running games of Cross and Hex, and an ended one."""
    for userid in ("alice", "bob", "dirk"):
        house.player(userid)
    house.game("cross -size=4 alice bob", ["D4"])
    house.game("hex alice bob", ["f6"])
    house.game("hex dirk bob", ["f6"])
    house.answer("bob", "resign!", 103)
    house.send("dirk", "tournament create spring-cup roundrobin hex -players=2..4", Authentication_Results=VOUCHED)
    return house


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I want to play in a ladder", "spring-cup"),
        ("I want to challenge dirk in the ladder", "spring-cup"),
        ("I'd like to join the spring cup", "tournament join spring-cup"),
        ("Quero jogar hex com dirk", "hex challenge me dirk"),
        ("voglio giocare a hex con dirk", "hex challenge me dirk"),
        ("ik wil hex spelen tegen dirk", "hex challenge me dirk"),
        ("what were my last games", "void"),
        ("show my finished games", "void"),
        ("games dirk", "103"),
        ("games active", "Which game"),
        ("export my games please", "export"),
        ("no more puzzles", "set puzzle off"),
        ("cancel my vacation", "vacation end"),
        ("Ik ben terug van vakantie", "vacation end"),
        ("cancel my search", "seek"),
        ("watch board 101", "follow 101"),
        ("I'd like to watch a game of Go", "follow"),
        ("please send mails only once a day", "set digest"),
        ("Ich möchte nur eine Mail am Tag", "set digest"),
        ("resign all my games", "resign"),
        ("puzzle tetris please", "> puzzle tetris please"),
        ("show 102 bitte", "Hex Board 102"),
        ("102 please", "Hex Board 102"),
        ("je serai absent jusqu'à lundi", "vacation"),
    ],
)
@pytest.mark.parametrize("proof", [VOUCHED, ""], ids=["proven", "claimed"])
def test_a_wish_changes_nothing_and_is_answered_by_what_helps(text: str, told: str, proof: str, club: House) -> None:
    before = club.dump()
    got = club.send("bob", "", text, Authentication_Results=proof)
    assert len(got) == 1, [each["Subject"] for each in got]
    assert told in got[0].text
    assert club.dump() == before
    assert not club.parked()


def test_a_refusal_among_several_names_the_board_in_what_it_advises(club: House) -> None:
    club.answer("bob", "undo", 101)
    club.send("bob", "", "102 draw", Authentication_Results=VOUCHED)
    got = club.send("alice", "", "101 undo\n102 pause", Authentication_Results=VOUCHED)[-1]
    assert '"101 accept" or "101 reject"' in got.body
    assert '"102 accept" or "102 reject"' in got.body.replace("\n", " ")
    assert "drawn" in club.answer("alice", "102 accept")[0].body


def test_a_yes_to_a_refused_challenge_joins_and_starts_no_game(club: House) -> None:
    club.send("carl@example.com", "cross challenge me bob@example.net")
    got = club.answer("carl@example.com", "yes please")
    assert [each["Subject"] for each in got] == ["pbm: welcome, carl"]
    assert "Cross Board" in club.answer("carl@example.com", "play")[0]["Subject"]


@pytest.mark.parametrize(
    ("text", "move"),
    [("E5 und ich bin dann weg", "E5"), ("C4 et bonne journée", "C4"), ("C4 et E5", ""), ("oben links", "")],
)
def test_a_move_with_words_of_another_language_behind_it(text: str, move: str, club: House) -> None:
    got = club.answer("bob", text, 101)
    assert (f"bob played {move}." in got[0].body) if move else ("nothing was" in got[0].body)


@pytest.mark.parametrize(
    ("game", "moves", "text", "played"),
    [
        ("crossgeo", [], "#20", "played 20."),
        ("crossgeo", [], "edge #20", "played 20."),
        ("luddit", [], "e5 and c3", "played E5; C3."),
        ("luddit", [], "I place E5 & C3", "played E5; C3."),
        ("four", ["d", "d"], "c again", "played c."),
        ("go -size=9", ["e5", "pass"], "I also pass", "passed."),
    ],
)
def test_odd_notations(game: str, moves: list[str], text: str, played: str, club: House) -> None:
    board = club.game(f"{game} bob alice", moves)
    got = club.answer("bob", text, board)
    assert any(played in each.body for each in got), got[0].body


def test_a_wrong_move_with_an_apology_asks_to_take_it_back(club: House) -> None:
    assert "take back ply 1" in club.answer("alice", "wrong move sorry can I take it back", 101)[0].body
