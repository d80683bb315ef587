"""Verbs of accounts: signing up, names, passwords and addresses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any

from pbm.compose.notices import Answer, Outcome
from pbm.core.bus import ReachChanged, publish
from pbm.core.credentials import check_free, check_password, chosen_password, declines
from pbm.core.credentials import rename as rename_player
from pbm.core.limits import UNANSWERED, Act, Whose, forget
from pbm.core.notify import Desk, MailsRevoked, reader_of
from pbm.core.registry import REFUSALS, by_player, handles, redeems
from pbm.core.reply import done, refuse
from pbm.core.request import Request
from pbm.domain.addresses import check_address
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.domain.likeness import mailbox
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.reading.book import words
from pbm.reading.commands import Command
from pbm.reading.consent import Answer as Consented
from pbm.reading.consent import consent
from pbm.reading.verbs import ACCOUNT, Entry, Verb
from pbm.store.belongings import NO_PASSWORD
from pbm.store.players import Address
from pbm.store.tickets import INVITE, Ticket

MAX_ADDRESSES = 3
CONFIRMING = "pbm: please confirm your address"
"""The subject of mails that ask whether an address belongs to an account."""
RESET = "reset"
"""The purpose of tickets that are answered with a new password."""
RESET_DAYS = 1
MOST_NAMES = 5
"""Names that one player may have had; going back to one of them is always possible."""


@handles(
    Verb("signup NEW-USERID NEW-PASSWORD [ADDRESS...]", ACCOUNT, other_usage="NEW-USERID"),
    Entry(10, "make an account; answer the email that comes back to confirm it"),
)
def signup(request: Request, command: Command) -> None:
    """Ask the addresses to confirm; the userid belongs to nobody until then, and to the first who confirms."""
    userid, password = command.args["NEW-USERID"], command.args.get("NEW-PASSWORD", "")
    first, *rest = " ".join(command.args.values()).casefold().split()
    common = words("common")
    if first in common and not (common | {"password", "account"}).isdisjoint(rest):  # "signup with password please"
        raise BadArguments("Choose a userid, and a password if you want one.", "signup NEW-USERID NEW-PASSWORD")
    if password:
        check_password(password)
    addresses = addresses_of(request, command)
    check_free(request.tx, userid)
    # Each asks an address that may be anybody's.
    if any(letter.subject == CONFIRMING for letter in request.outgoing.letters):
        raise NotAllowed("One email makes one account.")
    for address in addresses:
        _count_question(request, address)
    hashed = request.author.hash_of(password) if password else NO_PASSWORD
    for address in addresses:
        request.outgoing.letters.append(to_confirm(request, address, userid, None, userid=userid, hash=hashed))


@handles(
    Verb("add USERID PASSWORD [ADDRESS...]", ACCOUNT, guarded=True),
    Entry(20, "get your mail at one more address, or at this one; it counts once it has answered"),
)
def add(request: Request, command: Command) -> Answer:
    player, wanted = request.author.who(command), addresses_of(request, command)
    given_up = request.now - timedelta(days=request.tools.house.confirmation_days)
    request.tx.players.drop_unconfirmed(player.id, given_up)
    own = _own_addresses(request, player)
    fresh = _without(wanted, (key for key, address in own.items() if address.confirmed_at))
    if not fresh:
        raise NotAllowed(f'"{wanted[0]}" is an address of your account already.')
    # All of them get each mail of a board.
    if len({*own, *map(str.casefold, wanted)}) > MAX_ADDRESSES:
        names = " and ".join(address.address for address in own.values())
        raise NotAllowed(f"An account has at most {MAX_ADDRESSES} addresses, and you have {names}.", "change address")
    for address in fresh:
        _ask_to_confirm(request, player, address)
    return done(command, f"{' and '.join(fresh)} will get your mail, too, as soon as you answer\nthe email sent there.")


@handles(
    Verb("change address USERID PASSWORD [ADDRESS...]", ACCOUNT, guarded=True),
    Entry(40, "get your mail at other addresses, or at this one, in place of those you have"),
)
def change_address(request: Request, command: Command) -> Answer:
    """The old addresses stay until a new one is confirmed; those that are dropped are told."""
    player, wanted = request.author.who(command), addresses_of(request, command)
    own = _own_addresses(request, player)
    confirmed = {key for key, address in own.items() if address.confirmed_at}
    fresh = _without(wanted, confirmed)
    if not fresh and len(confirmed) == len(wanted):
        raise NotAllowed(f"Your mail goes to {' and '.join(wanted)} already.")
    request.tx.players.drop_unconfirmed(player.id, request.now)
    for address in fresh:
        _ask_to_confirm(request, player, address, wanted)
    if len(fresh) < len(wanted):
        _drop_all_but(request, player, wanted)
        rest = _without(wanted, map(str.casefold, fresh))
        text = f"Your mail goes to {' and '.join(rest)} only."
    else:
        text = "Nothing has changed yet."
    if fresh:
        text += f"\nAn email was sent to {' and '.join(fresh)};\nonce it is answered, your mail goes there."
    return done(command, text)


@handles(Verb("change password USERID PASSWORD NEW-PASSWORD", ACCOUNT, guarded=True), Entry(30, "change your password"))
def change_password(request: Request, command: Command) -> Answer:
    player, password = request.author.who(command), command.args["NEW-PASSWORD"]
    _set_password(request, player, password)
    return done(
        command,
        "Your password is changed. If that was not you, write\n"
        f'"reset password {player.userid}" at once, and choose one that nobody knows.',
    )


@handles(Verb("password NEW-PASSWORD", ACCOUNT), Entry(25, "set a password, if your account has none yet"))
def password_(request: Request, command: Command) -> Answer | None:
    """Set the password if the mail is surely from the player's address; otherwise ask for it there."""
    password, player = command.args["NEW-PASSWORD"], request.sender.shown
    if player is None:
        raise NotAllowed("Answer one of our emails with this line: that shows who you are.", command.verb.line)
    if request.tx.players.password_hash(player.id) != NO_PASSWORD:
        line = "change password USERID PASSWORD NEW-PASSWORD"
        raise NotAllowed("Your account has a password already: name it, too, to change it.", line)
    # With a forwarded mail of ours and a forged From, anybody could take the account over.
    if not request.message.authenticated:
        check_password(password)
        if not _ask_at_all_addresses(request, player, wanted=True):
            raise request.withheld or NotAllowed("You are asked for no password.")
        return None
    _set_password(request, player, password)
    return done(command, "Your password is set. With your userid and it, commands count from any address.")


def _set_password(request: Request, player: Player, password: str) -> None:
    """Raises: BadArguments for an unfit password."""
    check_password(password)
    renew_password(request, player, request.author.hash_of(password))


def renew_password(at: Desk, player: Player, hashed: str) -> None:
    """Set a password and revoke all earlier mails: a thief of the old password may have caused them.

    A question that confirms the first address of an account stays good.
    """
    kept = () if any(each.confirmed_at for each in at.tx.players.addresses(player.id)) else ("confirm",)
    at.tx.players.set_password_hash(player.id, hashed)
    at.tx.guesses.forget_about(player.userid.casefold())
    revoke_mails(at, player, *kept)


def revoke_mails(at: Desk, player: Player, *kept: str) -> None:
    """Make void all mails that the player has got, whoever holds them. kept: purposes of tickets that stay good.

    Invitations stay good, too: strangers hold them, and they prove nothing about the player.
    """
    at.tx.players.revoke_tokens(player.id)
    at.tx.tickets.revoke_of(player.id, at.now, kept=(INVITE, *kept))
    publish(MailsRevoked(player, at), at.tx)


@handles(
    Verb("rename USERID PASSWORD NEW-USERID", ACCOUNT),
    Entry(28, "take another userid; the old one stays yours and leads to the new one"),
)
def rename(request: Request, command: Command) -> Answer:
    player, wanted = request.author.who(command), command.args["NEW-USERID"]
    if wanted == player.userid:
        raise NotAllowed(f"You are {wanted} already.")
    had = request.tx.players.former_names(player.id)
    # Each name stays taken for good.
    if len(had) >= MOST_NAMES and wanted.casefold() not in had:
        raise NotAllowed(f"You have had {MOST_NAMES} names, as many as anybody may.", f"rename {had[0]}")
    renamed = request.author.player = rename_player(request.tx, player, wanted)
    # For further commands of the same mail.
    if request.sender.proven is not None:
        request.author.sender = request.sender._replace(proven=renamed)
    request.tools.states.forget()
    text = f"You are {wanted} now. Whoever writes {player.userid} still means you, and nobody else can be called so."
    return done(command, text, f"pbm: you are {renamed.userid}")


@handles(
    Verb("revoke USERID PASSWORD", ACCOUNT),
    Entry(35, "cancel all emails that you have got so far, so that no answer to them acts for you"),
)
def revoke(request: Request, command: Command) -> Answer:
    """Make all old mails of the player void, whoever holds them now."""
    player = request.author.who(command)
    revoke_mails(request, player)
    return done(
        command,
        "All emails that you have got from us so far are void. Your boards stay as they are. Answer the emails that "
        'come from now on; "show 101" sends board 101 again, "remind" those where it is your turn.',
        "pbm: old emails are void",
    )


@handles(
    Verb("signoff USERID PASSWORD", ACCOUNT, guarded=True), Entry(60, "get no more mail at the address you write from")
)
def signoff(request: Request, command: Command) -> Answer:
    player, sender = request.author.who(command), request.message.sender
    own = _own_addresses(request, player)
    address = own.get(sender.casefold())
    if address is None:
        raise NotAllowed(f'"{sender}" is not an address of your account.')
    others = [each.address for each in own.values() if each.confirmed_at and each != address]
    # Nobody could reach them, and their clocks would run.
    if not others:
        raise NotAllowed(f'"{sender}" is the only address you have. To end your account, write "delete".', "delete")
    request.tx.players.drop_address(address.id)
    request.outgoing.write(address.address, "pbm: no more mail", "moved.txt", player=player)
    return done(command, f"{sender} gets none of your mail any more; {' and '.join(others)} does.")


@handles(
    Verb("reset password [USERID]", ACCOUNT),
    Entry(50, "get an email whose answer sets a new password, if you have lost yours"),
)
def reset_password(request: Request, command: Command) -> Answer:
    """Mail a question for a new password; the answer does not show whether there is such a player."""
    # Counted by network: that says nothing about any account.
    if problem := request.excess(Act.RESET):
        raise problem
    if "USERID" in command.args:
        player = request.tx.players.find(command.args["USERID"])
        players = [] if player is None else [player]
    else:
        sender = request.message.sender
        players = request.tx.players.of_address(sender)
        if not players:
            raise BadArguments(f'No account has the address "{sender}". Name your userid.', "reset password USERID")
    asked = [_ask_at_all_addresses(request, player) for player in players]
    # Only the account's own mailbox may learn that it is one.
    if request.withheld is not None and not any(asked) and not {*players}.isdisjoint(request.sender.at_home):
        raise request.withheld
    return done(
        command,
        "If somebody has this userid, is not banned, and has not been asked too often\n"
        "today, an email goes to the addresses of the account. Answer it to choose a\n"
        "new password.",
    )


def _ask_at_all_addresses(request: Request, player: Player, *, wanted: bool = False) -> bool:
    """Ask a player for a new password, unless they are banned or were asked too often today; whether they are asked.

    The question before stays good if none may be sent in its place. wanted: as for _ask_for_password.
    """
    own = request.tx.players.askable(player.id)
    # They may write to the operator, and to nobody else.
    if request.tx.bans.banned([player], request.now):
        return False
    addresses = [address for address in own if request.may_ask(Act.RESET, address)]
    if addresses:
        request.tx.tickets.revoke(RESET, player.userid, request.now)
    for address in addresses:
        _ask_for_password(request, player, address, answers=False, wanted=wanted)
    return bool(addresses)


def _ask_for_password(
    request: Request, player: Player, address: str, *, problem: str = "", answers: bool = True, wanted: bool = False
) -> None:
    """problem: what was wrong with the password in the last answer. wanted: whether they have none yet."""
    token = request.outgoing.issue(RESET, player.userid, days=RESET_DAYS, player=player, address=address)
    request.outgoing.write(
        address, "pbm: choose a password", "reset.txt", player=player, reply_to=token, answers=answers,
        problem=problem, wanted=wanted,
    )  # fmt: skip


@redeems(RESET)
@by_player
def choose_password(request: Request, ticket: Ticket, player: Player) -> None:
    """The first line of the answer is the new password."""
    password = chosen_password(request.message.text)
    # Somebody else has asked in their name, so nothing changes.
    if not password and declines(request.message.text):
        return
    # It may belong to somebody else by now.
    if ticket.payload["address"].casefold() not in _own_addresses(request, player):
        raise NotAllowed("This address is no longer one of the account's, so nothing has changed.")
    try:
        _set_password(request, player, password)
    except BadArguments as error:
        _ask_for_password(request, player, ticket.payload["address"], problem=str(error))
        return
    for address in request.tx.players.confirmed(player.id):
        own = address == ticket.payload["address"]
        request.outgoing.write(address, "pbm: your password is set", "reset-done.txt", player=player, answers=own)


def addresses_of(request: Request, command: Command) -> list[str]:
    """The addresses that a command names, or else the one it came from. Raises: BadArguments."""
    words = (word.strip(",;") for word in command.args.get("ADDRESS", request.message.sender).split())
    addresses = list({word.casefold(): word for word in words if word}.values())
    if len(addresses) > MAX_ADDRESSES:
        raise BadArguments(f"An account has at most {MAX_ADDRESSES} addresses.")
    for address in addresses:
        check_address(address)
    if not addresses:
        raise BadArguments("Which address? Your email does not come from exactly one.", command.verb.line)
    return addresses


def _count_question(request: Request, address: str) -> None:
    """Count the question whether an address is somebody's. Raises: NotAllowed if it is too much or not wanted."""
    if request.tx.invitations.is_refused(address):
        raise NotAllowed(f"{address} has asked for no more mail from here: nothing was sent there.")
    request.draw(Act.CONFIRM, address)


def _ask_to_confirm(request: Request, player: Player, address: str, instead: Collection[str] = ()) -> None:
    """Add an address, and ask its owner to confirm it. Raises: NotAllowed.

    instead: the addresses that replace all others once it is confirmed; empty to keep the others.
    """
    _count_question(request, address)
    own = _own_addresses(request, player)
    if address.casefold() not in own:
        request.tx.players.add_address(player.id, address, request.now, confirmed=False)
    request.outgoing.letters.append(to_confirm(request, address, player.userid, player, instead=list(instead)))


def to_confirm(at: Desk, address: str, name: str, player: Player | None, **payload: Any) -> Mail:
    """A mail whose answer confirms the address. player: the owner of the account; None if the answer opens it."""
    message = at.message if isinstance(at, Request) else None
    answered = message if message is not None and address.casefold() == message.sender.casefold() else None
    days = at.tools.house.confirmation_days
    token = at.issue("confirm", mailbox(address), days=days, player=player, address=address, **payload)
    return at.letter(
        address, CONFIRMING, "confirm.txt", to=answered,
        reply_to=token, userid=name, days=days, account=player is not None,
    )  # fmt: skip


@redeems("confirm", consented=True)
def confirm(request: Request, ticket: Ticket) -> None:
    """Confirm an address and welcome its owner, unless they say that they have not asked for it."""
    if declines(request.message.text):
        request.tx.tickets.revoke("confirm", ticket.subject, request.now)
        text = "Nothing is confirmed. No account is made with this address."
        address = ticket.payload["address"]
        if consent(request.message.text).answer is Consented.NEVER and not request.tx.players.of_address(address):
            request.tx.invitations.refuse(address, request.now)
            text = "Nothing is confirmed, and nobody can make us write to this address again."
        request.outgoing.answers.append(Answer("no", Outcome.DONE, text, "pbm: nothing was done"))
        return
    try:
        address = _confirmed(request, ticket)
    except REFUSALS as error:
        refuse(request, "your answer", error)
        return
    player = request.tx.players.get(address.player_id) if address is not None else None
    if address is None or player is None:
        return
    forget(request.tx, UNANSWERED, Whose(to=address.address))
    request.author.player = player
    publish(ReachChanged(player), request.tx)
    instead = ticket.payload.get("instead")
    if instead:
        _drop_all_but(request, player, instead)
    own = request.tx.players.confirmed(player.id)
    page = "welcome.txt" if own == [address.address] and not instead else "confirmed.txt"
    token = request.tools.composer.answered_by(reader_of(request, player))
    request.outgoing.write(address.address, "pbm: welcome", page, player=player, reply_to=token, addresses=own)


def _confirmed(request: Request, ticket: Ticket) -> Address | None:
    """The address that has answered, with its account opened if need be; None if its player has dropped it.

    Raises: NotAllowed if somebody else has taken the userid meanwhile.
    """
    players, payload = request.tx.players, ticket.payload
    if "hash" in payload:
        return _signed_up(request, payload["userid"], payload["hash"], payload["address"])
    player = players.get(ticket.player_id)
    own = _own_addresses(request, player).get(payload["address"].casefold()) if player is not None else None
    # The player may have dropped the address since.
    return players.confirm(own.id, request.now) if own is not None else None


def _signed_up(request: Request, userid: str, password_hash: str, address: str) -> Address | None:
    """The address with which somebody signs up, confirmed, in the account that it opens. Raises: NotAllowed."""
    players = request.tx.players
    player = players.find(userid)
    own = _own_addresses(request, player).get(address.casefold()) if player is not None else None
    # Two addresses of one sign-up open one account: the second answer finds it by its password.
    made = player is not None and password_hash != NO_PASSWORD and players.password_hash(player.id) == password_hash
    # The same answer may come twice.
    if own is not None and (made or own.confirmed_at):
        return players.confirm(own.id, request.now)
    # The userid belongs to the first who confirms it.
    if player is None or not made:
        check_free(request.tx, userid)
        player = players.add(userid, password_hash, request.now)
    return players.add_address(player.id, address, request.now, confirmed=True)


def _own_addresses(request: Request, player: Player) -> dict[str, Address]:
    """A player's addresses by their lower-case form, the oldest first."""
    return {address.address.casefold(): address for address in request.tx.players.addresses(player.id)}


def _without(addresses: Iterable[str], known: Iterable[str]) -> list[str]:
    """The addresses but the known ones. known: in lower case."""
    left_out = frozenset(known)
    return [address for address in addresses if address.casefold() not in left_out]


def _drop_all_but(request: Request, player: Player, wanted: Iterable[str]) -> None:
    """Drop the player's other addresses; each that was confirmed gets one last mail that says so."""
    kept = frozenset(map(str.casefold, wanted))
    for key, address in _own_addresses(request, player).items():
        if key not in kept:
            request.tx.players.drop_address(address.id)
            if address.confirmed_at:
                subject = "pbm: no more mail"
                request.outgoing.write(address.address, subject, "moved.txt", player=player, answers=False)
