"""What each game of the registry owes: a game joins by a line there and its test data, and is held to all of this."""

from __future__ import annotations

import inspect
import io
import json
import random
import re
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from games import GAMES
from games.rules import (
    KINDS,
    BadNotation,
    Drawable,
    GameError,
    MoveError,
    OptionError,
    Outcome,
    Threatening,
    Zoomable,
    any_move,
)
from pbm import draw
from pbm.compose.pages import Pages
from pbm.domain.errors import NotAllowed
from pbm.domain.match import SWAP, replay
from pbm.draw.picture import picture
from pbm.resources import folder
from tests.games.perft import COUNTS, DRAW, golden_cases, perft, quick_and_whole
from tests.games.variants import EACH
from tests.golden_file import FOLDER, hold

BOARDS = FOLDER / "boards"

LISTED = 400
"""How many moves of a position are checked; a game's list may be very long."""

FIRST, PLIES = 40, 200
"""Plies of a random game: those where all that it owes is looked at, and the most; some games might go on for ever."""

WIDTH = 78


def variants(game):
    """The default options, and each option alone at its lowest value or at each choice, where that is allowed."""
    words: list[list[str]] = [[]]
    for option in game.info.options:
        words += [[f"-{option.name}={value}"] for value in option.choices or (option.low,)]
    return [chosen for chosen in words if options_or_none(game, chosen) is not None]


def options_or_none(game, words, body=""):
    try:
        return game.options(words, body=body)
    except OptionError as refusal:
        assert_sentence(refusal)
        return None


def assert_sentence(refusal):
    sentence = str(refusal)
    assert sentence.strip() == sentence
    assert sentence.endswith((".", "?", "!"))


def listed(game, pos):
    return list(islice(game.moves(pos), LISTED))


@cache
def random_game(name, words=(), seed=0, plies=PLIES):
    """Positions and the moves that led to them, from the start."""
    game, rng = GAMES[name], random.Random(seed)
    pos, move = game.start(game.options(words)), None
    walk = [(pos, move)]
    while game.outcome(pos) is None and len(walk) <= plies:
        move = any_move(game, pos, rng, LISTED)
        pos = game.play(pos, move)
        walk.append((pos, move))
    return walk


every_game = pytest.mark.parametrize("name", sorted(GAMES))
every_variant = pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(name, tuple(words), id=" ".join([name, *words]))
        for name in sorted(GAMES)
        for words in variants(GAMES[name])
    ],
)


# Playing


def play_goes_on_exactly_until_the_outcome(game, pos, _move):
    outcome = game.outcome(pos)
    assert (outcome is None) == (next(game.moves(pos), None) is not None)
    if outcome is None:
        assert game.to_move(pos) in (1, 2)
    else:
        assert outcome.winner in (None, 1, 2)
        assert outcome.reason
        assert not outcome.reason.endswith(".")


def nothing_can_be_played_after_the_end(game, pos, move):
    if game.outcome(pos) is not None:
        with pytest.raises(MoveError):
            game.parse(pos, game.notate(pos, move))
        with pytest.raises(BadNotation):
            game.parse(pos, "well played")


def moves_are_listed_lazily_once_and_in_a_fixed_order(game, pos, _move):
    moves = game.moves(pos)
    assert iter(moves) is moves
    first = list(islice(moves, LISTED))
    assert len(set(first)) == len(first)
    assert first == listed(game, pos)


def every_listed_move_is_written_read_and_accepted(game, pos, _move):
    before = hash(pos)
    for move in listed(game, pos):
        notation = game.notate(pos, move)
        assert notation.isascii()
        assert game.parse(pos, notation) == move
        assert game.parse(pos, f" {notation.upper()} ") == move
        assert game.notate(pos, game.parse(pos, notation.lower())) == notation
        assert game.play(pos, move) is not pos
    assert hash(pos) == before


def a_move_at_random_is_legal_and_the_same_for_the_same_dice(game, pos, _move):
    for seed in range(3 if game.outcome(pos) is None else 0):
        move = any_move(game, pos, random.Random(seed), LISTED)
        assert game.parse(pos, game.notate(pos, move)) == move
        assert move == any_move(game, pos, random.Random(seed), LISTED)


def what_is_threatened_is_told_in_sentences(game, pos, _move):
    if game.outcome(pos) is None and isinstance(game, Threatening):
        assert all(re.fullmatch(r"[A-Z][^.]+\.", sentence) for sentence in game.threats(pos))


def the_board_is_drawn_as_text_that_fits_a_mail(game, pos, move):
    text = draw.text(game.scene(pos, move))
    assert text.isascii()
    assert text.endswith("\n")
    for line in text.splitlines():
        assert line == line.rstrip()
        assert len(line) <= WIDTH, line


def the_board_is_drawn_as_a_picture(game, pos, move):
    shown = picture(game.scene(pos, move).board)
    assert shown is not None
    with Image.open(io.BytesIO(shown.data)) as image:
        assert image.size == (shown.width, shown.height)
    assert shown.width <= 560


OWED = (
    (1, play_goes_on_exactly_until_the_outcome),
    (1, nothing_can_be_played_after_the_end),
    (5, moves_are_listed_lazily_once_and_in_a_fixed_order),
    (11, every_listed_move_is_written_read_and_accepted),
    (7, a_move_at_random_is_legal_and_the_same_for_the_same_dice),
    (9, what_is_threatened_is_told_in_sentences),
    (5, the_board_is_drawn_as_text_that_fits_a_mail),
    (16, the_board_is_drawn_as_a_picture),
)
"""What holds at each position, and at which multiples of plies that is looked at; at the last it is, too."""


@every_variant
def test_a_game_at_random_owes_nothing(name, words):
    game, walk = GAMES[name], random_game(name, words)
    for ply, (pos, move) in enumerate(walk):
        for every, statement in OWED:
            if every == 1 or (ply < FIRST and ply % every == 0) or ply == len(walk) - 1:
                statement(game, pos, move)


@every_variant
def test_the_record_replayed_gives_the_same_position(name, words):
    game, record, (pos, _) = GAMES[name], random_record(name, words), random_game(name, words)[-1]
    again = game.start(game.options([word.upper() for word in words]))
    for notation in record:
        again = game.play(again, game.parse(again, notation))
    assert again == pos == replay(game, words, "", record, judged=False).position
    assert hash(again) == hash(pos)
    assert game.outcome(again) == game.outcome(pos)


def replayed(game, words, record, *, judged=False):
    """All that follows from a record, or its refusal."""
    try:
        state = replay(game, words, "", record, judged=judged)
    except (GameError, NotAllowed) as refusal:
        return type(refusal), str(refusal), getattr(refusal, "candidates", ())
    seen, outcome = (state.position, state.before), game.outcome(state.position)
    return *seen, hash(seen), state.last, state.plies, state.swapped, outcome


@cache
def random_record(name, words, seed=0, plies=PLIES):
    walk = random_game(name, words, seed, plies)
    return tuple(GAMES[name].notate(pos, move) for (pos, _), (_, move) in pairwise(walk))


@pytest.mark.parametrize("name", EACH)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_record_altered_or_not_is_replayed_or_refused(name, data):
    game = GAMES[name]
    words, seed = tuple(data.draw(st.sampled_from(variants(game)))), data.draw(st.integers(0, 2))
    record = [*random_record(name, words, seed, 30)[: data.draw(st.integers(1, 30))]]
    if game.info.swap and data.draw(st.booleans()):
        record.insert(1, SWAP)
    texts = st.sampled_from([*record, SWAP, "pass", "", "a99", "zz", "A1", "a2"]) | st.text(max_size=4)
    altered = data.draw(st.integers(0, 3))
    for _ in range(altered):
        record[data.draw(st.integers(0, len(record) - 1))] = data.draw(texts)
    found = replayed(game, words, record)
    if not altered:
        assert found == replayed(game, words, record, judged=True)
        assert isinstance(found[-1], Outcome | None)


# Reading


@cache
def near_moves(name):
    """Texts made of parts of the game's notations: some are moves, many nearly are."""
    game = GAMES[name]
    pos = game.start(game.options([]))
    notations = [game.notate(pos, move) for move in listed(game, pos)]
    letters = sorted({*"".join(notations)})
    marks = ["-", ",", ";", ">", "x", "×", "→", " ", "0", "99999", "z", "A1", "pass"]
    parts = st.sampled_from(notations) | st.sampled_from(letters) | st.sampled_from(marks)
    return st.lists(parts, max_size=6).map("".join)


@every_game
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_text_is_a_legal_move_or_refused(name, data):
    game = GAMES[name]
    pos, _ = data.draw(st.sampled_from(random_game(name, seed=data.draw(st.integers(0, 2)), plies=9)))
    text = data.draw(st.text(max_size=30) | near_moves(name))
    try:
        move = game.parse(pos, text)
    except MoveError as refusal:
        assert_sentence(refusal)
        for notation in refusal.candidates:
            assert game.notate(pos, game.parse(pos, notation)) == notation
    else:
        game.play(pos, move)
        assert game.parse(pos, game.notate(pos, move)) == move


@every_game
def test_a_very_long_text_is_refused_in_a_short_sentence(name):
    game = GAMES[name]
    pos = game.start(game.options([]))
    for text in ("A" * 100_000, "1" * 100_000, "A1," * 50_000, "(" * 100_000):
        with pytest.raises(MoveError) as refusal:
            game.parse(pos, text)
        assert len(str(refusal.value)) < 1000


def near_options(game):
    names = st.sampled_from([option.name for option in game.info.options] + ["swap", ""])
    choices = [choice for option in game.info.options for choice in option.choices]
    values = st.integers(-3, 30).map(str) | st.sampled_from([*choices, "x", "", "9" * 20, "\N{SUPERSCRIPT TWO}"])
    return st.builds("-{}={}".format, names, values)


@every_game
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_words_are_options_or_refused(name, data):
    game = GAMES[name]
    words = data.draw(st.lists(st.text(max_size=12) | near_options(game), max_size=3))
    body = data.draw(st.text(max_size=60)) if isinstance(game, Drawable) else ""
    options = options_or_none(game, words, body)
    if options is not None:
        start = game.start(options)
        assert hash(start) == hash(game.start(game.options(words, body=body)))
        assert game.outcome(start) is None
        assert len(set(game.sides(options))) == 2


@every_game
@pytest.mark.parametrize("word", ["-" + "z" * 100_000, "-{}=" + "9" * 100_000])
def test_a_refusal_of_an_option_quotes_only_the_beginning_of_a_long_word(name, word):
    known = next((option.name for option in GAMES[name].info.options), "size")
    with pytest.raises(OptionError, match=r"^.-") as refused:
        GAMES[name].options([word.format(known)])
    assert len(str(refused.value)) < 400


# Showing


@every_game
def test_the_game_tells_its_name_and_has_a_help_page(name):
    info = GAMES[name].info
    assert info.name == name == name.lower()
    assert info.version >= 1
    assert info.source
    assert info.kind in KINDS
    assert (folder("templates") / "help" / f"{name}.txt").exists(), f"templates/help/{name}.txt is missing"
    page = Pages().help(name)
    assert page is not None
    assert page.isascii()
    assert [line for line in page.splitlines() if len(line) > WIDTH] == []
    assert all(f"-{option.name}" in page for option in info.told)


@every_game
def test_the_game_is_finished(name):
    """None of the marks that `pbm game new` leaves for its author remain."""
    rules = Path(inspect.getfile(type(GAMES[name])))
    files = [rules, folder("templates") / "help" / f"{name}.txt", COUNTS / f"{name}.json"]
    marked = [path for path in files if path.exists() and "TODO" in path.read_text()]
    assert not marked, f"something is still to be written in {' and '.join(map(str, marked))}"


# Golden files; their form is described in tests/games/golden/README.md


@quick_and_whole
@every_game
def test_move_counts_are_the_golden_ones(name, whole):
    for case in golden_cases(name, whole=whole):
        plies, wins = counted(GAMES[name], case.options, case.body, len(case.plies))
        assert plies == case.plies, case.options
        assert case.wins in (None, wins), case.options


@every_game
def test_move_counts_say_where_they_come_from(name):
    path = COUNTS / f"{name}.json"
    assert path.exists(), f"{path} is missing"
    golden = json.loads(path.read_text())
    assert golden["game"] == name
    assert golden["how"]
    assert golden["cases"]


def counted(game, words, body, depth):
    def winner(pos):
        outcome = game.outcome(pos)
        return None if outcome is None else outcome.winner or DRAW

    def successors(pos):
        return [game.play(pos, move) for move in game.moves(pos)]

    return perft(game.start(game.options(words, body=body)), successors, winner, depth)


@every_game
def test_the_game_has_golden_boards(name):
    assert list(BOARDS.glob(f"{name}-*.txt")), f"tests/golden/boards/{name}-*.txt is missing"


@pytest.mark.golden
@pytest.mark.parametrize("path", sorted(BOARDS.glob("*.txt")), ids=lambda path: path.stem)
def test_boards_are_the_golden_ones(path):
    header = path.read_text().partition("\n\n")[0]
    drawn = draw.text(scene_of(GAMES[path.stem.partition("-")[0]], header))
    hold(path, f"{header.rstrip()}\n\n{drawn}")


def scene_of(game, header):
    """The scene that the `key: value` lines of a golden board describe."""
    lines = [line.partition(":")[::2] for line in header.splitlines()]
    said = {key: value.strip() for key, value in lines}
    body = "\n".join(value.strip() for key, value in lines if key == "body")
    pos, last = game.start(game.options(said["options"].split(), body=body)), None
    for notation in filter(None, said.get("moves", "").split(" | ")):
        last = game.parse(pos, notation)
        pos = game.play(pos, last)
    if "zoom" not in said:
        return game.scene(pos, last)
    point, factor = said["zoom"].rsplit(maxsplit=1)
    assert isinstance(game, Zoomable)
    return game.zoom(pos, last, point, int(factor))
