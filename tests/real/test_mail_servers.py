"""Games over real mail servers: each way in and out with Postfix and Dovecot, set up as in docs/mail-servers.md.

Most machines lack these servers, which need root, so `make test` leaves the tests out; .ci/run runs them.
"""

from __future__ import annotations

import json
import random
import smtplib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from email.message import EmailMessage
from pathlib import Path

import dkim
import pytest

from games import GAMES
from pbm.domain.match import State
from pbm.edges.signing import new_keys, signing_keys
from tests.games.variants import smallest
from tests.patience import PATIENCE_SECONDS
from tests.real.people import Person, answer_to, text_of
from tests.real.servers import CERTIFICATE, PLAYERS, MailServers, Piped, pbm, recipe

pytestmark = pytest.mark.real

SHORT_GAMES = {name: smallest(GAMES[name]) for name in {game.info.kind: name for name, game in GAMES.items()}.values()}
"""One game of each kind; a player may not begin all games in one day."""
MOST_PLIES = 8
"""A longer game is resigned."""


def configuration(servers: MailServers, kind: str, **more: str) -> str:
    """A recipe for pbm. more: further replacements."""
    replaced = {
        "/var/lib/pbm/pbm.db": f"{servers.folder}/{kind}.db",
        'host = "127.0.0.1"\nport = 25': f'host = "127.0.0.1"\nport = {servers.smtp}',
    }
    return recipe(f"pbm-{kind}.toml", replaced | more)


def by_lmtp(servers: MailServers) -> tuple[str, str]:
    """With signatures."""
    key = servers.folder / "dkim.pem"
    key.write_bytes(new_keys())
    ours = {"127.0.0.1:8024": f"127.0.0.1:{servers.lmtp_port}", "[delivery]": f'[dkim]\nkey = "{key}"\n\n[delivery]'}
    return "pbm@example.org", configuration(servers, "lmtp", **ours)


def by_imap(servers: MailServers) -> tuple[str, str]:
    mailbox = {
        '"imap.example.net"\nport = 993': f'"localhost"\nport = {servers.imaps}\nca_file = "{CERTIFICATE}"',
        "[server]\n": '[server]\nlisten = "127.0.0.1:0"\n',
    }
    return "pbm@example.net", configuration(servers, "imap", **mailbox)


def operator(file: Path, *words: str) -> str:
    """The output of a pbm command."""
    done = subprocess.run(
        [sys.executable, "-m", "pbm", *words, "--config", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Table:
    """A board as both players see it, played by answering its mails until it is over."""

    def __init__(self, game: str, people: dict[str, Person]) -> None:
        self.game = game
        self.people = people
        self.title = GAMES[game].info.short_title
        self.state = State.start(GAMES[game], SHORT_GAMES[game])
        self.record: list[str] = []
        self.board = 0

    def is_of_board(self, letter: EmailMessage) -> bool:
        subject = str(letter["Subject"])
        return subject.startswith(f"{self.title} Board ") and subject.endswith(" alice-bob")

    def play(self) -> None:
        """Alice moves first, by a mail that is sent twice."""
        alice = self.people["alice"]
        alice.write(f"{self.game} challenge {' '.join(SHORT_GAMES[self.game])} alice bob alice alice-password")
        first = alice.wait_for(self.is_of_board)
        self.board = int(str(first["Subject"]).split(" Board ")[1].split()[0])
        chance = random.Random(f"{self.game} by mail")
        while self.state.outcome is None and len(self.record) < MOST_PLIES:
            self._move(chance)
        if self.state.outcome is None:
            letter = alice.wait_for(lambda letter: self._is_of_ply(letter, len(self.record) + 1))
            alice.answer(letter, "resign!")
        for person in self.people.values():
            person.wait_for(self.is_of_board, self.mails)

    @property
    def mails(self) -> int:
        """The number of mails to each player: at the start, for each ply and for a resignation, and the keepsake."""
        return 1 + len(self.record) + (self.state.outcome is None) + (len(self.record) > 1)

    def _move(self, chance: random.Random) -> None:
        mover = ("alice", "bob")[self.state.to_move - 1]
        letter = self.people[mover].wait_for(lambda letter: self._is_of_ply(letter, len(self.record) + 1))
        legal = [move for move, _ in zip(self.state.game.moves(self.state.position), range(500), strict=False)]
        notation = self.state.game.notate(self.state.position, chance.choice(legal))
        sent = self.people[mover].answer(letter, notation)
        if not self.record:
            self.people[mover].send(sent)
        self.state, _ = self.state.play(notation)
        self.record.append(notation)

    def _is_of_ply(self, letter: EmailMessage, ply: int) -> bool:
        """Mails may overtake each other; only the words of the board count."""
        return self.is_of_board(letter) and f"ply {ply} is next" in " ".join(text_of(letter).split())


def sign_up(person: Person) -> None:
    person.write(f"signup {person.name} {person.name}-password")
    asked = person.wait_for(lambda letter: True)
    person.answer(asked, "Yes.")
    person.wait_for(lambda letter: True, 2)


def vacation(person: Person, letter: EmailMessage) -> None:
    """Answer like an autoresponder, to the return path and, as bad ones do, also to Reply-To."""
    away = {"Auto_Submitted": "auto-replied (vacation)", "In_Reply_To": letter["Message-ID"]}
    for to in (str(letter["Return-Path"]).strip("<>"), answer_to(letter)):
        person.write_to(to, f"Away: {letter['Subject']}", "I am away.\nresign\n", **away)


@pytest.mark.parametrize("way", [by_lmtp, by_imap])
def test_two_people_play_games_by_answering_their_mail(servers: MailServers, way) -> None:
    robot, toml = way(servers)
    with (
        pbm(servers, way.__name__, toml) as file,
        closing(Person(servers, "alice", robot)) as alice,
        closing(Person(servers, "bob", robot)) as bob,
    ):
        people = {"alice": alice, "bob": bob}
        for person in people.values():
            sign_up(person)
        operator(file, "player", "add", "carol", "--address", f"carol@{PLAYERS}", "--password", "carol-password")
        alice.write("cross challenge -size=2 alice carol carol carol-password")
        vacation(bob, bob.received[-1])
        tables = [Table(game, people) for game in SHORT_GAMES]
        with ThreadPoolExecutor(len(tables)) as threads:
            for done in [threads.submit(table.play) for table in tables]:
                done.result()
        settled(file, {"handled before": len(tables), "delivery status": 1, "": len(tables) + 3})
        for table in tables:
            check(table, file)
        if way is by_lmtp:
            rsa, _ = signing_keys("pbm", (servers.folder / "dkim.pem").read_bytes())
            assert all(dkim.verify(raw, dnsfunc=lambda *_, **__: rsa.record.encode()) for raw in alice.raw + bob.raw)


def settled(file: Path, ignored: dict[str, int]) -> None:
    """Wait until no mail waits, and this many are ignored for a reason with each of the words; none may be parked."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        inbox = json.loads(operator(file, "inbox", "list", "--limit", "1000", "--json"))
        outbox = json.loads(operator(file, "outbox", "list", "--limit", "1000", "--json"))
        reasons = [row["reason"] for row in inbox if row["state"] == "ignored"]
        found = {word: sum(word in reason for reason in reasons) for word in ignored}
        waiting = any(row["state"] == "new" for row in inbox) or any(row["state"] == "queued" for row in outbox)
        if (found == ignored and not waiting) or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    assert found == ignored, reasons
    assert {row["state"] for row in inbox} == {"handled", "ignored"}
    assert {row["state"] for row in outbox} == {"sent"}
    assert {row["address"] for row in outbox} == {f"{name}@{PLAYERS}" for name in ("alice", "bob", "carol")}


def check(table: Table, file: Path) -> None:
    shown = json.loads(operator(file, "board", "show", str(table.board), "--json"))
    assert shown["record"] == table.record
    assert shown["result"] is not None
    if table.state.outcome is None:
        assert shown["winner"] == "bob"
    for person in table.people.values():
        person.look()
        letters = [letter for letter in person.received if table.is_of_board(letter)]
        assert len(letters) == table.mails, f"{person.name} on board {table.board}"
        assert len({letter["Thread-Index"] for letter in letters}) == 1


@pytest.mark.parametrize("way", ["smtp", "unix", "pipe"])
def test_every_other_way_in_brings_a_mail_and_its_answer(servers: MailServers, way: str) -> None:
    domain = f"{way}.example.org"
    listen = {
        "smtp": f'listen = "127.0.0.1:{servers.smtp_port}"',
        "unix": f'listen = "unix:{servers.unix_socket}"\nunix_mode = "666"\nlmtp = true',
        "pipe": 'listen = "127.0.0.1:0"',
    }[way]
    replaced = {
        'listen = "127.0.0.1:8024"\nlmtp = true': listen,
        'domain = "example.org"': f'domain = "{domain}"',
        f"{servers.folder}/lmtp.db": f"{servers.folder}/{way}.db",
    }
    toml = configuration(servers, "lmtp")
    for old, new in replaced.items():
        assert old in toml
        toml = toml.replace(old, new)
    with (
        pbm(servers, way, toml) as file,
        closing(Person(servers, "probe", f"pbm@{domain}")) as probe,
        Piped(servers.folder / "pbm"),
    ):
        sent = probe.write("help")
        letter = probe.wait_for(lambda letter: letter["In-Reply-To"] == sent["Message-ID"])
        assert "pbm" in text_of(letter)
        assert letter["Auto-Submitted"] == "auto-replied"
        [row] = json.loads(operator(file, "inbox", "list", "--json"))
        assert row["mail_from"] == probe.address


@pytest.mark.parametrize(
    ("strips", "verdict", "said"),
    [
        (False, "FAIL", "does not strip what others write in its name, so anybody can act as any player"),
        (True, "OK", "strips what others write in its name"),
    ],
)
def test_the_doctor_finds_out_whether_forged_results_are_stripped(
    servers: MailServers, strips: bool, verdict: str, said: str
) -> None:
    words = 'lmtp = true\nauthserv_id = "mx.example.org"\nauthserv_strips = true'
    toml = configuration(servers, "lmtp", **{"lmtp = true": words})
    toml = toml.replace("127.0.0.1:8024", f"127.0.0.1:{servers.lmtp_port}").replace("lmtp.db", "doctor.db")
    with ExitStack() as stack:
        if strips:
            stack.enter_context(servers.stripping())
        file = stack.enter_context(pbm(servers, "doctor", toml))
        command = [sys.executable, "-m", "pbm", "doctor", "--json", "--config", str(file)]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        found = {each["check"]: each for each in json.loads(told.stdout)}
        assert found["loopback"]["verdict"] == "OK"
        assert found["forged results"]["verdict"] == verdict, found
        assert said in found["forged results"]["reason"]


def test_addresses_that_are_not_ours_are_refused_at_once(servers: MailServers) -> None:
    with smtplib.SMTP("127.0.0.1", servers.smtp) as postfix:
        postfix.helo()
        postfix.mail("alice@players.example")
        assert postfix.rcpt("pbm+token@example.org")[0] == 250
        assert postfix.rcpt("bounce+token@example.org")[0] == 250
        assert postfix.rcpt("nobody@example.org")[0] == 550
