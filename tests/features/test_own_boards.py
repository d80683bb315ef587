"""Boards that a challenger draws: read in all usual forms, or refused with a sentence; no number is ever dropped."""

from __future__ import annotations

from email.message import EmailMessage
from itertools import cycle

import pytest

from games import GAMES
from games.crossgeo_boards import own_graph
from pbm.server import Arriving
from tests.conversation import ROBOT, Got, House, record
from tests.features.test_play import one
from tests.games.variants import EACH


@pytest.fixture
def club(house: House) -> House:
    house.players("alice", "bob")
    return house


def body_of(house: House, board: int = 101) -> str:
    with house.service.store.read() as tx:
        match = tx.matches.load(board)
    assert match is not None
    return match.body


GRAPHS = [
    "0,0 10,10 red\n0,10 10,0 blue",
    "(0,0)-(10,10) r\n(0,10)-(10,0) b",
    "0 0 10 10 red\n0 10 10 0 blue",
    "red 0,0 10,10\nblue 0,10 10,0",
    "A 0,0\nB 10,10\nC 0,10\nD 10,0\nA-B red\nC-D blue",
    "A=(0,0)\nB=(10,10)\nC=(0,10)\nD=(10,0)\nA B r\nblue C-D",
    "A 0,0\nB 10,10\nC 0,10\nD 10,0\n\nA-B: red\nblue: C-D",
    "A 0,0\nB 10,10\nC 0,10\nD 10,0\nR: A-B\nC-D: blue",
    "red edges:\n0,0 10,10\nBlue:\n0,10 10,0",
    "R:\n0,0 10,10\nblue lines\n0,10 10,0",
    "0 0 10 10 r\n0 10 10 0 b",
    "120 400 310 230 r\n110 220 330 400 b",
    "1. red (0,0) to (10,10)\n2. blue (0,10) to (10,0)",
    "Points:\nA(0,0) B(10,10)\nC = (0|10), D = (10|0)\nEdges:\n- A to B in red\n- and C–D (blue)",
    "A 0,0; B 10,10; C 0,10; D 10,0\nred edges: AB\nblue edges: CD",
    "0,0 10,10 red; blue 0,10 10,0",
    "edge 1: 0,0 – 10,10 – red\nedge 2: 0;10 10;0 blue",
]


@pytest.mark.parametrize("greeting", ["", "Hello Bob!\n", "Hello Bob!\n\n"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_a_graph_is_read_as_people_write_it(club: House, graph: str, greeting: str) -> None:
    mails = club.send("alice", "crossgeo challenge alice bob", f"{greeting}{graph}\n\nHave fun.")
    assert body_of(club) == graph
    assert own_graph(body_of(club), None).colours == "rb"
    said = "Hello Bob!\n\n  Have fun." if greeting else "Have fun."
    assert any(said in mail.body for mail in mails)


@pytest.mark.parametrize(
    ("game", "body", "why"),
    [
        ("crossgeo", "0,0 10,10 purple", "Line 1 of your graph"),
        ("crossgeo", "Hi!\n0,0 10,10 red\n0,10 10;", "Line 2 of your graph"),
        ("crossgeo", "0,0 10,10\n0,0 -5,3", "goes below 0"),
        ("crossgeo", "A 0,0\nB 1,1\nA-C", "names a point C"),
        ("crossgeo", "0,0 10,10\n\nHave fun.\n\nA-C: red", "Line 3 of your graph"),
        ("crossgeo", "0,0 10,10\nand the other diagonal", "Line 2 of your graph"),
        ("crossgeo", "0,0 10,10\nred:", "Line 2 of your graph"),
        ("crossgeo", "0,0 10,10\nred\n0,10 10,0", "Line 2 of your graph"),
        ("crossgeo", "Hello!\nThe edges in red are:\n0,0 10,10", "Line 1 of your graph"),
        ("crossgeo", "These are red\n0,0 10,10", "Line 1 of your graph"),
        ("crossgeo", "rote Kanten:\n0,0 10,10\nblaue Kanten:\n0,10 10,0", "Line 1 of your graph"),
        ("crossgeo", "Hallo Bob!\n\n0,0 10,10 rot\n0,10 10,0", "Line 1 of your graph"),
        ("crossgeo", "rote Kanten:\n\n0,0 10,10", 'Line 1 below your challenge, "rote Kanten:"'),
        ("crossgeo", "0,0 10,10\n\nbleu\n\n0,10 10,0", "Line 3 of your graph"),
        ("polygon", "Die Ecken:\n0,0 40,0\n50,30 10,40", "Line 1 of your polygon"),
        ("crossgeo", "Hello Bob!\na-b red\nc-d blue", "Line 1 of your graph"),
        ("crossgeo", "a-b purple", "Line 1 of your graph"),
        ("crossgeo", "AB CD EF", "Line 1 of your graph"),
        ("crossgeo", "Hello!\nAB\nBC\nCA", "Line 1 of your graph"),
        ("crossgeo", "Edges: ab, cd, be", "Line 1 of your graph"),
        ("crossgeo", "ab cd", "Line 1 of your graph"),
        ("crossgeo", "a b\nc d", "Line 1 of your graph"),
        ("crossgeo", "graph { a -- b; c -- d }", "Line 1 of your graph"),
        ("crossgeo", "A 0,0\nA 5,0\nB 9,9\nA-B", 'Line 2 of your graph, "A 5,0", places A once more, after line 1.'),
        ("crossgeo", "A 0,0\nB 9,9\nC 7,0\nA-B", 'Line 3 of your graph, "C 7,0", places a point of no edge.'),
        ("crossgeo", "0\n10\n10\n0", "Line 1 below your challenge"),
        ("crossgeo", "connect (0,0) with (10,10) in red please", "Line 1 below your challenge"),
        ("crossgeo", "point a is at 0,0", "Line 1 below your challenge"),
        ("crossgeo", "Hi Bob!\nedges: 7", 'Line 2 below your challenge, "edges: 7", was not understood'),
        ("crossgeo", "-board=fair", "Line 1 below your challenge"),
        ("crossgeo", "0,0 10,10.5", "Line 1 of your graph"),
        ("crossgeo", "-5,0 10,10", "in whole numbers from 0 on"),
        ("polygon", "(0,0) (2,0) (3,2) (2,4) (-1,2)", "whole numbers from 0 to 9999"),
        ("polygon", "0,0 40,0 40.5,40 0,40", "whole numbers from 0 to 9999"),
        ("polygon", "0,0 1000000,0 40,40", "whole numbers from 0 to 9999"),
        ("polygon", "0,0 40,0 10,10 10,40", "is not convex at"),
        ("polygon", "0,0 40,0 55,27 40,0 38,50", "names (40,0) twice"),
        ("polygon", "Hi Bob!\n\n0\n40\n55", 'Line 3 below your challenge, "0"'),
        ("polygon", "sides: 7", "such as -sides=N or --clock=7d"),
        ("polygon", "Hi Bob!\n\nseed 5", 'Line 3 below your challenge, "seed 5"'),
        ("crossgeo", "ab 12 cd 34", "Line 1 below your challenge"),
        ("crossgeo", "seed 5", 'Line 1 below your challenge, "seed 5"'),
        ("polygon", "-regular", 'Line 1 below your challenge, "-regular"'),
        ("cross", "-size=5", 'Line 1 below your challenge, "-size=5"'),
        ("hex", "Hello!\n7x7 please", 'Line 2 below your challenge, "7x7 please"'),
        ("hex", "3 days a move, please", 'Line 1 below your challenge, "3 days a move, please"'),
        ("hex", "0 0\n10 0\n10 10", 'Line 1 below your challenge, "0 0"'),
        ("hex", "Hello!\n\nunrated", 'Line 3 below your challenge, "unrated"'),
        ("polygon", "2,0 6,0 8,3\n6,6 2,6 0,3", "three diagonals meet in one point: (0,3)-(8,3) and (2,0)-(6,6)"),
        ("polygon", "0,0 9,0\n1.5,2 3,4\n5,5", "is not a list of points"),
        ("polygon", "0,0 40,0 50", "Line 1 below your challenge"),
        ("polygon -seed=3", "0,0 40,0 50,30 10,40", '"-seed" and a polygon in the body exclude each other'),
        ("polygon -regular -sides=6", "", "diagonals meet in the middle"),
    ],
)
def test_what_cannot_be_a_board_starts_nothing_and_the_fault_is_named(
    club: House, game: str, body: str, why: str
) -> None:
    name, *options = game.split()
    (mail,) = club.send("alice", " ".join([name, "challenge", *options, "alice", "bob"]), body)
    assert why in one([mail])
    with club.service.store.read() as tx:
        assert tx.matches.load(101) is None
    (mail,) = club.send(
        "alice", "", f"{' '.join([name, 'challenge', *options, 'alice', 'bob'])} alice alicepass\n{body}"
    )
    assert why in one([mail])


@pytest.mark.parametrize("graph", ["0,0 10,10\n0,10 10,0", "Good luck!"])
@pytest.mark.parametrize("end", ["-- \nAlice, room 4-12", "Regards\nAlice Smith\nTel. 555-7788"])
def test_a_signature_is_no_part_of_a_graph(club: House, graph: str, end: str) -> None:
    club.send("alice", "crossgeo challenge alice bob", f"{graph}\n{end}")
    assert body_of(club) == ("" if graph == "Good luck!" else graph)


PLACES = [
    ("hex", "subject"),
    ("hex", "greeting"),
    ("cross", "text"),
    ("crossgeo", "text"),
    ("crossgeo", "greeting"),
    ("polygon", "subject"),
]
"""Games, and where the line stands: below a challenge in the subject or in the text, or below a greeting."""
DOUBTS = [
    "My 2nd game!",
    "Hi! I'm free from 9 to 5.",
    "Greetings from Berlin, 29 November 2026",
    "Have fun\n\nAlice\n\n+49 170 1234567",
    "See you in 3 days",
    "let's play on a 9x9 board, 3 days a move.",
    "Board 2 please",
    "board no. 3",
    "clock three days",
    "Hi Bob, how about a week? Or just three days per move please",
    "Hi Bob, no swap please, board of size eleven",
    "Sagen wir drei Tage pro Zug, das reicht mir",
    "3d",
    "-size=5",
    "unrated, please",
    "Make it unrated please. Thanks!",
]


@pytest.mark.parametrize(("place", "body"), [*zip(cycle(PLACES), DOUBTS, strict=False)])
def test_what_may_say_how_to_play_is_asked_about_and_yes_makes_it_words(
    club: House, place: tuple[str, str], body: str
) -> None:
    """Wherever the line stands, it is told with its number, and nothing starts until its writer says yes."""
    game, where = place
    line = f"{game} challenge alice bob alice alicepass"
    text = {"subject": body, "text": f"{line}\n{body}", "greeting": f"Hello!\n\n{body}"}[where]
    (mail,) = club.send("alice", line if where != "text" else "", text)
    said = body.splitlines()
    assert f'Line {len(said) + 2 * (where == "greeting")} below your challenge, "{said[-1]}"' in one([mail])
    assert "alicepass" not in mail.text
    with club.service.store.read() as tx:
        assert tx.matches.load(101) is None
    mails = club.answer("alice", "yes")
    assert body_of(club) == ""
    told = one([mail for mail in mails if mail.address == "bob@example.net"])
    assert " ".join(said[0].split()) in " ".join(told.split())


def test_who_has_not_shown_who_they_are_is_asked_both_at_once(club: House) -> None:
    (mail,) = club.send("alice", "", "hex challenge alice bob\nSee you in 3 days")
    assert mail["Subject"] == "pbm: was that you?"
    assert "See you in 3 days" in mail.body
    assert "See you in 3 days" in one(club.answer("alice", "yes")[1:])


@pytest.mark.parametrize("text", ["Hello Bob!", "(;GM[1]SZ[9];B[ee])", "Hello Bob!\n(;GM[1]SZ[9];B[ee])"])
def test_what_is_wrong_with_a_challenge_in_the_subject_is_told_above_a_greeting_or_a_record(
    club: House, text: str
) -> None:
    told = one(club.send("alice", "go challenge alice bob alicepass -position", text))
    assert '"challenge" takes fewer words' in told


@pytest.mark.parametrize("record", ["(;GM[1]SZ[9];B[ee]C[a) b\\] c])", "(;GM[1]SZ[9];B[ee](;W[cc])(;W[gg]))"])
def test_words_around_a_record_go_to_the_opponent(club: House, record: str) -> None:
    mails = club.send("alice", "go challenge me bob -position=#1", f"As in this game:\n\n{record}\n\nHave fun :)")
    assert "alice writes: As in this game: Have fun :)" in one(mails[1:])


def test_a_doubt_holds_the_commands_below_it_too(club: House) -> None:
    club.send("alice", "", "hex challenge me bob\ncross challenge me bob\nMy 2nd game!")
    mails = club.answer("alice", "yes")
    assert {mail.board for mail in mails} == {101, 102}
    club.send("alice", "hex seek 1", "size nine")
    assert "You look for a game of Hex" in one(club.answer("alice", "yes"))


def with_file(house: House, game: str, text: str, body: str, name: str = "board.txt") -> list[Got]:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "alice@example.net", ROBOT.address, f"{game} challenge me bob"
    mail["Authentication-Results"] = f"{ROBOT.authserv_id}; dkim=pass header.d=example.net"
    mail["Message-ID"] = f"<{game}-{len(text)}@example.net>"
    mail.set_content(body)
    mail.add_attachment(text.encode(), maintype="application", subtype="octet-stream", filename=name)
    return house.deliver(Arriving("alice@example.net", (ROBOT.address,), mail.as_bytes()))


@pytest.mark.parametrize("doubt", ["", "My 1st graph\n\n"])
@pytest.mark.parametrize(("game", "board"), [("crossgeo", "0,0 9,9 red\n0,9 9,0"), ("polygon", "0,0 40,0 55,27 38,50")])
def test_an_attached_text_is_the_board_if_none_is_in_the_mail(club: House, game: str, board: str, doubt: str) -> None:
    mails = with_file(club, game, f"{doubt}{board}\n", "The board is attached.")
    if doubt:
        assert '"My 1st graph"' in one(mails)
        mails = club.answer("alice", "yes")
    assert body_of(club) == board
    assert "The board is attached." in one([mail for mail in mails if mail.address == "bob@example.net"])


def test_a_file_with_other_numbers_is_asked_about_and_one_of_another_kind_is_not(club: House) -> None:
    assert '"x=0 y=0 and x=9 y=9"' in one(with_file(club, "crossgeo", "x=0 y=0 and x=9 y=9", "See the file."))
    with_file(club, "crossgeo", "BEGIN:VCARD\nTEL:555-7788", "My card is attached.", "alice.vcf")
    with_file(club, "hex", "x=0 y=0", "A text is attached.")
    assert [body_of(club, board) for board in (101, 102)] == ["", ""]


def test_numbers_in_a_quote_are_asked_about_where_they_may_be_a_board(club: House) -> None:
    quote = "Look!\n\n> 0,0 10,10 red\n> 0,10 10,0 blue\n"
    assert 'A quoted line below your challenge, "0,0 10,10 red"' in one(
        club.send("alice", "crossgeo challenge me bob", quote)
    )
    club.answer("alice", "yes")
    assert body_of(club) == ""
    club.send("alice", "hex challenge me bob", quote)
    club.answer("alice", "crossgeo challenge me bob", 101, vouched=True)  # quotes our board
    assert [body_of(club, board) for board in (102, 103)] == ["", ""]


@pytest.mark.parametrize(
    "body",
    [
        "gl hf",
        "GL HF!",
        "Hi Al",
        "So-so.",
        "I am red.",
        "GL HF :-3 <3",
        "Let's have fun on this board",
        "Good luck!\nJW",
        "Is red or blue better?",
        "See you -- Alice",
        "Hi Bob3!",
        "Hi Bob <3",
        "One day you two meet my three sons, in a week",
        "OK\nGL\nAB",
    ],
)
def test_ordinary_words_go_to_the_opponent(club: House, body: str) -> None:
    mails = club.send("alice", "crossgeo challenge alice bob", body)
    assert body_of(club) == ""
    (mail,) = (mail for mail in mails if mail.address == "bob@example.net")
    assert all(line in mail.body for line in body.splitlines())


@pytest.mark.parametrize(
    "body",
    [
        "0,0 40,0 55,27 38,50 9,44",
        "0 0\n40 0\n55 27\n38 50\n9 44",
        "Hello!\n(0,0)\n(9,44)\n(38,50)\n(55,27)\n(40,0)\n\nHave fun.",
        "Vertices:\n1. A = (0,0)\n2. B = (40,0)\n3. C = (55,27)\n4. D = (38,50)\n5. E = (9,44)",
        "0,0 to 40,0 to 55,27 to 38,50 to 9,44 to 0,0",
        "Points: A(0|0); B(40|0); C(55|27); D(38|50); E(9|44)",
    ],
)
def test_a_polygon_of_ones_own_is_played_on(club: House, body: str) -> None:
    mails = club.send("alice", "polygon challenge alice bob", body)
    assert "It is your turn: you are Red" in one([mail for mail in mails if mail.address == "alice@example.net"])
    assert body_of(club).count("44") == 1
    club.answer("alice", "A-C", 101)
    assert "ply 2 is next" in one(club.answer("bob", "show", 101))


def test_an_earlier_board_has_its_options_already(club: House) -> None:
    club.send("alice", "crossgeo challenge me bob -version=rgb")
    assert 'leave out "-version=rgb"' in one(club.send("alice", "crossgeo challenge me bob -board=101 -version=rgb"))
    assert "-version=rgb, unrated" in one(club.send("alice", "crossgeo challenge me bob -board=101 --clock=3d")[:1])


def test_a_regular_polygon(club: House) -> None:
    mails = club.send("alice", "polygon challenge -sides=7 -regular alice bob")
    assert "-sides=7 -regular" in one(mails[:1])


@pytest.mark.parametrize("name", EACH)
def test_every_game_starts_from_a_position_of_an_earlier_board(club: House, name: str) -> None:
    game, plies = GAMES[name], list[str]()
    pos = game.start(game.options([]))
    for _ in range(2):
        move = next(iter(game.moves(pos)))
        plies.append(game.notate(pos, move))
        pos = game.play(pos, move)
    assert club.game(f"{name} alice bob", plies) == 101
    club.answer("alice", "resign!", 101)
    mails = club.send("alice", f"{name} challenge me bob -position=101#1")
    assert "unrated" in one(mails[:1])
    assert "It starts from ply 1 of board 101" in one(mails[:1])
    assert record(club, 102) == plies[:1]
