"""The golden conversations: what players write and what they get, word for word.

`make golden` writes the mails received; read them as a player before committing them. A new verb needs one new file in
golden/conversations, named after it; a mail with a new set of headers needs one in golden/headers.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import pytest
from sqlalchemy import Connection, Executable, UpdateBase, event

from games import GAMES
from pbm.compose import pages
from pbm.compose.notices import Answer
from pbm.core.registry import HANDLERS, Handler
from pbm.core.request import Request
from pbm.reading.commands import Command
from pbm.reading.verbs import VERBS, Locks
from tests.conversation import INDENT, REFUSED, Got, House, Moments, letters, perform
from tests.databases import Databases
from tests.golden_file import CONVERSATIONS, FOLDER, RENEWED, hold
from tests.parts import FILE, Part, in_full, repeated, shortened
from tests.plans import Plans, judged
from tests.threads import check, threads

HEADERS = sorted((FOLDER / "headers").glob("*.txt"))
SECRET = re.compile(r"\w+pass\b")


def forms_shown() -> set[tuple[str, ...]]:
    """The forms of headers that the files in golden/headers show."""
    heads = re.findall(rf"^<<< \S+@\S+\n\n?((?:{INDENT}.+\n)+)", "".join(map(Path.read_text, HEADERS)), re.MULTILINE)
    return {Got("", textwrap.dedent(head).encode(), None).form for head in heads}


FORMS = forms_shown()


def games_shown() -> frozenset[str]:
    """The games that somebody names or begins in a conversation."""
    scripts = "".join(path.read_text() for path in (*CONVERSATIONS, *HEADERS))
    return frozenset(re.findall(r"^(?:given a game |>>> \S+: (?:help )?)(\w+)", scripts, re.MULTILINE)) & GAMES.keys()


SHOWN = games_shown()
"""The games that the conversations know; a test may add others without making anything here wrong."""


@pytest.fixture(autouse=True)
def _few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    others = GAMES.keys() - SHOWN
    helpful = pages._helpful() - {f"help/{name}.txt" for name in others}
    monkeypatch.setattr(pages, "_helpful", lambda: helpful)
    for name in others:
        monkeypatch.delitem(GAMES, name)


@pytest.fixture(autouse=True)
def _readers_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs that take no lock must not write."""
    for verb in VERBS:
        if verb.locks is Locks.NOTHING:
            monkeypatch.setitem(HANDLERS, verb.name, _read_only(HANDLERS[verb.name]))


def _read_only(handler: Handler) -> Handler:
    def refuse(_connection: Connection, statement: Executable, *_rest: object) -> None:
        assert not isinstance(statement, UpdateBase), statement

    def handle(request: Request, command: Command) -> Answer | None:
        connection = request.tx._connection
        event.listen(connection, "before_execute", refuse)
        try:
            return handler(request, command)
        finally:
            event.remove(connection, "before_execute", refuse)

    return handle


@pytest.fixture(scope="module")
def plans(databases: Databases) -> Iterator[Plans]:
    """Each verb has a conversation, so all statements of all verbs are judged."""
    plans = Plans(databases)
    yield plans
    plans.close()


@pytest.mark.golden
def test_what_conversations_leave_out_is_as_it_is_written(parts: Sequence[Part], performed: list[str]) -> None:
    hold(FILE, performed[0])


def test_no_sentence_stands_in_many_conversations() -> None:
    """So a change of a footer changes few files: golden/parts.txt should name what stands in many.

    How ratings change after a game, and by what rules a tournament goes, is shown as often as it happens.
    """
    shown = repeated({path.stem: path.read_text() for path in CONVERSATIONS})
    assert {line: sorted(names) for line, names in shown.items() if len(names) > 16} == {}


@pytest.mark.golden
@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.stem)
def test_a_conversation_goes_as_it_is_written(path: Path, house: House, plans: Plans, parts: Sequence[Part]) -> None:
    script = path.read_text()
    with judged(plans):
        said = perform(house, script)
    short = shortened(said, parts)
    hold(path, short)
    assert in_full(short, parts) == said
    assert not house.parked()
    faults, plans.faults = plans.faults, []
    assert not faults
    for got in chain.from_iterable(house.mailboxes.values()):
        assert not SECRET.search(got.text), got.text
        assert RENEWED or got.form in FORMS, f"show these in a file of tests/golden/headers:\n{got.head}"
    for mails in house.folders.values():
        check(threads(mails))


@pytest.mark.golden
@pytest.mark.parametrize("path", HEADERS, ids=lambda path: path.stem)
def test_headers_are_as_they_are_written(path: Path, house: House) -> None:
    hold(path, perform(house, path.read_text(), lambda got: got.head))


def test_a_conversation_begins_with_what_it_shows() -> None:
    for path in (*CONVERSATIONS, *HEADERS):
        title = path.read_text().split("\n\n")[0]
        assert title[0].isupper(), path
        assert title.endswith("."), path
        assert not title.startswith((">>>", "given")), path


def test_a_verb_has_a_conversation_with_a_refusal() -> None:
    for name in sorted({verb.name for verb in VERBS}):
        path = FOLDER / "conversations" / f"{name.replace(' ', '-')}.txt"
        assert path.exists(), f"write {path.name}: what players send; `make golden` adds what they get"
        mails = letters(in_full(path.read_text()))
        refused = [REFUSED.search(f"Subject: {subject}\n{text}") for subject, text in mails]
        assert not all(refused), f"{path.name} shows no success"
        assert any(refused), f"{path.name} shows no refusal"


def test_a_conversation_is_the_same_in_every_run(new_house: Callable[..., House]) -> None:
    script = (FOLDER / "conversations" / "move.txt").read_text()
    assert perform(new_house(), script) == perform(new_house(), script)


def test_a_house_that_goes_on_from_the_board_of_another_is_as_one_that_has_played_it(
    databases: Databases, moments: Moments
) -> None:
    urls = [databases.ready() for _ in range(3)]
    houses = [House(url, moments=kept) for url, kept in zip(urls, (None, moments, moments), strict=True)]
    for house in houses:
        house.players("alice", "bob")
        assert house.game("cross -size=4 alice bob", ["D4"]) == 101
        house.answer("bob", "C4", 101)
    played, *others = (
        ({**house.dump(), "players": "salted"}, house.mailboxes, house.folders, house.now) for house in houses
    )
    assert others == [played, played]
    for house, url in zip(houses, urls, strict=True):
        house.service.close()
        databases.release(url)


def test_a_house_where_something_else_has_happened_plays_its_board_itself(new_house: Callable[..., House]) -> None:
    for form in ("text", "html"):
        house = new_house()
        house.players("alice", "bob")
        if form != "text":
            with house.service.store.write() as tx:
                tx.players.save_settings(1, {"mail": form})
        house.game("cross -size=4 alice bob")
        with house.service.store.read() as tx:
            assert tx.players.settings(1)["mail"] == form
