"""Wishes to the server as people write them: none does what was not meant, and each answer leads on."""

from __future__ import annotations

import random

import pytest

from pbm.reading.verbs import VERBS, Verb
from tests.conversation import House, record

VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def club(house: House) -> House:
    return house.lived(begin)


def begin(house: House) -> None:
    """bob has running games of Cross and Hex, and an ended one."""
    house.players("alice", "bob", "dirk")
    house.game("cross -size=4 alice bob", ["D4"])
    house.game("hex alice bob", ["f6"])
    house.game("hex dirk bob", ["f6"])
    house.answer("bob", "resign!", 103)
    house.send("dirk", "tournament create spring-cup roundrobin hex -players=2..4", Authentication_Results=VOUCHED)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I want to play in a ladder", "spring-cup"),
        ("I want to challenge dirk in the ladder", "spring-cup"),
        ("I'd like to join the spring cup", "tournament join spring-cup"),
        ("Quero jogar hex com dirk", "hex challenge me dirk"),
        ("voglio giocare a hex con dirk", "hex challenge me dirk"),
        ("ik wil hex spelen tegen dirk", "hex challenge me dirk"),
        ("Play hex 11 with dirk unrated", "Write: hex challenge me dirk -size=11 --unrated"),
        ("play hex 11 with dora", 'There is no player "dora" here.'),
        ("play hex 11 against dirk", "Write: hex challenge me dirk -size=11"),
        ("play hex versus dirk", "Write: hex challenge me dirk"),
        ("Play cross against dirk, three days a move", "Write: cross challenge me dirk --clock=3d"),
        ("play four 7x6 with dirk at 5", "Write: four challenge me dirk -columns=7 -rows=6"),
        ("challenge dirk to a game of hex on 11x11", "Write: hex challenge me dirk -size=11"),
        ("challenge dirk dora hex", 'There is no player "*****" here.'),
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
        ("show me the standings for Hex", "Hex standings"),
        ("show me the standings", "help standings"),
        ("show me the game 101 at move 1", "the position after ply 1 of 1"),
        ("101 show #1", "the position after ply 1 of 1"),
        ("show me board 101 after ply 1 please", "the position after ply 1 of 1"),
        ("Show 101 After Ply 1", "the position after ply 1 of 1"),
        ("all show nice.move 101", 'no player "nice.move" here'),
        ("show 101 hunter2 please", 'There is no player "hunter2" here.'),
        ("hex: g7", "Write: 102 G7"),
        ("list hex, cross", "List of Cross games"),
        ("list hex and cross", "List of Cross games"),
        ("show 101, 103", "Hex Board 103"),
        ("games alice, dirk", "103"),
        ("I'd take that hex game dirk is offering", "Hex players wanted"),
        ("I also write from me@other.example", "YOUR ACCOUNT"),
    ],
)
@pytest.mark.parametrize("proof", [VOUCHED, ""], ids=["proven", "claimed"])
def test_a_wish_changes_nothing_and_is_answered_by_what_helps(text: str, told: str, proof: str, club: House) -> None:
    before = club.dump()
    got = club.send("bob", "", text, Authentication_Results=proof)
    assert {each.address for each in got} == {"bob@example.net"}
    assert len(got) == (2 if text == "show 101, 103" else 1), [each["Subject"] for each in got]
    assert told in f"{got[-1]['Subject']}\n{got[-1].text}"
    assert club.dump() == before
    assert not club.parked()


def test_a_refusal_among_several_names_the_board_in_what_it_advises(club: House) -> None:
    club.answer("bob", "draw", 101)
    club.send("bob", "", "102 draw", Authentication_Results=VOUCHED)
    got = club.send("alice", "", "101 undo\n102 pause", Authentication_Results=VOUCHED)[-1]
    assert '"101 accept" or "101 reject"' in got.body
    assert '"102 accept" or "102 reject"' in got.body.replace("\n", " ")
    assert "drawn" in club.answer("alice", "102 accept")[0].body


NAMELESS = "carl.miller@example.com"


@pytest.mark.parametrize(
    ("wish", "done"),
    [
        ("cross challenge me bob@example.net", "Cross Board"),
        ("cross challenge me bob", "Cross Board"),
        ("cross challenge me robot2", "Cross Board"),
        ("hex seek 1", "You look for a game of Hex"),
        ("I want to play with lily@example.org", "lily@example.org is invited to a game of Cross"),
        ("I want to play hex with bob", "Hex Board"),
        ("play go 9x9 against the computer", "-size=9"),
        ("play hex against robot 3", "robot3"),
        ("join autumn", "autumn"),
    ],
)
def test_a_wish_without_a_name_is_done_once_there_is_one(wish: str, done: str, club: House) -> None:
    club.send("dirk", "tournament create autumn roundrobin hex -players=2..4", Authentication_Results=VOUCHED)
    before = club.dump()["players"]
    (asked,) = club.send(NAMELESS, wish)
    (again,) = club.answer(NAMELESS, "yes please")
    assert asked["Subject"] == again["Subject"] == "pbm: what shall we call you?"
    assert club.dump()["players"] == before, "nobody has joined before they have a name"
    got = [each for each in club.answer(NAMELESS, "Zoe") if each.address == NAMELESS]
    assert got[0]["Subject"] == "pbm: welcome, Zoe"
    assert done in f"{got[1]['Subject']} {' '.join(got[1].body.split())}"
    assert not any("carl" in each.body for each in got)


def test_who_answers_yes_to_an_invitation_is_asked_for_a_name_and_called_by_no_other(club: House) -> None:
    club.send("bob", f"hex challenge me {NAMELESS}", Authentication_Results=VOUCHED)
    (asked,) = club.answer(NAMELESS, "yes")
    assert asked["Subject"] == "pbm: what shall we call you?"
    (taken,) = club.answer(NAMELESS, "dirk")
    assert 'The userid "dirk" is taken' in taken.body
    got = club.answer(NAMELESS, "Zoe")
    assert {each["Subject"] for each in got[1:]} == {"Hex Board 104 bob-Zoe"}
    assert not any("carl" in each.body for each in got)


def test_a_wish_is_done_only_for_who_answers_the_mail_that_shows_it(club: House) -> None:
    club.send(NAMELESS, "hello")
    club.send(NAMELESS, "hex challenge me bob")
    assert len(club.answer(NAMELESS, "Zoe", mail=1)) == 1, "the first mail has shown no wish"


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        ("play hex against robot 3", "Hex Board 104 bob-robot3"),
        ("play hex with robot3", "Hex Board 104 bob-robot3"),
        ("hex vs computer", "Hex Board 104 bob-robot1"),
        ("play go 9x9 against the computer", "Go Board 104 bob-robot1"),
        ("Can I play go 9x9 against robot 4?", "Go Board 104 bob-robot4"),
        ("I'd like to play hex against the strongest robot", "Hex Board 104 bob-robot5"),
        ("hex 7 vs robot 2", "Hex Board 104 bob-robot2"),
        ("ich möchte Hex gegen Roboter 2 spielen", "Hex Board 104 bob-robot2"),
    ],
)
def test_a_wish_for_a_robot_of_a_level_starts_that_game(wish: str, title: str, club: House) -> None:
    (got,) = club.send("bob", wish, Authentication_Results=VOUCHED)
    assert got["Subject"] == title


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (
            "play go 9x9",
            "Go Board 104 bob-robot1 Go Board 104: A new game between bob (Black, moves first) and robot1 ",
        ),
        ("play hex 7", "and robot1 (Blue), -size=7, unrated"),
        ("play hex 7 unrated", "and robot1 (Blue), -size=7, unrated"),
        ("play hex unrated", "and robot1 (Blue), unrated"),
        ("play hex dirk", "Hex Board 104 bob-dirk "),
        ("play hex 7 dirk", "between bob (Red, moves first) and dirk (Blue), -size=7, "),
        ("join spring-cup", "You are in spring-cup."),
        ("follow 103", "Hex Board 103 dirk-bob "),
        ("follow board 103", "Hex Board 103 dirk-bob "),
        ("I'd like to follow the game 103", "Hex Board 103 dirk-bob "),
        ("set timezone Berlin", "timezone is now Europe/Berlin."),
        ("set timezone New York", "timezone is now America/New_York."),
        ("set timezone to los angeles", "timezone is now America/Los_Angeles."),
        ("seek", 'Nobody is looking for opponents at the moment. "hex seek 1" tells others '),
        ("I want to play hex with dirk", "To play with dirk: Write: hex challenge me dirk"),
        (
            "I want to play hex with ann@example.org",
            "To invite ann@example.org: Write: hex challenge me ann@example.org",
        ),
        ("play ann@example.org", "To invite ann@example.org, name a game: Write: cross challenge me ann@example.org"),
        ("can I play against ann@example.org?", "To invite ann@example.org, name a game: Write: cross challenge me "),
        ("can I play against dirk?", "To play with dirk, name a game: Write: cross challenge me dirk"),
    ],
)
def test_a_short_wish_does_what_it_says_or_names_the_line_that_does(wish: str, told: str, club: House) -> None:
    got = club.send("bob", wish, Authentication_Results=VOUCHED)[0]
    assert told in f"{got['Subject']} {' '.join(got.body.split())}"


@pytest.mark.parametrize(
    ("line", "rival"), [("play hex 7 dirk bob bobpass", "dirk"), ("play hex 7 bob bobpass", "robot1")]
)
def test_a_userid_and_a_password_may_end_a_wish_to_play(line: str, rival: str, club: House) -> None:
    """As in all commands of the classic server, and from any address."""
    got = club.send("somebody@example.org", line)[0]
    assert f"A new game between bob (Red, moves first) and {rival} (Blue), -size=7, " in " ".join(got.body.split())


def test_who_follows_a_board_of_others_gets_it_at_once(club: House) -> None:
    club.player("lily")
    (got,) = club.send("lily", "follow 101", Authentication_Results=VOUCHED)
    assert "You get its emails from now on." in got.body
    assert "1 D4" in got.body


def test_a_yes_to_a_list_without_seeks_starts_no_game(club: House) -> None:
    club.send("bob", "seek")
    (got,) = club.answer("bob", "yes")
    assert '"yes" answers no question of ours' in got.body
    (got,) = club.send("stranger@example.com", "seek")
    (got,) = club.answer("stranger@example.com", "yes")
    assert got["Subject"] == "pbm: what shall we call you?"


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
        ("luddit", [], "e5 und c3", "played E5; C3."),
        ("luddit", [], "e5 puis c3", "played E5; C3."),
        ("luddit", [], "e5 y c3", "played E5; C3."),
        ("dots", ["a1-b1", "a1-a2", "a2-b2", "e5-f5"], "b1-b2 und c1-c2", "played b1-b2"),
        ("amazons", [], "d1-d7, arrow g7", "played d1-d7/g7."),
        ("amazons", [], "d1 to d7 shooting g7", "played d1-d7/g7."),
        ("four", ["d", "d"], "c again", "played c."),
        ("four", [], "d #1", "played d."),
        ("four", [], "move d #1", "played d."),
        ("go -size=9", [], "move pass #1", "passed."),
        ("go -size=9", ["e5", "pass"], "I also pass", "passed."),
    ],
)
def test_odd_notations(game: str, moves: list[str], text: str, played: str, club: House) -> None:
    board = club.game(f"{game} bob alice", moves)
    got = club.answer("bob", text, board)
    assert any(played in each.body for each in got), got[0].body


def test_a_wrong_move_with_an_apology_asks_to_take_it_back(club: House) -> None:
    assert "take back ply 1" in club.answer("alice", "wrong move sorry can I take it back", 101)[0].body


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Willst du remis?", "You offer a draw."),
        ("On va dire match nul ?", "You offer a draw."),
        ("I think this is a draw", "as a message."),
        ("is there an app for this?", "as a message."),
        ("how do I stop this?", "resign"),
        ("how do I see the standings?", "has a rating in Cross"),
        ("is it a good idea to go there?", "I kept this back."),
    ],
)
def test_a_wish_is_done_talk_is_passed_on_and_what_is_asked_of_the_server_reaches_nobody_else(
    text: str, told: str, club: House
) -> None:
    mails = {each.address: each.body for each in club.answer("bob", text, 101)}
    assert told in mails["bob@example.net"]
    heard = mails.get("alice@example.net", "")
    assert bool(heard) is (told in ("You offer a draw.", "as a message."))
    assert (f"  {text}\n" in heard) is (told == "as a message.")


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("D'accord pour le nul", True),
        ("Ok for the draw!", True),
        ("Einverstanden mit dem Remis", True),
        ("I wonder about the draw", False),
        ("Yes, I saw the draw", False),
    ],
)
def test_a_yes_that_names_the_draw_accepts_one_that_is_offered(text: str, accepted: bool, club: House) -> None:
    club.answer("alice", "propose", 101)
    got = {each.address: each.body for each in club.answer("bob", text, 101)}["bob@example.net"]
    assert ("You accepted the draw" in got) is accepted
    with club.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert (match.offer is None) is accepted


def test_a_yes_to_a_draw_that_nobody_has_offered_agrees_to_nothing_else(club: House) -> None:
    club.answer("alice", "undo", 101)
    before = record(club)
    for text in ("Yes, a draw", "I accept the draw", "Ja zum Remis"):
        assert "nothing was changed" in club.answer("bob", text, 101)[0].body
    assert record(club) == before


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("yes, a draw? No!", False),
        ("Draw? No way!", False),
        ("draw? nein danke", False),
        ("undo? no!", False),
        ("Draw? No hard feelings if you decline.", False),
        ("Draw?\n\nNo hurry.", True),
    ],
)
def test_a_question_that_its_writer_answers_with_no_offers_nothing(text: str, offers: bool, club: House) -> None:
    got = {each.address: each.body for each in club.answer("bob", text, 101)}
    assert ("You offer a draw" in got["bob@example.net"]) is offers
    assert ("alice@example.net" in got) is offers
    assert offers or "so nothing is done" in got["bob@example.net"]


def test_a_draw_is_offered_to_the_one_who_is_named_if_they_play(club: House) -> None:
    assert (
        "bob offers a draw"
        in club.send("bob", "", "offer alice a draw in game 102", Authentication_Results=VOUCHED)[0].body
    )
    assert "nothing was changed" in club.answer("bob", "offer dirk a draw", 101)[0].body


def test_how_a_game_with_somebody_goes_is_shown(club: House) -> None:
    got = club.send("bob", "", "how is my game with alice going?", Authentication_Results=VOUCHED)
    assert [each["Subject"] for each in got] == ["Cross Board 101 alice-bob", "Hex Board 102 alice-bob"]


@pytest.mark.parametrize("verb", [verb for verb in VERBS if "BOARD" in verb.keys])
def test_a_line_that_begins_with_a_board_names_no_other(verb: Verb, club: House) -> None:
    every = ("all", "me", "102", "102 F6", "#1", "zoom C3 4")
    before = club.dump()["plies"]
    for words in random.Random(verb.name).sample(every, 2):  # all verbs together have all words
        club.send("bob", "", f"101 {verb.name} {words}", Authentication_Results=VOUCHED)
        assert not club.parked(), words
        assert club.dump()["plies"] == before, words


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("list games", "pbm: list of games"),
        ("my games", "Hex Board 102 alice-bob"),
        ("show my games", "Hex Board 102 alice-bob"),
        ("show all games", "Hex Board 102 alice-bob"),
        ("show standings", "pbm: Cross standings"),
        ("history of 102", "Hex Board 102 alice-bob"),
    ],
)
def test_a_list_that_is_asked_for_on_a_board_is_the_writers_alone(line: str, told: str, club: House) -> None:
    assert told in [got["Subject"] for got in club.answer("bob", line, 101)]
    got = club.answer("bob", f"E5\n{line}", 101)
    assert {told, "pbm: 2 of 2 commands done"} & {each["Subject"] for each in got if each.address == "bob@example.net"}
    assert [line in each.body for each in got if each.address == "alice@example.net"] == [False]


@pytest.mark.parametrize(
    "words", ["note alice is weak", "Note: alice is weak", "note to self: alice is weak\nattack!", "note none"]
)
def test_a_private_note_on_one_line_reaches_nobody_else(words: str, club: House) -> None:
    club.answer("bob", words, 101)
    got = club.answer("bob", f"E5\n{words}", 101)
    for each in got:
        assert each.address == "bob@example.net" or not {"weak", "note"} & {*each.body.split()}
    assert ("alice is weak" in club.answer("bob", "note", 101)[0].body) is (words != "note none")


def test_a_sentence_that_begins_with_note_is_for_the_other_player(club: House) -> None:
    got = club.answer("bob", "E5\nNote that I am away.", 101)
    assert "Note that I am away." in next(each.body for each in got if each.address == "alice@example.net")


@pytest.mark.parametrize(
    ("answer", "ends"),
    [("y", True), ("Y", True), ("y.", True), ("y\nGood game!", True), ("n", False), ("ok", False), ("sure", False)],
)
def test_a_short_answer_to_whether_one_really_resigns(answer: str, ends: bool, club: House) -> None:
    club.answer("bob", "resign", 102)
    got = club.answer("bob", answer, 102)
    assert got[0].address == ("alice@example.net" if ends else "bob@example.net")
    assert "help y" not in got[-1]["Subject"]
    assert ends or "you do not resign" in got[0].body or 'Answer "yes"' in got[0].body


def test_y_agrees_to_what_the_other_player_asks(club: House) -> None:
    club.answer("alice", "undo", 101)
    assert "D4, is taken back" in " ".join(club.answer("bob", "y", 101)[0].body.split())


@pytest.mark.parametrize("state", ["wrong", "lost.", "not working", "expired", "too short", "long"])
def test_what_is_said_of_a_password_is_no_password(state: str, club: House) -> None:
    got = club.answer("bob", f"E5\nMy password is {state}", 101)
    assert f"My password is {state}" in next(each.body for each in got if each.address == "alice@example.net")
    assert len(got) == 2


def test_a_command_among_words_for_the_opponent_is_asked_about_and_the_move_is_offered(club: House) -> None:
    (got,) = club.answer("bob", "E5\nGood luck!\nset receipts off", 101)
    assert '"set receipts off" stands among your words' in " ".join(got.body.split())
    assert "one line, for instance:\n\n  E5\n" in got.body
    assert record(club, 101)[-1] != "E5"
