"""A short life of a small club, from a seed: no promise is broken, and the referee sees whatever is tampered with."""

from __future__ import annotations

import copy
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbm.store.queues import Outbox
from pbm.store.tables import REVISION
from tests.conversation import ROBOT, START
from tests.years.club import Case, live, lived, shrunk
from tests.years.referee import broken
from tests.years.story import Story
from tests.years.world import NONE, Faults, World

DAYS, PEOPLE = 4, 6
MANY = Faults(
    kill=0.03,
    full=0.02,
    lost=0.1,
    twice=0.1,
    delayed=0.1,
    not_now=0.1,
    refused=0.02,
    maybe=0.05,
    full_mailbox=0.02,
    outage=0.09,
    hang=0.01,
    power=0.005,
)


@pytest.mark.oracle
def test_the_same_seed_leads_to_the_same_trace_to_the_letter(tmp_path: Path) -> None:
    traces = []
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        traces.append(live(tmp_path / place, Case(5, days=1, people=3, enemies=1, faults=MANY)).story.lines)
    assert traces[0] == traces[1]


def test_servers_of_an_older_version_end_when_they_notice_that_the_database_was_upgraded(tmp_path: Path) -> None:
    world = World(tmp_path, 6, NONE)
    world.upgrade()
    assert world.kills == 1
    world.post.write("eve", "eve@x.example", ROBOT.address, "help")
    world.run(START + timedelta(days=1))
    world.close()
    assert [line.partition(" is killed: ")[2] for line in world.story.lines if "killed" in line] == [
        f"it is upgraded to {int(REVISION) + 1:04}", "it is of an older version"
    ]  # fmt: skip
    with closing(sqlite3.connect(world.path)) as tables:
        assert tables.execute("SELECT state FROM inbox").fetchall() == [("handled",)]


IN_TABLES = {
    "UPDATE plies SET notation = 'Z9' WHERE ply = 1 AND NOT auto": "never wrote Z9",
    "UPDATE inbox SET state = 'parked' WHERE id = (SELECT max(id) FROM inbox WHERE state = 'handled')": "is parked: ",
    "INSERT INTO inbox (received_at, recipients, raw, state) "
    "SELECT received_at, recipients, raw, 'handled' FROM inbox WHERE state = 'handled' LIMIT 1": "is in the inbox as",
    "DELETE FROM outbox": "nobody was told anything because of",
    "UPDATE outbox SET state = 'failed' WHERE id = (SELECT max(id) FROM outbox)": "is failed: ",
    "INSERT INTO ratings VALUES (1, 'moku', 1500, 350, 0.06, 1, 0, 0, 0)": "1 won, 0 lost, 0 drawn in moku",
    "INSERT INTO ratings VALUES (1, 'moku', 1501, 350, 0.06, 0, 0, 0, 0)": "is rated 1501.00 in moku",
    "UPDATE matches SET ending = 'forfeit', winner = 1, ended_at = moved_at + 1 WHERE ended_at IS NULL": "ed by time",
    "UPDATE matches SET ending = 'resigned', winner = 1, ended_at = moved_at WHERE ended_at IS NULL": "who never did",
    "UPDATE plies SET time_left = time_left + 1 WHERE time_left > 0": "left, and not",
    "UPDATE inbox SET reason = 'limit: too much'": "was too much",
    """UPDATE players SET settings = '{"mail": "html"}' WHERE NOT bot""": "has other settings",
    "UPDATE players SET removed_at = created_at": "is gone, and never wanted that",
    "UPDATE addresses SET suspended_at = confirmed_at": "gets no more mail",
    "UPDATE addresses SET address = 'mallory@evil.example' WHERE rowid = 1": "is somebody's address now",
}
"""What is done to the tables, and what the referee says."""


def forget_what_was_told(story: Story) -> None:
    story.told = [told for told in story.told if "played" not in told.text]


def hide_ends(story: Story) -> None:
    story.told = [told for told in story.told if re.search("void|won|drawn", told.text) is None]


def tell_plies_again(story: Story) -> None:
    story.told += [replace(told, key=f"again {told.key}") for told in story.told]


def tell_it_in_other_words(story: Story) -> None:
    story.told.append(replace(story.told[0], text="other words"))


def tell_a_secret(story: Story) -> None:
    story.secrets["secret99x"] = story.said[0].author
    other = next(told for told in story.told if told.address != story.said[0].sender)
    story.told.append(replace(other, key="new", text="alice thinks of secret99x"))


def keep_out(story: Story) -> None:
    story.kept_out += [(userid, START, START + timedelta(days=DAYS)) for userid in story.addresses]


def erase(story: Story) -> None:
    story.erased[story.said[0].author] = story.told[-1].told_at


def want_no_boards(story: Story) -> None:
    story.said = [said for said in story.said if re.search("challenge|seek", said.line) is None]


IN_STORY = {
    forget_what_was_told: "never heard that", hide_ends: "was never told that it has ended",
    tell_plies_again: "times that", tell_it_in_other_words: "came with two texts",
    tell_a_secret: "was told secret99x", keep_out: "played, and was kept out",
    erase: "was erased, and addresses still knows them", want_no_boards: "boards, and asked for fewer",
}  # fmt: skip
"""What is done to what people said and were told, and what the referee says."""


def changed(database: Path, statement: str) -> Path:
    """A copy of the database after the statement."""
    copied = Path(shutil.copy(database, database.with_name("copy.db")))
    with closing(sqlite3.connect(copied)) as tables, tables:
        tables.execute(statement)
    return copied


def tampered(story: Story, tamper: Callable[[Story], None]) -> Story:
    copied = copy.deepcopy(story)
    tamper(copied)
    return copied


def test_no_promise_is_broken_where_everything_fails_often_and_the_referee_sees_what_is_changed(tmp_path: Path) -> None:
    """One test, because to live takes seconds."""
    outcome, database = live(tmp_path, Case(9, DAYS, PEOPLE, enemies=0, faults=MANY)), tmp_path / "club.db"
    assert outcome.problems == ()
    assert outcome.kills > 3
    assert outcome.troubles > 0
    assert len(outcome.story.said) > 60
    said = {statement: "\n".join(broken(outcome.story, changed(database, statement))) for statement in IN_TABLES}
    assert [statement for statement, sentence in IN_TABLES.items() if sentence not in said[statement]] == []
    heard = {tamper: "\n".join(broken(tampered(outcome.story, tamper), database)) for tamper in IN_STORY}
    assert [tamper for tamper, sentence in IN_STORY.items() if sentence not in heard[tamper]] == []


@pytest.mark.oracle
def test_a_failure_shrinks_to_few_people_and_faults_and_tells_what_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault made by hand: a mail that the smarthost does not take yet counts as sent."""
    monkeypatch.setattr(Outbox, "postpone", lambda outbox, number, due_at, *_, **__: outbox.sent([number], due_at))
    case = Case(4, days=0.5, people=4, enemies=1, faults=replace(NONE, kill=0.01, not_now=0.5))
    small = shrunk(case, lambda each: bool(lived(each).problems))
    assert (small.people, small.enemies, small.faults) == (2, 0, replace(NONE, not_now=0.5))
    problem, *happened = lived(small).report
    board = re.search(r"board \d+, ply \d+: \w+ never heard", problem)
    assert board is not None
    assert any(board[0].partition(",")[0] in line.casefold() for line in happened)
    assert "--people 2 --enemies 0 --without kill,full" in str(small)
