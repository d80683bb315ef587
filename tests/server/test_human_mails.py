"""A thousand mails as people and their programs write them, from bytes on: none plays a move that was not meant."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import pytest

from pbm.compose.tell import mail_bytes
from pbm.domain.configuration import Limits
from pbm.domain.mail import Received
from pbm.server import Arriving, Settings
from pbm.server.handle import Handler
from pbm.store import Transaction
from tests.conversation import ROBOT, Got, House
from tests.mailin import clients
from tests.reading.test_sentences import ASIDES, CLAIMS, CLOSINGS, DENIALS, DOUBTS, GREETINGS

MAILS = 1000
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"
PATIENT = Limits(answers_per_hour=10_000, messages_per_day=10_000)


class _NotMeantToLast(Exception):
    """Rolls back what a mail has done, so that the next one finds the board as it was."""


@pytest.fixture
def patient(new_house: Callable[..., House]) -> House:
    house = new_house(Settings(ROBOT, PATIENT))
    house.players("anna", "bert")
    return house


def composed(move: str, other: str) -> list[tuple[str, str]]:
    """Texts, each with the move it makes, "" for none; shuffled, the same way each time."""
    asides = [(aside, move) for aside in ("", *ASIDES, *DENIALS)] + [(doubt, "") for doubt in DOUBTS]
    texts = [
        (f"{greeting}{claim}\n{aside}{closing}".replace("MOVE", move).replace("OTHER", other), meant)
        for greeting, claim, (aside, meant), closing in itertools.product(GREETINGS, CLAIMS, asides, CLOSINGS)
    ]
    texts += [
        (f"{greeting}{aside}{closing}".replace("OTHER", other), "")
        for greeting, aside, closing in itertools.product(GREETINGS, ASIDES, CLOSINGS)
    ]
    return random.Random(13).sample(texts, len(texts))


def programs(text: str, ours: str) -> list[bytes]:
    """The text as mail programs send it: alone, above and below a quote of our mail, and above a signature."""
    quoted = "\r\n".join(f"> {line}".rstrip() for line in ours.splitlines())
    line = "On Thu, 1 Jan 2026 at 12:00, pbm <pbm@example.org> wrote:"
    signature = random.Random(text).choice(clients.MOBILE_SIGNATURES)
    return [
        part.replace("\n", "\r\n").replace("\r\r\n", "\r\n").encode()
        for part in (
            f"{text}\n",
            f"{text}\n\n{line}\n{quoted}\n",
            f"{text}\n\n{signature}\n\n{line}\n{quoted}\n",
            f"{line}\n{quoted}\n\n{text}\n",
        )
    ]


def played(house: House, tx: Transaction, handler: Handler, mail: Arriving, now: datetime) -> list[str]:
    """The plies that the mail would add to its board, which stays as it is."""
    row = Received(1, now, mail.mail_from, mail.recipients, mail.raw)
    tx.now = now
    (prepared,) = handler.check(handler.read(tx, [row]))
    found: list[str] = []
    with suppress(_NotMeantToLast), tx.savepoint():
        settled = handler.handle(tx, prepared)
        assert settled.mails, mail.raw
        match = tx.matches.load(101)
        assert match is not None
        assert match.result is None
        found = [ply.notation for ply in match.record[1:]]
        raise _NotMeantToLast
    house.service.tools.states.forget()
    return found


@pytest.mark.parametrize("step", [20, pytest.param(3, marks=pytest.mark.oracle)])
@pytest.mark.parametrize(
    ("game", "first", "move", "other"),
    [("cross -size=4 anna bert", "C3", "D4", "E5"), ("crossgeo anna bert", "5", "17", "18")],
)
def test_a_thousand_composed_mails_play_nothing_that_was_not_meant(
    patient: House, game: str, first: str, move: str, other: str, step: int
) -> None:
    """One in three if CI asks for it, otherwise one in twenty."""
    patient.game(game, [first])
    ours = patient.mailboxes["bert@example.net"][-1].body
    handler, wrong, right = patient.service.handler, [], 0
    texts = composed(move, other)[: MAILS // 2 : step]
    with patient.service.store.write() as tx:
        for number, (text, meant) in enumerate(texts):
            mail = patient.answering("bert", "TEXT", 101)
            head = mail.raw.partition(b"\r\n\r\n")[0]
            raw = head + b"\r\n\r\n" + programs(text, ours)[number % 4]
            plies = played(patient, tx, handler, Arriving(mail.mail_from, mail.recipients, raw), patient.now)
            wrong += [text] if plies not in ([], [meant]) else []
            right += plies == ([meant] if meant else [])
    assert wrong == []
    print(f"{right} of {len(texts)} done or left as meant, the rest asked about")
    assert right >= 0.85 * len(texts)


def pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(wanted, said) for wanted, text in table.items() for said in text.split("|")]


@pytest.mark.parametrize("played", [False, True])
def test_a_robot_is_told_of_before_anybody_has_played_it(patient: House, played: bool) -> None:
    if played:
        patient.game("cross -size=4 bert robot4")
    told = " ".join(patient.send("bert", "about robot4")[0].body.split())
    assert "robot4 hard to beat" in told
    assert patient.send("bert", "How strong is robot4?")[0]["Subject"] == "pbm: about robot4"


def test_a_challenge_to_a_robot_in_a_first_mail_waits_for_a_name(patient: House) -> None:
    line = "hex challenge me robot4 -size=5"
    (got,) = patient.send("joe@home.example", line)
    assert f"You ask for this:\n\n  {line}\n" in got.body
    assert patient.answer("joe@home.example", "zoe")[-1]["Subject"] == "Hex Board 101 zoe-robot4"


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("play!", "pbm: what shall we call you?"),
        ("sign up", "pbm: games by mail"),
        ("test", "pbm: games by mail"),
        ("Hello!", "pbm: games by mail"),
        ("what is this?", "pbm: games by mail"),
        ("Hex please", "pbm: what shall we call you?"),
    ],
)
def test_a_strangers_few_words_are_no_misspelt_command(patient: House, said: str, subject: str) -> None:
    (got,) = patient.send("joe@home.example", "", said)
    assert got["Subject"] == subject
    assert got.body.startswith("This is pbm@example.org: board games for two, by mail.")


@pytest.mark.parametrize(
    ("subject", "text", "told"),
    [
        ("rules of cross", "", "pbm: help cross"),
        ("cross rules", "", "pbm: help cross"),
        ("", "How do I play cross?", "pbm: help cross"),
        ("A question", "Hello,\n\nI would like to know the rules of Luddit.\n\nTom", "pbm: help luddit"),
        ("", "what are the rules?", "pbm: games by mail"),
        ("", "I want to play go. What are the rules of go?", "pbm: what shall we call you?"),
    ],
)
def test_a_stranger_who_asks_for_the_rules_of_a_game_gets_them(
    patient: House, subject: str, text: str, told: str
) -> None:
    (got,) = patient.send("joe@home.example", subject, text)
    assert got["Subject"] == told


def test_a_newcomer_who_asks_for_the_rules_in_answer_to_the_greeting_gets_them(patient: House) -> None:
    patient.send("joe@home.example", "", "Hello!")
    (got,) = patient.answer("joe@home.example", "rules of hex")
    assert got["Subject"] == "pbm: help hex"


def test_a_word_for_playing_in_another_language_is_no_misspelt_command(patient: House) -> None:
    (got,) = patient.send("joe@home.example", "jouer")
    assert "Did you mean" not in got.body


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("puzzle go bert bertpass", "There are no puzzles of"),
        ("hint bert bertpass", "Which board? Name its number"),
        ("review abc bert bertpass", "Write: review [BOARD]"),
    ],
)
def test_a_game_is_no_userid_and_a_board_is_missed_before_a_game(patient: House, line: str, said: str) -> None:
    assert said in " ".join(patient.send("bert", line)[0].body.split())


@pytest.mark.parametrize(
    "wish",
    ["Please forget me", "I want to be forgotten.", "Bitte löschen Sie meine Daten", "forget all you know about me"],
)
def test_a_stranger_who_wants_to_be_forgotten_joins_by_no_yes(patient: House, wish: str) -> None:
    (got,) = patient.send("joe@site.example", "", wish)
    assert "Nobody plays here from your address" in got.body
    for said in ("yes", "Yes please!", "ok", "Joe", "thanks, Joe", "Hello?", "yes"):
        patient.deliver(patient.answering("joe@site.example", said))
        with patient.service.store.read() as tx:
            assert not tx.players.of_address("joe@site.example"), said
    assert patient.answer("joe@site.example", "play", mail=1)[0]["Subject"] == "pbm: what shall we call you?"
    assert patient.answer("joe@site.example", "joe")[0]["Subject"] == "pbm: welcome, joe"


@pytest.mark.parametrize(
    "said",
    [
        "Delete all my data (GDPR) please",
        "lösch meine Daten bitte",
        "supprimez mon compte",
        "Please delete my account",
        "erase me",
        "lösche mein Konto",
        "delete my data",
    ],
)
def test_a_stranger_who_wants_to_be_deleted_hears_that_nobody_plays_from_there(patient: House, said: str) -> None:
    (got,) = patient.send("joe@site.example", "Request", said)
    assert "Nobody plays here from your address" in got.body


def test_a_newcomer_whose_first_game_is_refused_has_not_joined(patient: House) -> None:
    patient.send("joe@home.example", "hi", "hello")
    tools = patient.service.tools
    tools.house = tools.house.model_copy(update={"active_games": 0})
    for said in ("joe, play hex", "play hex", "I want to play hex"):
        (got,) = patient.answer("joe@home.example", said, mail=1)
        assert "No game was started" in got.body
    with patient.service.store.read() as tx:
        assert tx.players.find("joe") is None


def test_a_single_word_that_is_no_password_is_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    (_, got) = patient.answer("bert", "chat Congratulations", 101)
    assert "\n  Congratulations\n" in got.body


@pytest.mark.parametrize(("second", "told"), [("propose", "offers a draw"), ("resign", "Really resign?")])
def test_a_move_and_a_command_below_it_are_done_whatever_is_said_below(patient: House, second: str, told: str) -> None:
    patient.game("cross -size=4 bert anna", ["C3", "D4"])
    got = patient.answer("bert", f"E5\n{second}\nHow do you like that?", 101)
    assert told in " ".join(each.body for each in got)
    assert "bert played E5." in patient.mailboxes["anna@example.net"][-1].body


@pytest.mark.parametrize("said", ["Can I have the board as a picture?", "Could the board be bigger? My eyes are bad."])
def test_a_robots_opponent_is_answered_by_the_server_whatever_else_they_say(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert robot1")
    (got,) = patient.answer("bert", said, 101, vouched=True)
    assert got["Subject"] == "pbm: test display"


def test_the_numbers_below_a_letters_end_are_not_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    card = "Kind regards,\nBert Miller\nTel. 555-7788\nbert@acme.example"
    for said in ("Nice weather today!", "C3\nNice weather today!"):
        patient.answer("bert", f"{said}\n\n{card}", 101)
        told = patient.mailboxes["anna@example.net"][-1].body
        assert "\n  Nice weather today!\n\n  Kind regards,\n  Bert Miller\n" in told
        assert "555" not in told
        assert "acme" not in told


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("My move in game 101 is C3", "My move in game 101 is C3"),
        ("C3 in 101. Sorry for the delay!", "Sorry for the delay!"),
        ("pause 101 till Monday", "pause 101 till Monday"),
    ],
)
def test_words_around_the_number_of_a_board_are_passed_on_as_they_are(patient: House, said: str, heard: str) -> None:
    patient.game("cross -size=4 bert anna")
    patient.send("bert", said, Authentication_Results=VOUCHED)
    assert f"\n  {heard}\n" in patient.mailboxes["anna@example.net"][-1].body


BELOW_A_CLOSING = (
    "Kind regards\nBert\nMove: C3", "Regards\nBert\n\nMy Move Is C3", "Best wishes! C3", "Greetings. C3.",
    "Regards\nPosition C3", "Regards\nBert\nC Three",
)  # fmt: skip


@pytest.mark.parametrize("said", BELOW_A_CLOSING)
def test_a_move_below_a_letters_end_is_played(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert anna")
    assert "You played C3." in said_to(patient, patient.answering("bert", said, 101))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Regards\nBert\n\nPS C3", "Your email speaks of C3, and does not say that you play it."),
        ("Best regards. I resign", "you have not resigned yet."),
        ("Kind regards\nBert\nPS. I Want To Resign", "you have not resigned yet."),
    ],
)
def test_what_may_be_done_below_a_letters_end_is_not_overlooked(patient: House, said: str, told: str) -> None:
    patient.game("cross -size=4 bert anna")
    (got,) = patient.answer("bert", said, 101)
    assert told in " ".join(got.body.split())


@pytest.mark.parametrize(
    "said",
    [
        "Thanks!\nLook at https://hex.example/game/1234567 , a great game",
        "Thanks\nsee https://hex.example/x",
        "Bye\nI live in 12345 Berlin since 2019",
        "C3\nThanks!\nI wrote to you from bert@acme.example last week",
    ],
)
def test_what_is_said_below_thanks_is_passed_on(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert anna")
    patient.answer("bert", said, 101)
    last = said.splitlines()[-1]
    assert f"  {last}\n" in patient.mailboxes["anna@example.net"][-1].body


def test_a_question_above_a_signature_with_numbers_is_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    patient.answer("bert", "Hello Anna, how are you?\n\nBest\nBert\n+49 171 1234567", 101)
    assert "how are you?" in patient.mailboxes["anna@example.net"][-1].body


BOARDS_NAMED = {
    "how it stands": "board 101 please|101 please|Partie 101|Spiel 101 bitte|101: thanks",
    "You gave anna 2 days more": "I give anna 2 days in 101|give anna 2 days in 101|"
    "I'll give anna two days in game 101",
    "you have not resigned yet": "J'abandonne la partie 101|abandono la partida 101|ich gebe das Spiel 101 auf|"
    "Me rindo en la partida 101|mi arrendo nella partita 101|desisto da partida 101|ik geef partij 101 op",
    "You played C3": "For 101: C3|Dans la partie 101 je joue C3|Nella 101 gioco C3",
    "Answer this email with one line": "I played C3 in 101 by mistake|C3 in 101?",
}
"""What the server is told about a board, by words of the answer."""


LETTERS_NAMING = [(said, told) for told, texts in BOARDS_NAMED.items() for said in texts.split("|")]


@pytest.mark.parametrize(("said", "told"), LETTERS_NAMING)
def test_a_letter_that_names_a_board_is_understood(patient: House, said: str, told: str) -> None:
    patient.game("cross -size=4 bert anna")
    got = patient.send("bert", "hello", said, Authentication_Results=VOUCHED)
    assert any(told in each.body for each in got if each.address == "bert@example.net")


@pytest.mark.parametrize("said", [said for said, told in LETTERS_NAMING if told.casefold().startswith("you")])
def test_a_letter_that_names_a_board_proves_nobody(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert anna")
    kept = patient.dump()
    (got,) = patient.send("bert", "hello", said)
    assert (got.address, got["Subject"]) == ("bert@example.net", "pbm: was that you?")
    assert patient.dump() == kept


YES_AND_NO = """
    natürlich nicht|ja, aber nicht jetzt|ja nein|gerne nicht|ja klar, niemals|va bene, ma non ora|certo che no|ok no
    goed, maar niet nu|claro, pero hoy no|com prazer não|sim, claro que não|definitely no|yes and no|ja, abmelden
"""


@pytest.mark.parametrize("said", re.split(r"[|\n] *", YES_AND_NO.strip()))
def test_a_yes_beside_a_no_agrees_to_nothing(patient: House, said: str) -> None:
    patient.send("bert", "hex challenge me zoe@example.com", Authentication_Results=VOUCHED)
    patient.send("anna", "hex challenge me bert", Authentication_Results="-")  # forged in Anna's name
    begun = patient.dump()
    for who in ("zoe@example.com", "anna"):
        patient.answer(who, said)
        assert patient.dump() == begun, who


@pytest.mark.parametrize(
    "said", ["ja, kein Problem", "oui, pourquoi pas", "ja, habe noch nie gespielt", "warum nicht?"]
)
def test_a_no_that_is_none_does_not_stand_beside_a_yes(patient: House, said: str) -> None:
    patient.send("bert", "hex challenge me zoe@example.com", Authentication_Results=VOUCHED)
    patient.answer("zoe@example.com", said)
    assert any("accepted bert's invitation" in got.body for got in patient.answer("zoe@example.com", "zoe"))


@pytest.mark.parametrize(
    "said", ["lass mich in Ruhe", "laissez-moi tranquille", "déjame en paz", "schrijf me niet meer"]
)
def test_who_wants_to_be_left_alone_is_not_asked_again(patient: House, said: str) -> None:
    patient.send("bert", "hex challenge me zoe@example.com", Authentication_Results=VOUCHED)
    assert [got.address for got in patient.answer("zoe@example.com", said)] == ["bert@example.net"]


SUBJECTS = {
    "you have not resigned yet": "resign game 101|I resign in 101", "You played C3": "C3 in 101|101 C3",
    "how it stands": "whose turn is it in 101?",
}  # fmt: skip


@pytest.mark.parametrize(("told", "subject"), pairs(SUBJECTS))
def test_a_signature_below_a_subject_says_nothing(patient: House, told: str, subject: str) -> None:
    patient.game("cross -size=4 bert anna")
    got = patient.send("bert", subject, "Regards\nBert\nTel. 0171 123456", Authentication_Results=VOUCHED)
    assert told in got[0].body


def test_a_newcomers_signature_says_nothing(patient: House) -> None:
    for number, text in enumerate(("", "Regards\nZoe")):
        (got,) = patient.send(f"zoe{number}@example.com", "play hex", text)
        assert got["Subject"] == "pbm: what shall we call you?", text


@pytest.mark.parametrize("said", ["hex seek anna robot", "please remind anna in 101"])
def test_what_can_be_no_password_is_none(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert anna")
    (got,) = patient.send("bert", said, Authentication_Results=VOUCHED)
    assert "password" not in got.body


@pytest.mark.parametrize("said", ["your server made an error in game 101", "I lost my king in game 101, sad"])
def test_talk_to_the_server_about_a_board_does_not_reach_the_opponent(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert anna")
    got = patient.send("bert", said, Authentication_Results=VOUCHED)
    assert {each.address for each in got} == {"bert@example.net"}


def test_numbers_that_a_letter_tells_are_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    patient.answer("bert", "Do call me!\nTel. 555-7788\n\nKind regards,\nBert", 101)
    assert "Tel. 555-7788" in patient.mailboxes["anna@example.net"][-1].body


@pytest.mark.parametrize(("move", "said"), [("7", "seven"), ("7", "sieben"), ("12", "twelve please")])
def test_a_number_in_words_is_asked_about(patient: House, move: str, said: str) -> None:
    patient.game("crossgeo bert anna")
    told = said_to(patient, patient.answering("bert", said, 101))
    assert f"It is not clear whether you mean {move}. If you do: Write: {move}" in told


@pytest.mark.parametrize("said", ["I forgot my password", "I can't log in any more", "my user id was ann"])
def test_a_stranger_who_may_have_an_account_is_told_how_to_get_to_it(patient: House, said: str) -> None:
    (got,) = patient.send("joe@site.example", "", said)
    assert '"help account" tells how to get a new password' in " ".join(got.body.split())


def said_to(house: House, mail: Arriving) -> str:
    """Subject and text of the mails that the writer would get, on one line; nothing is changed.

    Numbers of boards are left out: PostgreSQL never gives one twice, even if its transaction was rolled back.
    """
    row = Received(1, house.now, mail.mail_from, mail.recipients, mail.raw)
    handler, found = house.service.handler, ""
    with house.service.store.write() as tx, suppress(_NotMeantToLast), tx.savepoint():
        tx.now = house.now
        (prepared,) = handler.check(handler.read(tx, [row]))
        settled = handler.handle(tx, prepared)
        own = [each for each in settled.mails if each.address == mail.mail_from]
        found = "\n".join(Got(each.address, mail_bytes(each), each.board).letter for each in own)
        raise _NotMeantToLast
    house.service.tools.states.forget()
    return " ".join(re.sub(r"\bBoard \d+", "Board", found.removeprefix("Subject: ")).split())


@pytest.mark.parametrize("said", ["I pass, sorry", "je passe", "no, pass"])
def test_words_that_may_be_a_move_which_loses_at_once_are_not_played(patient: House, said: str) -> None:
    patient.game("polygon -sides=6 anna bert", ["A-D"])
    (got,) = patient.answer("bert", said, 101)
    assert '"pass" loses this game at once. If you mean it, answer with nothing else.' in " ".join(got.body.split())
    assert "won because Blue passed" in patient.answer("bert", "pass", 101)[0].body


@pytest.mark.parametrize(("name", "told"), [("robbot2", "Did you mean robot2?"), ("robert2", "There is no player")])
def test_a_misspelt_robot_is_told_from_a_person(patient: House, name: str, told: str) -> None:
    (got,) = patient.send("bert", f"hex challenge me {name}")
    assert told in " ".join(got.body.split())
    assert ("Did you mean" in got.body) == ("Did you mean" in told)
