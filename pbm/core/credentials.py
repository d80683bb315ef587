"""Rules for userids and passwords: they are no words of the server; and accounts opened by an answer from an address.

Such an account needs no password.
"""

from __future__ import annotations

import re
from functools import cache

from pbm.bots.levels import LEVELS
from pbm.core.bus import have_all
from pbm.core.limits import UNANSWERED, Whose, forget
from pbm.core.passwords import MAX_LENGTH
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.domain.likeness import look
from pbm.domain.match import Player
from pbm.reading.book import words
from pbm.reading.commands import is_whole
from pbm.reading.consent import Answer, consent
from pbm.reading.verbs import NO_USERIDS, SHORTEST_SECRET, VERBS, find
from pbm.store import Transaction
from pbm.store.belongings import NO_PASSWORD

ERASED = "erased-"
"""The beginning of userids that replace those of erased players."""
USERID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,19}")
_ROBOT = re.compile(r"robot\d*", re.IGNORECASE)
NO = frozenset({"no", "n", "nope", "not", "never", "decline", "reject", "stop", "unsubscribe"})


@cache
def _reserved() -> frozenset[str]:
    robots = {"robot", *(f"robot{level}" for level in LEVELS)}
    return frozenset({"pbm", *robots, *NO_USERIDS, *(verb.name.split()[0] for verb in VERBS)})


_OF_THE_HOUSE = frozenset(
    {
        *("abuse", "admin", "administrator", "hostmaster", "operator", "postmaster", "root", "security", "webmaster"),
        *("daemon", "mailer-daemon", "no-reply", "nobody", "noreply", "robots", "server", "system"),
        *("moderator", "support"),
    }
)
"""Names that seem to speak for the server."""


@cache
def _words() -> frozenset[str]:
    """Words that mails contain anyway, so that none could be kept secret."""
    names = (name.split() for verb in VERBS for name in (verb.name, *verb.aliases))
    return (_reserved() | words("requesting")).union(*names)


def check_userid(userid: str) -> None:
    """Raises: BadArguments."""
    if not USERID.fullmatch(userid):
        raise BadArguments(
            f'"{userid[:40]}" cannot be a userid: take a letter from a to z and up to 19 more letters, digits, ".", '
            '"-" or "_".'
        )
    if _ROBOT.fullmatch(userid):
        raise BadArguments(f'"{userid}" is a name for robots; choose another userid.')
    # No word of a feature may become a userid.
    have_all()
    # "p0stmaster" would be believed, as "postmaster" would.
    is_like = look(userid) in map(look, _reserved() | _OF_THE_HOUSE)
    if is_like or userid.casefold().startswith(ERASED) or find(userid) is not None:
        raise BadArguments(f'"{userid}" is a word of the server; choose another userid.')


def check_free(tx: Transaction, userid: str, besides: int = 0) -> None:
    """Raises: BadArguments; NotAllowed if somebody has or had the userid, or one that looks like it.

    besides: the id of a player who may have it.
    """
    check_userid(userid)
    if tx.players.is_taken(userid, besides):
        raise NotAllowed(f'The userid "{userid}" is taken; choose another.')


def rename(tx: Transaction, player: Player, wanted: str) -> Player:
    """Give a player another userid; the old one still finds them, and what keeps them out does so under the new one.

    Raises: BadArguments, NotAllowed.
    """
    check_free(tx, wanted, besides=player.id)
    tx.players.keep_name(player, wanted)
    tx.erasure.call(player, wanted)
    # Otherwise a new name would lift a ban.
    for ban in tx.bans.of([player.userid.casefold()], tx.now).values():
        tx.bans.lift(ban.subject)
        tx.bans.put(ban._replace(subject=wanted.casefold()))
    return Player(player.id, wanted)


def check_password(password: str) -> None:
    """Raises: BadArguments; the sentence does not repeat the password."""
    if not is_password(password):
        raise BadArguments(f"A password has {SHORTEST_SECRET} to {MAX_LENGTH} characters, without blanks.")
    # Commands lose punctuation at their ends, and read a leading dash as an option.
    if not is_whole(password):
        raise BadArguments(
            "Commands would misread that; choose a password that begins and ends with a letter or a digit."
        )
    # Passwords are blackened in what we quote and store; this one would blacken commands.
    if password.casefold() in _words():
        raise BadArguments("That is a word of the server, which no email could hide; choose another password.")


def is_password(word: str) -> bool:
    """Whether the word may be a password."""
    return SHORTEST_SECRET <= len(word) <= MAX_LENGTH and word.isprintable() and " " not in word


def first_line(text: str) -> str:
    """The first line that is not blank; empty if there is none."""
    return next(filter(None, map(str.strip, text.splitlines())), "")


def chosen_password(text: str) -> str:
    """The password that an answer gives in its first line, also after the word of the command; empty if it declines.

    >>> chosen_password("no-way-jose"), chosen_password("password: Sesame1"), chosen_password("Stop!")
    ('no-way-jose', 'Sesame1', '')
    """
    word = re.sub(r"^password:?\s+", "", first_line(text), flags=re.IGNORECASE)
    # A password may begin like a refusal: "no-way-jose".
    is_a_word = not is_password(word) or word.strip(".,!?").isalpha()
    return "" if is_a_word and declines(text) else word


def declines(text: str) -> bool:
    """Whether the answer says no, in whatever words.

    >>> declines("No! Who are you?"), declines("I don't know you, please stop."), declines("Yes, that was me.")
    (True, True, False)
    """
    begins = re.split(r"[^\w]", first_line(text), maxsplit=1)[0].casefold()
    return begins in NO or consent(text).answer in (Answer.NO, Answer.NEVER)


def is_clear(text: str) -> bool:
    """Whether the answer to a question that offers no game is a clear yes or no; an empty one is a yes.

    >>> is_clear(""), is_clear("It was me."), is_clear("That wasn't me!"), is_clear("Who is this?"), is_clear("Hello")
    (True, True, True, False, False)
    >>> is_clear("start"), is_clear("My name is Joe."), is_clear("I'd like to confirm it"), is_clear("Sign me up!")
    (False, False, True, True)
    """
    return not text.strip() or declines(text) or consent(text, to_play=False).answer is Answer.YES


def open_account(tx: Transaction, address: str, userid: str) -> Player:
    """Open an account without a password; the address is confirmed, because its owner has answered from there.

    Raises: BadArguments, NotAllowed.
    """
    check_free(tx, userid)
    player = tx.players.add(userid, NO_PASSWORD, tx.now)
    tx.players.add_address(player.id, address, tx.now, confirmed=True)
    tx.invitations.welcome_back(address)
    forget(tx, UNANSWERED, Whose(to=address))
    return player
