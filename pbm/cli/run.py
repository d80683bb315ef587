"""Commands that run the server, and show how it is: `pbm serve`, `work`, `demo`, `play`, `status`, `doctor`, `config`.

What they do is imported when they run, so that asking for help, and for a sign of life, takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from pbm.cli.frame import GAME_WORDS, Command, Group, Invocation, Refusing, done_by
from pbm.cli.output import FOLDER, force_option, json_option
from pbm.cli.places import database_of

LISTEN, FETCH, HANDLE, DELIVER, THINK = TASKS = ("listen", "fetch", "handle", "deliver", "think")
"""The tasks that a process can take on; others over the same database do the rest."""


def tasks_option(tasks: Collection[str], default: str, meaning: str) -> Callable[[Callable[..., None]], Any]:
    """--do, with some of the tasks, separated by commas; what is chosen comes in their order."""

    def chosen(_: click.Context, __: click.Parameter, value: str) -> list[str]:
        words = {word.strip().lower() for word in value.split(",")}
        for word in words.difference(tasks):
            raise click.BadParameter(f'"{word}" is none of {", ".join(tasks)}.')
        return [task for task in tasks if task in words]

    return click.option(
        "--do", "tasks", callback=chosen, default=default, show_default=True, metavar="TASK,...", help=meaning
    )


maildir_option = click.option(
    "--maildir", type=click.Path(path_type=Path, file_okay=False), help="Deliver to Maildirs in this folder."
)
domain_option = click.option("--domain", help="The part after the @ of our addresses, in place of server.domain.")
metrics_option = click.option(
    "--metrics", metavar="HOST:PORT", help="Serve this process's metrics there, in place of metrics.listen."
)


@click.command(cls=Command)
@click.argument("domain")
@click.option("--operator", metavar="ADDRESS", help="Who is told of faults. [default: postmaster at the domain]")
@click.option(
    "--by", type=click.Choice(["lmtp", "smtp"]), help="How the mail server in front hands mail over. [default: lmtp]"
)
@click.option("--smarthost", metavar="HOST:PORT", help="The mail server that takes our mail. [default: 127.0.0.1:25]")
@click.option("--folder", type=FOLDER, help="For what is written. [default: /etc/pbm for root, else ./pbm-DOMAIN]")
@click.option("--data", type=FOLDER, help="For the database. [default: /var/lib/pbm for root, else data in the other]")
@click.option("--offline", is_flag=True, help="Do not ask the DNS and other servers in the end.")
@force_option
@done_by("pbm.cli.setup")
def init() -> None:
    """Set up a server for DOMAIN: configuration, keys, units, DNS records.

    Asks what the options do not say, if anybody can be asked, and otherwise takes the defaults. It writes a
    configuration, keys that sign emails, units for systemd and the records for the DNS, makes the database, and ends
    with `pbm doctor`, which says what is still to do.
    """


@click.command(cls=Command)
@click.option("--listen", metavar="HOST:PORT", help="Where to listen, in place of server.listen.")
@maildir_option
@domain_option
@tasks_option(TASKS, ",".join(TASKS), "Only these; other processes over the same database may do the others.")
@metrics_option
@done_by("pbm.cli.running")
def serve() -> None:
    """Listen for mail, handle it and deliver the answers, until SIGTERM or SIGINT.

    Needs no configuration. An empty database is set up. One line on standard output says when it accepts mail; logs go
    to standard error. Any number of `pbm serve` and `pbm work` may share a database. SIGHUP reloads the certificate,
    the DKIM key and its selector, [limits], [house], operator and log.level; everything else needs a restart.
    """


@click.command(cls=Command)
@maildir_option
@domain_option
@tasks_option((HANDLE, DELIVER, THINK), f"{HANDLE},{DELIVER}", "Only this.")
@metrics_option
@done_by("pbm.cli.running")
def work() -> None:
    """Handle emails and deliver the answers, beside `pbm serve`, until SIGTERM or SIGINT.

    All of them need the same configuration; metrics.listen is for the `pbm serve` among them. One line on standard
    output says when it is at work; logs go to standard error. If it is killed, others finish what it has begun. Several
    with `--do think` share what robots have to think about.
    """


@click.command(cls=Refusing)
@done_by("pbm.cli.office")
def demo() -> None:
    """Play a game of Cross between two mail programs and a live server, all over real SMTP on this machine."""


@click.command(cls=Refusing, context_settings=GAME_WORDS)
@click.argument("game", nargs=-1, type=click.UNPROCESSED, metavar="[GAME [-NAME=VALUE]...]")
@click.option("--as", "name", metavar="USERID", help="Who you are. [default: alice, or bob if you join somebody]")
@click.option("--against", metavar="USERID", help="Whom you challenge. [default: robot, or alice if you join somebody]")
@click.option("--folder", type=FOLDER, help="For two people: the same one in both terminals, the second one joins.")
@done_by("pbm.cli.terminal")
def play() -> None:
    """Play by email at a live server on this machine, in a full-screen mail program.

    GAME is cross -size=4 if you name none. Arrows and Enter choose a move, or you type it, or any other answer.
    """


@click.command(cls=Command)
@click.option("--watch", is_flag=True, help="Show it again and again, until Ctrl-C.")
@click.option(
    "--every", type=click.FloatRange(0.1), default=2, show_default=True, help="Seconds between looks, for --watch."
)
@click.option("--alive", is_flag=True, help="Only set the exit code: 1 if no server has run for five minutes, else 0.")
@json_option
def status(invocation: Invocation, watch: bool, every: float, alive: bool, as_json: bool) -> None:
    """How the server is doing: queues, ages, rates, and what needs you.

    It shows queues with the age of their oldest email, how many emails came and went, how long they took, what could
    not be delivered and why, addresses that get no mail, locks against guessing, and deadlines of boards. All of it is
    read from the database, whether the server runs or not.
    """
    from pbm.store.pulse import beats

    # Containers ask once a minute: a look at the database without its library and ours is ten times as fast. Whatever
    # it does not find sound is looked at again in full, which says what is wrong.
    if alive and beats(database_of(invocation.config, invocation.database), datetime.now(UTC)):
        return
    from pbm.cli import standing

    if alive:
        standing.check_alive(invocation)
    else:
        standing.show(invocation, every=every if watch else None, as_json=as_json)


@click.command(cls=Command)
@click.option("--offline", is_flag=True, help="Ask no server but our own listener.")
@json_option
@done_by("pbm.cli.checks")
def doctor() -> None:
    """Check everything a server needs, and say what it lacks.

    It checks configuration, permissions, disk, games, database, templates, clock, the DNS (MX, SPF, DKIM, DMARC), the
    servers we depend on, and our listener, by an email that nobody answers. Each check has a line: OK, WARN or FAIL,
    what was found, and what to do. The exit code is 1 if any check failed.
    """


@click.group(cls=Group)
def config() -> None:
    """The configuration: every key, its meaning, its value, its source."""


@config.command()
@json_option
@done_by("pbm.cli.explained")
def show() -> None:
    """Print the current configuration, explained.

    It is a TOML file with the meaning and the source of every key; secrets are masked.
    """


@config.command()
@done_by("pbm.cli.explained")
def check() -> None:
    """Check the configuration and the files it names.

    The exit code is 2 if anything is wrong; each mistake has a line that names the key.
    """
