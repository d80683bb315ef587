"""Help: there are pages for everything, short enough to read, and each example in them works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import lxml.html
import pytest

from games import GAMES
from games.hex import Hex
from pbm.compose.pages import Pages
from pbm.domain.errors import Rejected
from pbm.domain.settings import CHOICES
from pbm.reading.commands import begins, clean, parse
from pbm.reading.verbs import ENTRIES, GROUPS, VERBS, Standing, Verb
from pbm.resources import folder
from tests.conversation import House

PAGES = Pages()
SUBJECTS = sorted(path.stem for path in (folder("templates") / "help").glob("*.txt"))
USAGES = frozenset(verb.line for verb in VERBS)
STANDINGS = (Standing(), Standing(known=True, proven=True), Standing("cross", 101, known=True, proven=True))
"""A mail of its own, an answer to any mail of ours, and an answer to a board mail."""


def page(subject: str) -> str:
    shown = PAGES.help(subject)
    assert shown is not None
    return shown


def examples(text: str) -> Iterator[str]:
    """Indented lines that begin like a command, without the remark after two blanks; usage lines are left out."""
    for line in text.splitlines():
        command = re.split(r"\s{2,}", line.strip())[0]
        if "[" in command or command in USAGES:
            continue
        if re.match(r" {2,3}\S", line) and re.match(r"[a-z]", command) and begins(clean(command)) and " " in command:
            yield command


def is_command(line: str) -> bool:
    for standing in STANDINGS:
        try:
            parse(clean(line), standing, lambda word: word in ("alice", "bob", "USERID"))
        except Rejected:
            continue
        return True
    return False


def test_every_example_is_a_command() -> None:
    shown = [(subject, line) for subject in SUBJECTS for line in examples(page(subject))]
    assert [(subject, line) for subject, line in shown if not is_command(line)] == []


def test_a_page_fits_into_a_mail() -> None:
    for subject in SUBJECTS:
        text = page(subject)
        assert max(map(len, text.splitlines())) <= 78, subject
        assert "\n\n\n" not in text, subject
        assert text.endswith("\n"), subject


def test_examples_are_found_where_there_are_some() -> None:
    assert "cross challenge me bob" in list(examples(page("tutorial")))
    assert "signup alice PASSWORD" in list(examples(page("signup")))
    assert sum(len(list(examples(page(subject)))) for subject in SUBJECTS) > 60


def test_the_list_of_commands_has_each_in_its_group() -> None:
    shown = " ".join(page("commands").split())
    for verb in VERBS:
        assert verb.group in GROUPS
        if ENTRIES[verb].rank:
            assert f"{verb.line} " in shown, verb.name
    places = [page("commands").index(group.upper()) for group in GROUPS]
    assert places == sorted(places)


def names_of(verb: Verb) -> Iterator[str]:
    yield from (verb.name, verb.name.upper(), *verb.aliases)
    if verb.shortest:
        yield verb.name[: verb.shortest]
    if verb.per_game:
        yield f"cross {verb.name}"


def test_a_page_by_any_name_of_its_command_says_in_html_what_it_says_in_text(house: House) -> None:
    house.player("alice", "both")
    verbs = {verb.name for verb in VERBS}
    asked = dict.fromkeys(SUBJECTS, "") | {name: verb.line for verb in VERBS for name in names_of(verb)}
    for number, (name, line) in enumerate(asked.items()):
        if number % 20 == 0:  # 30 pages an hour come to somebody who proves nothing
            house.wait(timedelta(hours=2))
        (got,) = house.send("alice", f"help {name}")
        assert line in " ".join(got.body.split()), name
        assert name not in verbs or got["Subject"] == f"pbm: help {name}"
        html = lxml.html.fromstring(got.part("text/html")).text_content()
        assert re.sub(r"[\s#-]+", "", got.body) in re.sub(r"[\s#-]+", "", html), name


def test_a_game_is_helped_with_in_three_ways(house: House) -> None:
    for name in GAMES:
        bodies = set()
        for number, line in enumerate((f"help {name}", f"{name} help", name)):
            (got,) = house.send(f"reader{number}@{name}.example", line)
            bodies.add(got.body)
        assert len(bodies) == 1, name


def test_the_settings_are_all_explained() -> None:
    shown = " ".join(page("set").split())
    for choice in CHOICES.values():
        assert f"{choice.name}: {choice.range}" in shown


def test_a_game_without_a_page_tells_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Frob(Hex):
        info = replace(Hex.info, name="frob", title="The Frob")

    monkeypatch.setitem(GAMES, "frob", Frob())
    page = PAGES.help("frob") or ""
    assert page.startswith("The Frob: join top and bottom (Red) or left and right (Blue) of a rhombus of\nhexagons.")
    assert "frob challenge [-size=N] USERID1 USERID2" in page


def test_an_option_whose_meaning_tells_its_default_has_no_other() -> None:
    assert "(as many as -stones if left out), a number from 3 to 198. Rules:" in " ".join(page("luddit").split())


def test_what_nobody_understands_is_answered_with_the_way_to_help(house: House) -> None:
    (got,) = house.send("a@example.com", "frobnicate the board")
    assert "help tutorial" in got.body
    (got,) = house.send("b@example.com", "help frobnication")
    assert '"frobnication"' in got.body
    assert "help commands" in got.body


def test_help_on_a_verb_may_be_asked_of_a_game(house: House) -> None:
    (got,) = house.send("somebody@example.com", "cross help move")
    assert got["Subject"] == "pbm: help cross move"
    assert "GAME move BOARD" in got.body
