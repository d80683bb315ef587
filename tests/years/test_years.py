"""A short life of a small club, from a seed: no promise is broken, and the referee sees whatever is tampered with."""

from __future__ import annotations

import copy
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conversation import START
from tests.years.club import Outcome, live
from tests.years.referee import broken
from tests.years.story import Story
from tests.years.world import Faults

DAYS, PEOPLE = 4, 6
MANY = Faults(
    kill=0.03, full=0.02, lost=0.1, twice=0.1, delayed=0.1, not_now=0.1, refused=0.02, maybe=0.05, outage=0.03
)

Life = tuple[Outcome, Path]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """A club in which everything fails often."""
    folder = tmp_path_factory.mktemp("life")
    return live(folder, seed=4, days=DAYS, people=PEOPLE, enemies=0, faults=MANY), folder / "club.db"


def test_no_promise_is_broken_where_everything_fails_often(life: Life) -> None:
    outcome, _ = life
    assert outcome.problems == ()
    assert outcome.kills > 3
    assert outcome.troubles > 3
    assert len(outcome.story.said) > 60


def test_the_same_seed_leads_to_the_same_trace_to_the_letter(tmp_path: Path) -> None:
    traces = []
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        traces.append(live(tmp_path / place, seed=5, days=1, people=3, enemies=1, faults=MANY).story.lines)
    assert traces[0] == traces[1]


def forget_what_was_told(story: Story, _tables: sqlite3.Connection) -> None:
    said = next(said for said in story.said if said.board is not None and said.safe_at is not None)
    story.told = [told for told in story.told if told.board != said.board]


def play_for_somebody(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute("UPDATE plies SET notation = 'Z9' WHERE ply = 1 AND NOT auto")


def park(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute("UPDATE inbox SET state = 'parked' WHERE id = (SELECT max(id) FROM inbox WHERE state = 'handled')")


def handle_twice(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute(
        "INSERT INTO inbox (received_at, recipients, raw, state) "
        "SELECT received_at, recipients, raw, 'handled' FROM inbox WHERE state = 'handled' LIMIT 1"
    )


def lose(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute("UPDATE outbox SET state = 'failed' WHERE id = (SELECT max(id) FROM outbox)")


def add_a_win(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute("UPDATE ratings SET won = won + 1")


def end_early(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute(
        "UPDATE matches SET ending = 'forfeit', winner = 1, ended_at = moved_at + 1 WHERE board NOT IN "
        "(SELECT board FROM matches WHERE ended_at IS NOT NULL)"
    )


def change_settings(_story: Story, tables: sqlite3.Connection) -> None:
    tables.execute("""UPDATE players SET settings = '{"mail": "html"}' WHERE NOT bot""")


def play_while_kept_out(story: Story, tables: sqlite3.Connection) -> None:
    """Whoever plays first on a board of two people."""
    query = "SELECT seat1_id FROM matches JOIN plies USING (board) WHERE ply = 1 AND NOT auto"
    number = next(number for (number,) in tables.execute(query) if number in story.ids)
    story.kept_out.append((story.ids[number], START, START + timedelta(days=DAYS)))


def keep_an_address(story: Story, _tables: sqlite3.Connection) -> None:
    story.erased[story.said[0].author] = story.told[-1].told_at


def tell_a_secret(story: Story, _tables: sqlite3.Connection) -> None:
    story.secrets["secret99x"] = story.said[0].author
    other = next(told for told in story.told if told.address != story.said[0].sender)
    story.told.append(replace(other, key="new", text="alice thinks of secret99x"))


def tell_it_in_other_words(story: Story, _tables: sqlite3.Connection) -> None:
    story.told.append(replace(story.told[0], text="other words"))


@pytest.mark.parametrize(
    "tamper",
    [
        forget_what_was_told, play_for_somebody, park, handle_twice, lose, add_a_win, end_early, change_settings,
        play_while_kept_out, keep_an_address, tell_a_secret, tell_it_in_other_words,
    ],
)  # fmt: skip
def test_the_referee_sees(life: Life, tmp_path: Path, tamper: Callable[[Story, sqlite3.Connection], None]) -> None:
    outcome, database = life
    story = copy.deepcopy(outcome.story)
    changed = Path(shutil.copy(database, tmp_path / "copy.db"))
    with closing(sqlite3.connect(changed)) as tables, tables:
        tamper(story, tables)
    assert list(broken(story, changed))
