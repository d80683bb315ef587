"""From lines to commands: the verb table, the words that may be left out, and which lines of a mail are commands."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import GAMES
from pbm.domain.errors import BadArguments, NotFound, Rejected, UnknownCommand
from pbm.reading.command_lines import MAX_COMMANDS, read
from pbm.reading.commands import MAX_LINE, Command, board_of_subject, clean, parse, split_guard
from pbm.reading.verbs import VERBS, Standing, Verb, find

STRANGER = Standing()
SEATED = Standing("cross", 101, known=True, proven=True)
EXAMPLES = {
    "BOARD": "101",
    "USERID": "alice",
    "PASSWORD": "geheim",
    "MOVE": "F6",
    "POINT": "F6",
    "FACTOR": "3",
    "BOARD[#PLY]": "101#3",
    "NEW-USERID": "dave",
    "FIRST-BOARD": "101",
    "NEW-PASSWORD": "secret1",
    "ADDRESS": "dave@example.com",
    "SUBJECT": "move",
    "SEEK": "7",
    "NUMBER": "12",
    "GAME": "cross",
    "SIZE": "4",
    "OPPONENT": "bob",
}


def parsed(line: str, standing: Standing = STRANGER) -> Command:
    return parse(clean(line), standing, lambda word: word in ("alice", "bob"))


def example(verb: Verb, *, full: bool) -> str:
    """A line made from a verb's usage. full: with the words that may be left out."""
    words = [*(["cross"] if verb.per_game else []), verb.name]
    for param in verb.params:
        if full or not param.optional:
            alternative = param.name.removesuffix("...").split("|")[-1]
            words.append(EXAMPLES.get(alternative, alternative))
    return " ".join(words)


def test_the_usage_line_of_a_verb_is_read() -> None:
    for verb, full in itertools.product(VERBS, (True, False)):
        command = parsed(example(verb, full=full))
        assert (command.verb.name, command.game) == (verb.name, "cross" if verb.per_game else None)


def test_a_verb_is_called_by_its_names_and_abbreviations_in_any_case() -> None:
    for verb in VERBS:
        for word in (verb.name, verb.name.upper(), *verb.aliases):
            found = find(word, per_game=verb.per_game)
            assert found is not None, word
            assert found.name == verb.name
        for length in range(verb.shortest, len(verb.name)) if verb.shortest else ():
            found = find(verb.name[:length], per_game=verb.per_game)
            assert found is not None, verb.name[:length]
            assert verb.name.startswith(found.name)


def test_no_two_verbs_answer_to_one_word() -> None:
    for per_game in (True, False):
        words = [word for verb in VERBS if verb.per_game is per_game for word in (verb.name, *verb.aliases)]
        assert len(words) == len(set(words))


def test_words_are_bound_to_their_parameters() -> None:
    command = parsed("Cross MOVE 101 Alice GeHeim f 6 #7")
    assert command.args == {"BOARD": "101", "USERID": "Alice", "PASSWORD": "GeHeim", "MOVE": "f 6 #7"}
    assert command.credentials == ("Alice", "GeHeim")
    assert command.secrets == {"GeHeim"}


@pytest.mark.parametrize("line", ["cross mvoe 101 bob pw12 F6", "cross board 101 bob pw12 F6", "move 101 bob pw12 F6"])
def test_the_classic_ways_to_write_move(line: str) -> None:
    command = parsed(line)
    assert (command.verb.name, command.args["MOVE"]) == ("move", "F6")


@pytest.mark.parametrize(
    "line",
    [
        "cross challenge -size=4 alice bob",
        "cross challenge alice -size=4 bob",
        "cross chall alice bob -size=4",
        "cross challenge [-size=4] [alice] <bob>",
        "cross challenge ** alice bob -size=4 **",
        "**cross challenge alice bob -size=4 **",
        "  cross   challenge\talice\u00a0bob -size=4 ",
    ],
)
def test_options_stand_anywhere_and_stars_and_brackets_do_not_matter(line: str) -> None:
    command = parsed(line)
    assert command.options == ("-size=4",)
    assert (command.args["USERID1"], command.args["USERID2"]) == ("alice", "bob")


def test_two_dashes_alone_are_the_pass() -> None:
    command = parsed("cross move 101 bob pw12 --")
    assert command.args["MOVE"] == "--"
    assert command.options == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cross challenge —size=4 –clock=3d alice bob", "cross challenge -size=4 -clock=3d alice bob"),
        ("set sleep 23:00–07:00", "set sleep 23:00-07:00"),
        ("ｓｅｔ ｄｉｇｅｓｔ ８：００", "set digest 8:00"),
        ("cross show 101＃7", "cross show 101#7"),
        ("Set mail “text”.", "set mail text"),
        ("Help cross!", "help cross"),
    ],
)
def test_the_marks_that_phones_put_in_place_of_others_do_not_matter(typed: str, meant: str) -> None:
    one, other = parsed(typed, SEATED), parsed(meant, SEATED)
    assert (one.verb, one.args, one.options) == (other.verb, other.args, other.options)


def test_a_password_and_a_move_stay_as_they_were_typed() -> None:
    assert parsed("set alice open—sesame mail text.").args == {
        "USERID": "alice", "PASSWORD": "open—sesame", "NAME": "mail", "VALUE": "text"
    }  # fmt: skip
    assert parsed("signup dave sesame.").args["NEW-PASSWORD"] == "sesame."
    assert parsed("cross move 101 —", SEATED).args["MOVE"] == "—"


@pytest.mark.parametrize(("old", "new"), [("geheim", "geheim!"), ("“geheim”", "geheim"), ("ge–heim", "ge-heim")])
def test_an_old_password_and_one_that_differs_only_in_marks_are_not_mixed_up(old: str, new: str) -> None:
    args = parsed(f"change password alice {old} {new}").args
    assert (args["PASSWORD"], args["NEW-PASSWORD"]) == (old, new)


def test_an_option_where_none_belongs_is_refused() -> None:
    with pytest.raises(BadArguments, match='"-size=4": "move" takes no options'):
        parsed("cross move 101 bob pw12 F6 -size=4")


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("F6", {"MOVE": "F6"}),
        ("move F6", {"MOVE": "F6"}),
        ("cross move F6", {"MOVE": "F6"}),
        ("cross move 101 F6", {"BOARD": "101", "MOVE": "F6"}),
        ("cross move 101 bob geheim F6", {"BOARD": "101", "USERID": "bob", "PASSWORD": "geheim", "MOVE": "F6"}),
        ("move bob geheim F6", {"USERID": "bob", "PASSWORD": "geheim", "MOVE": "F6"}),
        ("a word or two", {"MOVE": "a word or two"}),
    ],
)
def test_an_answer_leaves_out_what_its_mail_shows(line: str, args: dict[str, str]) -> None:
    command = parsed(line, SEATED)
    assert (command.verb.name, command.args) == ("move", args)


def test_what_an_answer_leaves_out_another_mail_must_say() -> None:
    for line in ("cross move 101 F6", "cross move F6", "cross resign 101"):
        with pytest.raises(BadArguments, match="needs more words"):
            parsed(line)
    with pytest.raises(UnknownCommand):
        parsed("F6")


@pytest.mark.parametrize(
    ("line", "error", "sentence"),
    [
        ("", UnknownCommand, "no command"),
        ("xyzzy", UnknownCommand, '"xyzzy" is not a command.'),
        ("hlep", UnknownCommand, 'Did you mean "help"?'),
        ("cross mave 101", UnknownCommand, 'Did you mean "move"?'),
        ("cross chal alice bob", UnknownCommand, 'Did you mean "challenge"?'),
        ("cross pre 101 F6", UnknownCommand, 'Did you mean "preview"?'),
        ("crss move 101 bob pw12 F6", NotFound, 'There is no game "crss" here. Did you mean "cross"?'),
        ("challenge alice bob", BadArguments, "Which game?"),
        ("hint", BadArguments, "Which board?"),
        ("cross challenge alice", BadArguments, '"challenge" needs more words.'),
        ("cross move one bob pw12 F6", BadArguments, 'These words do not fit "move".'),
        ("help " * MAX_LINE, UnknownCommand, "A command line has at most 1000 characters"),
    ],
)
def test_what_is_no_command_is_told_why(line: str, error: type[Rejected], sentence: str) -> None:
    with pytest.raises(error) as refusal:
        parsed(line)
    assert sentence in str(refusal.value)


def test_a_usage_line_names_the_game_that_was_meant() -> None:
    with pytest.raises(BadArguments) as refusal:
        parsed("cross move 101")
    assert refusal.value.suggestion == "cross move BOARD USERID PASSWORD MOVE..."


@pytest.mark.parametrize("game", GAMES)
def test_a_game_alone_is_its_help(game: str) -> None:
    for line in (game, game.title(), f"{game} help"):
        command = parsed(line)
        assert (command.verb.name, command.args["SUBJECT"]) == ("help", line.split()[0])


@given(st.text(max_size=60), st.sampled_from([STRANGER, SEATED]))
def test_any_line_is_a_command_or_rejected(line: str, standing: Standing) -> None:
    try:
        parsed(line, standing)
    except Rejected as refusal:
        assert str(refusal)  # noqa: PT017  a sentence is all there is to check


# Guards


@pytest.mark.parametrize(
    ("move", "split"), [("F6", ("F6", None)), ("F6#7", ("F6", 7)), ("F6 # 7", ("F6", 7)), ("swap#2", ("swap", 2))]
)
def test_a_guard_is_the_number_behind_the_move(move: str, split: tuple[str, int | None]) -> None:
    assert split_guard(move) == split


@pytest.mark.parametrize("move", ["F6#", "F6#x", "F6#-1", "F6#7.5", "F6#99999999", "F6#\N{SUPERSCRIPT TWO}"])
def test_a_guard_that_is_no_number_is_refused(move: str) -> None:
    with pytest.raises(BadArguments, match="not a ply number"):
        split_guard(move)


@pytest.mark.parametrize("move", ["#17", " #3", "#", "edge #20"])
def test_a_number_without_a_move_in_front_guards_none(move: str) -> None:
    assert split_guard(move) == (move, None)


# Mails


def test_a_subject_that_is_a_command_is_one_and_the_text_a_comment() -> None:
    reading = read("cross move 101 bob pw12 F6 **", "Good luck!\nhelp", STRANGER)
    assert reading.lines == ("cross move 101 bob pw12 F6",)
    assert reading.comment == "Good luck!\nhelp"


def test_without_one_the_first_lines_of_the_text_are() -> None:
    said = "\nhelp\ncross games alice\n\nA comment.\nhelp\n"
    reading = read("Hello", said, STRANGER, {"alice"}.__contains__)
    assert reading.lines == ("help", "cross games alice")
    assert reading.comment == "A comment.\nhelp"


def test_in_an_answer_the_first_line_is_the_move_and_the_rest_a_comment() -> None:
    reading = read("Cross Board 101 alice-bob", "F6\nYour move now.\nF7", SEATED)
    assert reading.lines == ("F6",)
    assert reading.comment == "Your move now.\nF7"


def test_an_empty_mail_holds_no_command() -> None:
    assert read("", "", STRANGER).lines == ()
    assert read("Cross Board 101 alice-bob", "\n\n", SEATED).lines == ()


def test_a_mail_holds_only_so_many_commands() -> None:
    reading = read("", "help\n" * (MAX_COMMANDS + 1), STRANGER)
    assert len(reading.lines) == MAX_COMMANDS
    assert reading.truncated
    assert not read("", "help\n" * MAX_COMMANDS, STRANGER).truncated


@pytest.mark.parametrize(
    ("subject", "board"),
    [
        ("Cross Board 101 alice-bob", 101),
        ("Cross Board 101 alice-bob (2)", 101),
        ("Cross Board 101 alice-bob (2) and more", 101),
        ("Cross Board 101: your turn, alice-bob", 101),
        ("Loops Board 101: bob's turn, alice-bob (2)", 101),
        ("Nine Men's Morris Board 101: over, alice-bob", 101),
        ("Cross Board 101: your turn alice-bob, too", None),
        ("New Cross Board 7 alice **", 7),
        ("cross board 588 Error", 588),
        ("Cross Board x alice", None),
        ("cross move 101 alice pw12 F6", None),
        ("Chess Board 101 alice", None),
    ],
)
def test_the_board_of_a_subject_of_ours(subject: str, board: int | None) -> None:
    assert board_of_subject(subject) == board


@pytest.mark.parametrize("line", ["> help", ">help", ">> cross games", "> signup eve geheim"])
def test_a_quoted_line_stays_one(line: str) -> None:
    assert clean(line).startswith(">")
    with pytest.raises(Rejected):
        parsed(line)


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [("hex challenge robot5", "hex challenge me robot5"), ("hex challenge me -size=5", "hex challenge me robot")],
)
def test_a_challenge_that_names_one_player_is_shown_how_to_name_two(line: str, suggestion: str) -> None:
    with pytest.raises(BadArguments) as refusal:
        parse(line, Standing(known=True, proven=True))
    assert str(refusal.value) == '"challenge" needs two players; "me" is yourself.'
    assert refusal.value.suggestion == suggestion
