"""What a shell and `man` know of these commands: `pbm completion`, `pbm manual`."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import get_completion_class

from pbm import __version__
from pbm.cli.frame import Command, pages
from pbm.cli.output import FOLDER, force_option, new_file, say

_PLACES = {
    "bash": ".local/share/bash-completion/completions/pbm",
    "zsh": ".local/share/zsh/site-functions/_pbm",
    "fish": ".config/fish/completions/pbm.fish",
}
"""Where each shell looks for completions, in the home; zsh only if that folder is in fpath."""


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(list(_PLACES)))
@click.option("--install", is_flag=True, help="Write it to where the shell looks for it, in place of printing it.")
@force_option
@click.pass_context
def completion(ctx: click.Context, shell: str, install: bool, force: bool) -> None:
    """Print what lets a shell complete these commands.

    For zsh, the folder that --install names must be in fpath before compinit is called in ~/.zshrc.
    """
    completes = get_completion_class(shell)
    assert completes is not None  # noqa: S101  click knows all three
    source = completes(ctx.find_root().command, {}, "pbm", "_PBM_COMPLETE").source()
    if not install:
        click.echo(source, nl=False)
        return
    place = Path.home() / _PLACES[shell]
    _write({place: source}, force=force)
    say(f"{place} is written; it counts from the next shell on.")


@click.command(cls=Command)
@click.argument("folder", type=FOLDER)
@force_option
@click.pass_context
def manual(ctx: click.Context, folder: Path, force: bool) -> None:
    """Write pages for man to FOLDER, such as /usr/local/share/man/man1: one for each command.

    Pages that an older version wrote are replaced, and those of commands that are gone removed.
    """
    named = {page.command_path.replace(" ", "-"): page for page in pages(ctx.find_root())}
    texts = {folder / f"{name}.1": _roff(name, page) for name, page in named.items()}
    _write(texts, force=force)
    for place in folder.glob(f"{ctx.find_root().info_name}-*.1"):
        if place not in texts and _is_ours(place):
            place.unlink()
    say(f"{folder}: {len(named)} pages, from {ctx.find_root().info_name}.1 on.")


_OURS = '"Abstract games by mail"'
"""The end of the first line of our pages for man, in every version."""


def _is_ours(place: Path) -> bool:
    return place.is_file() and place.read_text(encoding="utf-8", errors="replace").partition("\n")[0].endswith(_OURS)


def _write(texts: dict[Path, str], *, force: bool) -> None:
    """Write files, over our own pages, too. Raises: Refused if another file is in the way; then none is written."""
    for place, text in texts.items():
        is_same = place.is_file() and place.read_bytes() == text.encode()
        new_file(place, force=force or is_same or _is_ours(place))
    for place, text in texts.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _roff(name: str, page: click.Context) -> str:
    """The help as it is shown, with what man wants around it."""
    shown = page.command.get_help(page).replace("\\", "\\e").replace("-", "\\-")
    lines = [f"\\&{line}" if line.startswith((".", "'")) else line for line in shown.splitlines()]
    head = f'.TH "{name.upper()}" 1 "" "pbm {__version__}" {_OURS}'
    summary = page.command.get_short_help_str(100)
    return "\n".join([head, ".SH NAME", f"{name} \\- {summary}", ".SH DESCRIPTION", ".nf", *lines, ".fi", ""])
