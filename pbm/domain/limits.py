"""How much one person may ask for: each limit with what it is without being said."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from pbm.domain.clock import read_control
from pbm.domain.errors import BadArguments
from pbm.domain.values import Count, Seconds, SettingsTable

DEFAULT_CLOCK = "21d"
"""How much time there is where a challenge does not say it."""


def _check_clock(text: str) -> str:
    try:
        read_control(text)
    except BadArguments as error:
        raise ValueError(str(error)) from None
    return text


class Limits(SettingsTable):
    """How much one person may ask for. Days are of 24 hours."""

    stranger_replies_per_day: Annotated[int, Field(ge=0)] = Field(
        default=1, description="Answers a day to an address that belongs to no player."
    )
    newcomer_replies_per_day: Annotated[int, Field(ge=0)] = Field(
        default=30, description="The same once it has answered a mail of ours, which proves that its owner wrote."
    )
    answers_per_hour: Count = Field(
        default=120,
        description="Answers an hour to one address, lest two robots talk for ever. What it asks for is done all the "
        "same, and no mail about a move is left out.",
    )
    unproven_answers_per_hour: Count = Field(
        default=20,
        description="The same for mails that only say whose they are, as anybody can who knows the address: without a "
        "password, and in answer to nothing of ours.",
    )
    answers_per_board_per_hour: Count = Field(default=200, description="The same for all who write about one board.")
    answers_per_hour_in_all: Count = Field(
        default=5000,
        description="The same for everybody together. Mails that only say whose they are draw at most half, and "
        "those from one machine a tenth.",
    )
    hard_bounces_to_suspend: Count = Field(
        default=3, description="Mails that come back for good until an address gets no more, or its player writes."
    )
    confirmation_days: Count = Field(default=7, description="How long the mail that confirms an address is good.")
    held_asks_per_day: Annotated[int, Field(ge=0)] = Field(
        default=3, description='How often a day one address is asked "was that you?" for lack of a password.'
    )
    answer_token_days: Count = Field(default=14, description="How long answering a mail of ours shows who you are.")
    wrong_logins: Count = Field(
        default=5,
        description="Wrong passwords for one userid until passwords for it are refused for a minute; with each further "
        "one that doubles. Answers to mails of ours are not concerned.",
    )
    wrong_logins_per_source: Count = Field(
        default=20,
        description="The same for one sender and for one machine, whatever the userids; so many wrong reply addresses, "
        "too.",
    )
    stranger_passwords_per_hour: Count = Field(
        default=600, description="Passwords an hour that are looked at or set for senders who are no players."
    )
    longest_lock_hours: Seconds = Field(default=24, description="The longest such refusal.")
    computing_seconds_per_hour: Seconds = Field(
        default=120,
        description="Computing within an hour for one player: a few positions, if players aim at them, take long.",
    )
    active_games: Count = Field(default=100, description="Games of one player under way at once.")
    challenges_per_day: Count = Field(default=30, description="Games a player may start a day by challenging.")
    stranger_challenges_per_day: Annotated[int, Field(ge=0)] = Field(
        default=5, description="Games a day that somebody who is no player may start between players."
    )
    challenges_to_one_per_day: Count = Field(
        default=50, description="Games a day that all others together may start with one player by challenging them."
    )
    offers_to_one_per_day: Count = Field(
        default=5, description="Mails a day that ask one player whether they want a game that others propose."
    )
    invitations_per_day: Annotated[int, Field(ge=0)] = Field(
        default=5, description="Mails a day by which a player may invite people who have no account."
    )
    invitation_days: Count = Field(default=30, description="How long such an invitation is good.")
    open_seek_games: Count = Field(default=20, description="Games that one seek may look for.")
    open_tournaments: Annotated[int, Field(ge=0)] = Field(
        default=3, description="Tournaments that one player has made and that are not over."
    )
    confirmations_per_day: Count = Field(
        default=3,
        description="Mails a day that ask one mailbox, whatever its +tags and dots, whether it belongs to an account.",
    )
    unasked_per_domain_per_day: Count = Field(
        default=200,
        description="Mails a day to one domain that its people may not have asked for: confirmations, invitations, "
        'new passwords, "was that you?", answers to strangers. Mails that server.authserv_id vouches for ask for '
        "themselves.",
    )
    unasked_per_network_per_day: Count = Field(
        default=50, description="The same because of mails from one network (IPv4 /24, IPv6 /64), to whomever."
    )
    resets_per_day: Count = Field(default=3, description="Mails a day by which one player may set a new password.")
    exports_per_day: Count = Field(default=2, description="Mails a day with all games of one player.")
    erasure_days: Count = Field(
        default=7, description="Days in which a player may still keep what they asked to erase."
    )
    kept_mail_days: Count = Field(
        default=30, description="How long mails are kept that were handled or delivered. Of their passwords, none is."
    )
    messages_per_day: Annotated[int, Field(ge=0)] = Field(
        default=50, description="Messages a player may write to others a day."
    )
    message_characters: Count = Field(default=5000, description="The longest message or broadcast.")
    broadcast_moderation: Literal["off", "on", "closed"] = Field(
        default="off",
        description="off: broadcasts go out at once; on: they wait for `pbm broadcast approve`; closed: none.",
    )
    default_clock: Annotated[str, AfterValidator(_check_clock)] = Field(
        default=DEFAULT_CLOCK,
        description="Time of a game whose challenge does not say --clock; none for as long as one likes.",
    )
    claim_days: Count = Field(
        default=7, description="How long the opponent of somebody whose time is up may choose what comes of it."
    )
    pause_days: Count = Field(default=60, description="How long two players may pause a game.")
    vacation_days_per_year: Annotated[int, Field(ge=0, le=366)] = Field(
        default=30, description="Days a calendar year that a player's clocks may stand still for a vacation."
    )
    unreachable_days: Annotated[int, Field(ge=0)] = Field(
        default=30,
        description="Days a year that a player's clocks stand still at most because mail to them comes back.",
    )
