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
from tests.domain.test_plain_words import ASIDES, CLAIMS, CLOSINGS, DENIALS, DOUBTS, GREETINGS
from tests.mailin import clients

MAILS = 1000
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"
PATIENT = Limits(answers_per_hour=10_000, answers_per_board_per_hour=10_000, messages_per_day=10_000)


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


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.oracle)])
@pytest.mark.parametrize(
    ("game", "first", "move", "other"),
    [("cross -size=4 anna bert", "C3", "D4", "E5"), ("crossgeo anna bert", "5", "17", "18")],
)
def test_a_thousand_composed_mails_play_nothing_that_was_not_meant(
    patient: House, game: str, first: str, move: str, other: str, step: int
) -> None:
    """All of them if CI asks for it, otherwise one in twenty."""
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
    assert right >= 0.95 * len(texts)


LETTER_ANSWERS = {
    "pbm: help start": "lol|what a server!|help me|huh?|hello|and now?|"
    "what can I do here?|is it free?|what is this?|who is the admin?|"
    "???",
    "pbm: help cross": "how do I win at cross?",
    "pbm: test display": "can I get bigger boards?|how do I get pictures?",
    "pbm: help havannah": "tell me about havannah|How does havannah work?|help with havannah",
    "pbm: help hex": "can you teach me the rules of hex?|rules hex|hex rules please",
    "pbm: help mails": "remove me|stop|unsubscribe|I don't want these mails any more|too many mails|"
    "how do I leave?|abmelden|Wie melde ich mich ab?|Je veux me désabonner|¿Cómo me doy de baja?|disiscrivimi|"
    "quero sair da lista|uitschrijven|zu viele Mails!|trop de mails",
    "pbm: help erase me": "delete me|delete my account|Konto löschen|lösche mein Konto|erase all my data please|"
    "How do I delete my account?",
    "pbm: help block": "how do I block someone",
    "timezone: UTC": "my timezone is Berlin|set my time zone to Berlin",
    "pbm: list of all games": "show finished games|how do I see old games",
    "pbm: help remind": "remind my opponent|remind her\n\nKind regards,\nBert Miller\nTel. 555-7788",
    "pbm: help pause": "Pause please|can I pause all my games?",
    "pbm: help vacation": "Ich bin ab morgen im Urlaub|je pars en vacances demain|I'm on holiday, yippee|"
    "Je suis en vacances|I'll be back on Monday",
    "pbm: your vacations": "Ich bin nächste Woche im Urlaub|I'm on holiday until Jan 12|Ich bin im Urlaub bis 5.1.|"
    "I'm away next week, sorry|bis 3. Januar im Urlaub",
    "pbm: help puzzle": "stop the daily puzzle|no puzzles any more|a puzzle every day please|solution?|"
    "the solution please",
    "pbm: help digest": "send me a digest|no digest any more",
    "pbm: help standings": "how do I get a rating?|what does provisional mean?",
    "pbm: help export": "export my data|send me all the data you store|what do you know about me?",
    "pbm: help propose": "Wie biete ich Remis an?",
    "pbm: help review": "why did I lose?|what was my mistake?",
    "pbm: help tournament": "how do tournaments work?|what is a ladder?|can I create a tournament?|"
    "how do I leave the tournament?|I can't play in the tournament any more",
    "pbm: help account": "Ich möchte meine E-Mail-Adresse ändern|Esqueci minha senha|wachtwoord vergeten|"
    "how do I change my email?|I changed my email|"
    "how do I change my password?\n\nKind regards,\nBert Miller\nAccounts Dept.\nTel. 555-7788|"
    "my new address is bert2@example.net|how do I log in?|my email has changed|"
    "new email address: bert2@example.net",
    "pbm: your settings": "I am blind, can I use a screen reader?|no more receipts please|turn off receipts|"
    "I don't want pictures|plain text mails please|no reminders please|please don't send me copies of my own moves",
    "receipts is now off": "set receipts no",
    "pbm: help clock": "can I get another week?",
    "pbm: help resign": "how do I resign?|Wie gebe ich auf?|Comment abandonner ?",
    "pbm: help": "Welche Spiele gibt es?|Quels jeux avez-vous ?|¿Qué juegos hay?|Quali giochi ci sono?|"
    "Que jogos existem?|Welke spellen zijn er?|which games are there?|what are the rules?",
    "pbm: help seek": "Ich suche einen Gegner|Je cherche un adversaire|Busco un oponente|cerco un avversario|"
    "procuro um adversário|ik zoek een tegenstander|I want to play hex with someone|any1 wanna play?|"
    "who wants to play?",
    "pbm: you are welcome": "Grazie mille|Muito obrigado|Dank je wel|thanks a lot!|gg|Good game!|well played|"
    "thanks, that was fun|👍|Vielen Dank!|"
    "merci beaucoup",
    "pbm: list of games": "who is online?|list of players",
    "pbm: about bert": "who am I?|how strong is bert?",
    "pbm: tournaments": "are there any tournaments?|Gibt es Turniere?|Y a-t-il des tournois ?",
    "Hex Board bert-robot1": "Play Hex!|hex against the computer|play hex with the computer please\n\nRegards\nBert|"
    "I want to play hex|play hex pls|Hi! I'd like to play hex please.",
    "pbm: robots": "play a stronger robot|make it easier|too hard|this is too easy",
    "Cross Board bert-robot1": "Neues Spiel bitte|une nouvelle partie s'il vous plaît|otra partida por favor|"
    "nog een spel graag|spielen|jouer|Los geht's!|On joue ?|"
    "can I play against the computer?|gegen den Computer spielen|ich will gegen den Computer spielen|"
    "jouer contre l'ordinateur|jugar contra el ordenador|giocare contro il computer|jogar contra o computador|"
    "tegen de computer spelen|I'd like a game|Let's go!|ok lets play|I'm ready.",
    "Cross Board bert-robot3": "play robot|play robot3",
    "Go Board bert-robot1": "let's play go",
    "Y Board bert-robot1": "play y|y against the computer",
    "Four in a Row Board bert-robot1": "I'd like to play connect four|play connect 4|play four in a row",
    "Reversi Board bert-robot1": "I want to play othello|play Othello",
    "Lines of Action Board bert-robot1": "I want to play lines of action please",
    "CrossGeo Board bert-robot1": "play cross geo",
}  # fmt: skip
"""What a player without a game answers to a letter, by the subject of the mail that they get."""

FIRST_ANSWERS = {
    "Hex Board tom-robot1": "Tom please, and can I play hex?|I want to play hex, I'm Tom|I'm Tom and want to play hex|"
    "Ich möchte Hex spielen, mein Name ist Tom|Je m'appelle Tom et je veux jouer à hex",
    "Go Board tom-robot1": "Tom, ich möchte Go spielen",
    "Hex Board joe-robot1": "play hex|I want to play hex|let's play hex please|Hex please|Je voudrais jouer à Hex|"
    "Ich würde gerne Hex spielen",
    "Hex Board joe-robot4": "play hex with robot4|joe, play hex against robot4|Hex challenge me robot4 -size=5",
    "Cross Board joe-robot3": "play robot|cross challenge me robot",
    "-size takes a number from 3": "hex challenge me robot -size=99",
    "Go Board joe-robot1": "Let me play go|Quiero jugar al Go|Quero jogar go",
    "Cross Board joe-robot1": "gegen den Computer|contre l'ordinateur|lets play!!!|"
    "Guten Tag, ich würde gerne spielen.|Bonjour, je voudrais jouer|"
    "Hallo, ik wil graag spelen|Ik wil meedoen|Ciao, vorrei giocare|Quero jogar|"
    "spielen|jouer|jugar|giocare|On joue !|Los geht's!|vamos|"
    "play|Play!|yes|sim|goed|d'accord|va bene|sign me up|join|register|can I play against the computer?|let me in",
    "pbm: welcome, kim": "Mi chiamo Kim|Ik heet Kim|Chamo-me Kim|kim|Kim 😀|kim :)|kim!|im kim lets go|Kim here|"
    "Hallo, ich bin Kim|name's Kim|"
    "Mein Name ist Kim|Ich bin der Kim|Soy Kim|kim please|Kim Sent from my iPhone|"
    "kim\n\nBest regards,\nKim Doe|kim\n\nLG Kim|kim\n\nMit freundlichen Grüßen\nKim Doe|kim\n\nKim Doe\n+44 20 1234",
    "pbm: help": "games|list games|which games do you have|"
    "help me please|No entiendo|Non capisco|não entendo|Ik begrijp het niet|Hilfe|what is this?|is it free?|"
    "how does this work?|huh?",
    'no game "chess" here': "play chess|chess",
    "There is no chess here": "can we play chess?|I'd like to play chess",
    "There is no ajedrez here": "Quiero jugar al ajedrez",
    "pbm: games by mail": "I'm bored|lol|Ich bin neu hier|my move is F6|I resign|"
    "hola|test|👋|zed told me to write|der Tom|any name|name",
    "pbm: welcome, rook": "I'd like to be called Rook|Rook\n\nKind regards,\nBob Rook\nTel. 555-7788",
    "hex challenge me anna": "I want to play hex against anna|play hex with Anna",
    "cross challenge me bob@example.org": "invite bob@example.org",
    "hex challenge me ann@home.example": "play hex with ann@home.example",
    "go challenge me bob@example.org": "I'd like to play go with my wife|I'm Joe and want to play go with my friend.",
    "hex seek 1": "I want to play hex with someone",
    "pbm: help hex": "How do I play hex?|what is hex?",
    "Write: Jurgen To join": "Jürgen|Ich heiße Jürgen",
    "Write: Tomas To join": "me llamo Tomás",
    "help challenge": "Which games are there?|What games do you have?",
    "": "stop|unsubscribe|no thanks|leave me alone|abmelden|désinscription|please delete all my data",
}  # fmt: skip
"""What a newcomer answers to their first mail from us."""

REFUSED = {
    'no player "bret" here. Did you mean bert?': "challenge anna bret|cross challenge anna bret",
    'Write: cross challenge me anna': "challenge anna|start a game with anna|play with Anna|"
    "I want to play against anna|play anna|"
    "Ich möchte gegen Anna spielen",
    "Write: cross challenge me carl@example.org": "invite my friend carl@example.org|challenge carl@example.org|"
    "can I invite my brother? he is at carl@example.org",
    "Write: hex challenge me carl@example.org": "challenge carl@example.org to hex|"
    "Can I invite my friend Carl to a game of Hex? His email is carl@example.org.",
    "Write: hex challenge me anna": "hex anna|I'd like to play hex with Anna|challenge Anna to a game of hex",
    'no game "reversie" here. Did you mean "reversi"?': "let's play reversie|play reversie",
    'no game "mahjong" here.': "I want to play mahjong",
    "Write: hex challenge me robot3": "play hex with robot3|play hex level 3",
    "Write: hex challenge me robot -size=7": "play hex -size=7",
    'Did you mean "challenge"?': "hex chalenge me anna",
    "The game comes first. Write: hex seek": "seek hex",
    "Write: message anna": "message anna hello there|tell anna I'm sick|write to anna: see you|send anna a message|"
    "can you ask anna whether she is well?",
    "which writes to nobody": "block robot3",
    "which plays with everybody at once": "follow robot3",
    "Write: hex seek 1 --robot": "hex seek robot",
    "Write: hex seek 1 --robot=2": "hex seek robot2",
    "Write: set timezone Etc/GMT-2": "set timezone UTC+2",
    "Which game?": "challenge me robot|challenge robot2 me",
    "You have no game under way.": "whose turn is it?|show me my game|how long do I have?|what are my games?|"
    "Meine Spiele|F6|D4 on 101",
}  # fmt: skip

BOARD_ANSWERS = {
    "pbm: help start": "how do I answer?|where do I click?|what do I have to do now?|"
    "help me|huh?|I need help!|menu|commands|Hilfe!|aide|what do I write?|Wie geht das?",
    "pbm: help account": "how do I change my name|Passwort vergessen|new password please|change my email address",
    "pbm: your settings": "please don't send me copies of my own moves|stop sending pictures",
    '"help cross" explains the game': "does the corner count as two sides?|can I place next to your stone?",
    "you are reminded 3 days": "stop reminding me|please don't remind me any more",
    "pbm: help resign": "how do I resign?|how do I cancel this game",
    "pbm: help undo": "how do i undo?",
    "pbm: help mails": "too many mails",
    "pbm: help erase me": "please forget everything you know of me|delete my data|erase my account|"
    "delete my account please|I want you to delete all my data, please.|Bitte lösche alle meine Daten|"
    "supprimez mon compte|borra mi cuenta por favor|cancella il mio account|verwijder mijn account|apaga a minha conta",
    "Your opponent is reminded by the server": "remind her|remind him please|remind my opponent|remind anna|"
    "can you remind my opponent?|nudge her",
    "Choose a userid, and a password if you want one. Write: signup": "signup with password please",
    "It is not clear whether you mean C3. If you do: Write: C3": "charlie three|Charlie 3 please|"
    "Cäsar drei|c drei|see three|C drie|c tres|"
    "c trois please|sea 3",
    "pbm: list of games": "who is online?",
    "pbm: help block": "how do I block anna?|anna is rude",
    "pbm: test display": "Is it possible to get the board as a picture?|can I get bigger boards|pictures please|"
    "the picture does not show|The picture doesn't load.|I can't see the picture|can you send pictures?|no picture|"
    "how do I turn on pictures?|the board is too small|the board looks all messed up|I see no board|"
    "how do I make the board bigger?|bigger board please|can I have it larger?|the lines don't line up|"
    "Is there a way to get bigger boards?|Could I have the board as an image, please?|"
    "the letters are too small for me|I can't read the board",
    "pbm: about anna": "who is anna?|how strong is anna?|who am I playing?|Who am I playing against?|"
    "who is my opponent?|Who's my opponent|who do I play?|Against whom am I playing?|how good is my opponent?|"
    "tell me about my opponent|is anna online?|is my opponent a robot?|"
    "am I playing a human or a bot?|is anna a real person?|"
    "what is anna's rating?|Gegen wen spiele ich?",
    "pbm: help cross": "how do I play and how do I win?|what do O and X mean?|"
    "what is swap?|can I pass?|how to win|how does the swap work?|"
    "please remind me of the rules|list the legal moves please|what moves are there?|which moves are legal|"
    "legal moves?|what are the possible moves|Wie sind die Regeln?|Quelles sont les règles ?|¿Cómo se juega?",
    "You ask to pause the game": "Pause bis Montag bitte|pause until Monday|Pause please|pause|can we pause?|"
    "Können wir pausieren?|Können wir bis Sonntag "
    "pausieren?|On fait une pause ?|¿Podemos hacer una pausa?",
    "Only anna can give you time": "Posso avere più tempo?|mag ik meer tijd?|preciso de mais tempo|"
    "can I get another week?|need more time plz|one more day please|"
    "Can I have until Sunday?|Ich brauche mehr Zeit|J'ai besoin de plus de temps|Necesito más tiempo",
    'answer "vacation next week"': "I'm not going to be around next week|I'm away next week|"
    "I am on vacation next week, sorry",
    'answer "vacation until sunday"': "I'm away until Sunday",
    'answer "vacation bis sonntag"': "Bin bis Sonntag weg",
    'answer "vacation bis 5.12"': "Ich bin im Urlaub bis 5.12.",
    'answer "vacation 24.12. bis 2.1"': "Urlaub 24.12. bis 2.1.",
    'answer "vacation 10.1. - 20.1"': "Urlaub 10.1. - 20.1.",
    'answer "vacation vom 4.1. bis 10.1': "Ich bin vom 4.1. bis 10.1. im Urlaub.|Im Urlaub vom 4.1. bis 10.1.",
    'answer "vacation van 3 tot 10 december"': "weg van 3 tot 10 december|Ik ben op vakantie van 3 tot 10 december",
    'answer "vacation volgende week"': "Ik ben volgende week op vakantie",
    'answer "vacation du 3 au 10 août"': "en vacances du 3 au 10 août|je suis en vacances du 3 au 10 août",
    'answer "vacation jusqu\'au 5 décembre"': "Je suis en vacances jusqu'au 5 décembre",
    'answer "vacation dal 3 al 10 agosto"': "di vacanze dal 3 al 10 agosto|in vacanza dal 3 al 10 agosto!",
    'answer "vacation del 3 al 10 de agosto"': "de vacaciones del 3 al 10 de agosto",
    'answer "vacation de 3 a 10 de agosto"': "de férias de 3 a 10 de agosto",
    '"tomorrow" by itself is the last day': "vacation tomorrow",
    "For that day alone: Write: vacation 24 Dec 1d": "vacation 24 Dec",
    "is noted, from Mon 5 Jan 2026 to Sun 11 Jan 2026": "vacation next week|away next week",
    "is noted, from now to Sun 4 Jan 2026": "vacation until Sunday",
    "is noted, from now to Sat 3 Jan 2026": "away 20 Dec to 3 Jan|vacation 20.12. - 3.1.",
    'answer for instance "vacation tomorrow 10d"': "sono in vacanza dal 3 al 10|Estarei de férias até sexta|"
    "Estoy de vacaciones hasta el 5|I'm sick, sorry|I will be back on Monday",
    'answer "vacation until friday"': "I'm on a business trip until Friday",
    "Cross does not allow passing": "passing|je passe|Ich passe|paso|I pass, sorry",
    "You offer a draw": "Match nul ?|¿Empate?|Patta?|remise?|Sollen wir Remis machen?|want a draw?|"
    "Do you want a draw?|¿Tablas?|Nulle ?|draw pls|remis?|wanna draw?|"
    "I'm offering a draw|Ich biete Remis an",
    "Really resign?": "je me rends|mi arrendo|ik geef op|desisto|Ich möchte das Spiel beenden|I quit|stop the game|"
    "I don't want to play anymore|delete this game|Resigning. GG|I forfeit|"
    "Ok I resign, you played well|Ich gebe auf|aufgeben|J'abandonne|J'abandonne la partie|Me rindo|"
    "Please cancel this game|I don't want to play anymore, sorry",
    "pbm: about bert": "what's my rating?|who am I?|How strong is bert?|what's bert's rating?",
    "how it stands": "Wie lange habe ich noch Zeit?|combien de temps me reste-t-il ?|cuánto tiempo tengo?|"
    "quanto tempo ho?|hoeveel tijd heb ik nog?|a chi tocca?|wie is aan zet?|de quem é a vez?|zeig mir das Brett|"
    "laat het bord zien|"
    "when will anna move|did my move arrive?|show me the board again|how many days do I have left?|"
    "when does anna have to move?|"
    "whose turn is it?|whose move?|board|Wer ist dran?|Bin ich dran?|À qui le tour ?|¿A quién le toca?|"
    "show me my games|am I X or O?|how much time do I have?|what's the score?|is it my turn?|when is my deadline?|"
    "When do I have to move by?|by when must I move?|When is my move due?|how long does anna have?|am I winning?|"
    "who is ahead?|what colour am I?|has anna moved yet?|did anna move?|what was the last move?|"
    "what did my opponent play?|what move did I make?|where are we in the game?|how many moves so far?|"
    "how is the game going?|how far along are we?|can I see the move list?|which board is this?|when will anna play?|"
    "how long can anna take?|which games am I in?|do I have any games running?|what boards do I have?|"
    "list my boards please|how do I see all my games?|is anyone waiting for me?|where is the board?|"
    "whose move is it and how long do I have?|Whose turn is it, and how much time is left?|who do I play next?|"
    "when's my next move due?|what's my next move due|what did anna play|where are we?|can you resend the board?|"
    "I lost the mail, can you send the board again?",
    "passed on as a message": "Clair,\nthank you for the game!|Good luck!\n\nBert\nB1 1AA|"
    "Nice move\nBest wishes\nBert Miller\nLondon E5 8AB|"
    "Fantastic!!|Wow!|Brilliant!|Oops|hmm|Unglaublich!|Incroyable !|¡Increíble!|excellent|Don't forget me!|lol|👍|"
    "hold on|your turn|you win|why are you so slow|I'm done|sorry I was sick|don't remind me of that|"
    "picture perfect|my ipad died, sorry|I sent by mistake the wrong one, sorry|take your time|"
    "take as long as you need|accept my apologies|give me a break|fine|Robert doesn't play|can I claim that?|"
    "I am sick of waiting|did you move?|has she answered?|what did you play?|how long can it take?|"
    "Has mother moved already?|Did my son answer?|What did Arsenal play?|When does Arsenal play?|"
    "Thought I was the one who was winning!|Die Regeln sind mir klar|Wie spielt man Schach?|¡Buena jugada!",
    'write to your opponent, begin with "chat"': "play well!|pause for thought|note that I win|cancel that|"
    "resume as you like|move on|draw your own conclusions",
    "Write: tournament join summer": "join tournament summer",
    "Write: cross move 101 C3": "cross C3|Cross 101 C3",
    "To play with anna, name a game:": "start a game with anna",
    "Write: hex challenge me anna": "play hex with anna",
    "swap": "ik wil ruilen|quiero cambiar|je voudrais échanger",
    "You played C3": "C3\n\nKind regards,\n\nBert Miller\nAccounts Dept.\nTel. 555-7788|"
    "I play C3.\n\nMit freundlichen Grüßen\nBert Müller\nMusterstr. 5\n12345 Berlin|"
    "C3.Sent from my iPhone|C3Sent from my iPhone|today I play C3|C3 it shall be|C3 gg|Diesmal C3|Ich versuche mal C3|"
    "Moi je joue C3|pour moi ce sera C3|Voy con C3|C3 nehme ich|dann eben C3|na gut, C3|C3 ist mein Zug|"
    "Mein nächster Zug: C3|Ich setze meinen Stein auf C3|"
    "Je pose ma pierre en C3|Je vais jouer C3|Voici mon coup : C3|C3 pour moi|Voy a jugar C3|Coloco en C3|Vado in C3|"
    "Metto in C3|C3 per me|Vou jogar em C3|Vou de C3|Ik ga voor C3|Ik doe C3|C3 please and good luck|C3 and thanks|"
    "Bitte C3 spielen|Ich möchte bitte C3 setzen|"
    "C3 et bonne chance|"
    "C3 alstublieft|C3 happy new year|fine, C3 then|C3 is my final answer|"
    "C3 (sorry for the delay, was in hospital)|C3 bitte, Gruß Bert|C3 s.v.p.|C3 period|"
    "C3 good luck Anna|mi movimiento es C3|Ｃ３。|Ｃ３ please|sorry, was ill, C3|Sorry for my late answer, C3|"
    "I was away for a week, sorry. C3|C3, sorry|C3. Sorry that took so long.|C3, no hurry|C3. Not bad, eh?|"
    "C3\nMoment of truth!|C3\nWarte nicht auf mich|C3\nattends ton coup|"
    "c three|-  C3!|I'll take c three|gonna play c3|Ill take c3|i'd like c3|C3 good luck|C3 your turn|"
    "C3\nyahoo mail is bad|C3\nwhat are the rules?|"
    "1. C3|- C3|1) C3\nGood luck!|C3 -Bert|C3 merci|Ich spiele C3|Mon coup: C3|101, C3|"
    "C3 on board 101|C3 Sent from my iPhone|C3, no draw|"
    "C3 👍|c3 pls|move is C3|C3, not D4|C3\n\nI thought about D4, but no.",
    "speaks of C3, and does not say": "no C3|No, C3|not C3|maybe C3|C3 (sorry, it was wrong)|can I play C3?",
    "speaks of C3 or D4": "C3 or D4|C3 or D4, hmm",
    "C3 or D4 or 2., so nothing is done": "1. C3\n2. D4",
    "is not a cell. Write a letter and a number, such as D4. To write to your opponent": "see you on 3.1.|"
    "call me at 555-1234|meet me at gate B7 at 10:30",
    "is a question, so nothing is played": "C3?|C3?!|C3!?",
    "may hold a password": "my password is swordfish|Mein Kennwort lautet swordfish|"
    "mon mot de passe est swordfish|mi contraseña es swordfish|chat my password is swordfish|"
    "chat mein Passwort lautet swordfish|Chat: mon mot de passe est swordfish|kibitz my password: swordfish",
    "You follow anna": "C3\nfollow anna",
    'no game "chess" here': "play chess|C3\nplay chess|teach me chess",
    "is not a cell": "Middle!|the middle|is it C99?|Resign? Me? Never!",
    "There is no board 102": "C3\n102 f7|101 C3\n102: f7|C3\nAnd on board 102: D4",
    "Hints are only given": "hint please|any hints?",
    'Did you mean "resign"?': "resgin|Resing!",
    'Did you mean "swap"?': "sawp|swop|swop\n\nI have never played this, have fun!",
    'answer with "C3" on one line and "propose" on the next': "C3, how about a draw?|"
    "C3, draw?|C3. Draw?|C3 propose|C3 and I offer a draw",
    "You offer a draw. It is anna's turn": "C3\ndraw|C3\ndraw?|C3\n\nDraw?\nWhat do you think?|C3\nremis?|"
    "C3\nwant a draw?|C3\n\nHow about a draw?|C3\nShall we call it a draw?",
    'To play C3 and resign, answer with "C3" on one line and "resign" on the next': "C3 resign|C3, I resign|"
    "C3 and I resign|C3 then resign|c3 resign, thanks",
    "may mean C3 or swap": "C3 swap|C3, swap",
    "may mean C3 or undo": "C3 undo|C3 and undo",
    "may mean C3 or D4": "I'll take c three. No, d four",
    "not clear whether you mean C3,": "C3. That was a joke.|C3. Just a joke!|C3 - it was a mistake|"
    "C3. Das war nur ein Scherz|C3. C'était une blague|C3... or maybe not|C3. Or not.|C3 (just kidding)|"
    "C3, scratch that|C3, nein|"
    "C3. Cancel that.|C3. Ach, lieber nicht!|C3 - not!|C3, mejor no|C3. Aspetta!|"
    "C3\nPlease ignore this mail, I was testing",
    "your opponent does not learn your address": "My address has changed to bert2@example.net|Use my new mail b@x.org",
    "pbm: help claim": "what happens if anna does not move?|She hasn't answered for weeks|Can I claim a win?|"
    "anna doesn't answer, what can I do?|what happens if I run out of time?",
}  # fmt: skip
"""What the player to move answers to a board, by words of the mail that comes back."""

MOVED_ANSWERS = {
    "To ask your opponent whether you may take it back: Write: undo": "I meant E4|Sorry, I meant E4, not C3|E4 instead|"
    "oops, wrong cell",
    "You ask to take back": "take that back|Entschuldigung, falscher Zug|Zug zurück bitte|Could we take that back?|"
    "could I have that move back please|undo",
    'Did you mean "undo"?': "udno",
    'answer "undo"': "I want to take back C3|can I change my move to E4?|I made a mistake|mi sono sbagliato|"
    "je me suis trompé|me equivoqué|wrong one, can I change it?",
    "passed on as a message": "I wanted to thank you|I never play on Sundays",
}
"""What the player who has just moved writes."""

OFFERED_ANSWERS = {
    "You accepted the draw": "Sure, good game|sure, no problem|sure go ahead|"
    "Agreed, well played|va bene|sim|accetto|acepto|j'accepte|ich nehme an|"
    "claro|Klar!|bien sûr|Draw it is. Well played!|ja\n\nCordialement,\nBert|yes|Yes please|yes, thanks|"
    "Yes! Good game.|Yes, I accept the draw|I accept|ja, gerne|"
    "How about a draw? Oh, I see you offered one. Accept!|Draw? I accept!|draw|ok draw|Draw. Good game!|"
    "I agree to a draw|I'd like a draw|Let's call it a draw|"
    "Einverstanden!|oui merci|Ja, einverstanden|Yes, why not|deal|Gern|vale",
    "You declined the draw": "No way|Ich lehne ab|je refuse|non, on continue|no|no thanks|No, let's play on|"
    "nein, danke|non merci",
    "You played E5. anna's offer of a draw is off": "E5|E5, no draw|E5\nno draw|E5\nI decline",
    "not clear whether you accept": "Draw? I accept. No!|Draw? it is your move|draw?|A draw? Really? I am winning.|"
    "Shall we call it a draw?|How about a draw|Would you like a draw?|remis?|Thanks.\ndraw?|Draw? Yes!|Draw. No way!",
    'offers a draw. Answer "accept" or "reject"': "ok|fine|fine with me|maybe later|"
    "Yes, it was lovely.|Yes, I saw that.|Sure thing, I will think|vale, pero luego|Yes, but later",
}
"""What a player writes when offered a draw."""

RESIGNING_ANSWERS = {
    "You resigned": "yes|yes!!|Ja!|oui|I'm sure|Yes please. Thanks for the game!|Yes, I resign.|"
    "Yes please\n\nBest regards,\nBert",
    "you do not resign": "no|nein!|no, sorry|No, I want to play on.",
    "nothing was changed": "Yes? Why|really?|ja?",
    "passed on as a message": "ja, aber warte noch",
}
"""What a player writes when asked whether they really resign."""

ELSEWHERE_ANSWERS = {
    "Write: 101 D4": "D4|D4 please|d4!",
    "Write: 101 resign": "I resign, well played!",
    "You played D4": "D4 in 101|My move in game 101 is D4|in 101 I take D4 please|D4 auf Brett 101",
    "speaks of D4, and does not say": "D4 in 101?",
    "Really resign?": "please resign for me on 101|resign game 101|I resign in 101|stop game 101|quit 101|"
    "delete game 101|Ich gebe auf in Spiel 101|yes, resign 101|Ok, resign 101|sure, resign 101",
    "You offer a draw. ": "yes, draw 101",
    "You offer a draw": "offer a draw in 101",
    "Hints are only given": "hint for 101|hint for game 101 please",
    "Board goes on. It can be reviewed when it has ended.": "review game 101 please",
    "pbm: help start": "your server made an error in game 101|I have 101 questions|meet me at 101 main street|"
    "in 999 I resign",
    "Write: 101 resign ": "I resign the game with anna|I give up against anna",
    "how it stands": "whose turn is it in 101?|show me game 101|what happened in game 101?|"
    "how long do I have in game 101?|what's the state of 101?|Wer ist dran in 101?|"
    "when does my time run out?|my games|who am I playing?|who is my opponent?|whose turn is it?|what's the score?|"
    "when is my deadline?|how much time do I have?|list my boards please|has anna moved yet?|am I winning?",
    "pbm: about bert": "who am I?",
    "pbm: about anna": "what is anna's rating?|is anna a bot?",
    "Write: cross move BOARD D4": "cross D4",
    "Write: BOARD give 2d": "give anna 2 days",
    "pbm: help mails": "leave me alone",
}
"""What the player to move on board 101 writes when they do not answer a mail of it."""

TALK = (
    "That was your best move!|Thanks for the hint about the restaurant|my advice: go out more|"
    "what would I do without you|"
    "the picture you sent is lovely|Thanks for the picture of your garden!|I don't see the picture you meant|"
    "who else is coming on Friday?|You are being rude|How did the game end yesterday, did you quit?|hahahaha|ggwp|"
    "can you see the board well?|Any advice on books?|Tom hasn't answered my letter|¿Qué tal?|ça va ?|later|"
    "never!|never give up|Don't give up!|I have never played this. What are the rules?|help!!! what did you do to me"
)
"""Words for the other player, though they resemble a question to the server."""

MAY_ASK = {
    "robots": "I want to play against the computer",
    "help propose": "Hi Anna! How do I offer a draw? I never did it.",
    "tournaments": "Are there tournaments here?",
    "help cross": "I have never played this. What are the rules?",
    "test display": "Hi Anna, do you see bigger boards than I do?",
}
"""Words that are passed on but may be a question to the server, by the command that answers it."""

AGAIN = (
    "gg, rematch?|good game! again?|"
    "rematch|rematch?|Rematch please?|one more?|Do you want to play again?|same again with colours reversed|"
    "once more?|play again|Play again?|Another?|Noch eins?|noch mal|Encore une ?|¿Otra?|revenge!"
)


def pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(wanted, said) for wanted, text in table.items() for said in text.split("|")]


@pytest.mark.parametrize("table", [LETTER_ANSWERS, REFUSED])
def test_what_people_ask_in_answer_to_a_letter_leads_there(patient: House, table: dict[str, str]) -> None:
    patient.send("bert", "help")
    ours, wrong = patient.mailboxes["bert@example.net"][-1], []
    for wanted, said in pairs(table):
        patient.mailboxes["bert@example.net"] = [ours]
        told = said_to(patient, patient.answering("bert", said))
        wrong += [] if wanted in told else [(said, told[:200])]
    assert wrong == []


def test_what_newcomers_answer_leads_to_a_game_a_name_or_help(patient: House) -> None:
    patient.send("joe@home.example", "hi", "hello")
    wrong = []
    for wanted, said in pairs(FIRST_ANSWERS):
        told = said_to(patient, patient.answering("joe@home.example", said))
        is_right = wanted.casefold() in told.casefold() if wanted else not told
        wrong += [] if is_right else [(said, told[:200])]
    assert wrong == []


@pytest.mark.parametrize("played", [False, True])
def test_a_robot_is_told_of_before_anybody_has_played_it(patient: House, played: bool) -> None:
    if played:
        patient.game("cross -size=4 bert robot4")
    told = " ".join(patient.send("bert", "about robot4")[0].body.split())
    assert "robot4 hard to beat" in told
    assert patient.send("bert", "How strong is robot4?")[0]["Subject"] == "pbm: about robot4"


def test_a_challenge_to_a_robot_in_a_first_mail_says_how_to_join(patient: House) -> None:
    line = "hex challenge me robot4 -size=5"
    (got,) = patient.send("joe@home.example", line)
    assert f"answer with the same line.\n\nWrite: {line}\n" in got.body
    assert patient.answer("joe@home.example", line)[-1]["Subject"] == "Hex Board 101 joe-robot4"


@pytest.mark.parametrize("said", ["play!", "sign up", "test", "Hello!", "what is this?", "Hex please"])
def test_a_strangers_few_words_are_no_misspelt_command(patient: House, said: str) -> None:
    (got,) = patient.send("joe@home.example", "", said)
    assert got["Subject"] == "pbm: games by mail"
    assert got.body.startswith("This is pbm@example.org: board games for two, by mail.")


def test_a_word_for_playing_in_another_language_is_no_misspelt_command(patient: House) -> None:
    (got,) = patient.send("joe@home.example", "jouer")
    assert "Did you mean" not in got.body


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("play hex robot2", "Write: hex challenge me robot2"),
        ("puzzle go bert bertpass", "There are no puzzles of"),
        ("hint bert bertpass", "Which board? Name its number"),
        ("review abc bert bertpass", "Which board? Name its number"),
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
    assert patient.answer("joe@site.example", "play", mail=1)[0]["Subject"] == "pbm: welcome, joe"


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
    tools.limits = tools.limits.model_copy(update={"active_games": 0})
    for said in ("joe, play hex", "play hex", "I want to play hex"):
        (got,) = patient.answer("joe@home.example", said, mail=1)
        assert "No game was started" in got.body
    with patient.service.store.read() as tx:
        assert tx.players.find("joe") is None


def test_what_people_ask_in_answer_to_a_board_leads_there(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    wrong = []
    for wanted, said in pairs(BOARD_ANSWERS):
        told = said_to(patient, patient.answering("bert", said, 101))
        wrong += [] if wanted in told else [(said, told[:200])]
    assert wrong == []


@pytest.mark.parametrize("told", ["My password is", "Mein Kennwort lautet", "Mon mot de passe :", "Mi contraseña es"])
def test_a_password_in_words_below_a_move_is_told_nobody(patient: House, told: str) -> None:
    patient.game("cross -size=4 bert anna")
    got = patient.answer("bert", f"C3\n{told} swordfish.", 101)
    assert all("swordfish" not in each.text for each in got)
    assert any(f"{told} *****." in each.body for each in got if each.address.startswith("anna"))


@pytest.mark.parametrize("line", ["chat my password is swordfish", "chat mein Passwort lautet swordfish"])
def test_a_password_that_was_not_passed_on_is_not_mailed_back(patient: House, line: str) -> None:
    patient.game("cross -size=4 bert anna")
    (got,) = patient.answer("bert", line, 101)
    assert "Nothing was passed on, for your email may hold a password." in got.body
    assert "swordfish" not in got.text


OWN_PASSWORDS = (
    "chat bertpass", "Chat: bertpass", "chat\nbertpass", "bert bertpass hello there", "bertpass", '"bertpass".',
    "bertpass please", "bert:bertpass", "Bert\nbertpass", "pw bertpass", "Kennwort bertpass", "senha: bertpass",
    "C3\np/w: bertpass for you and me", "C3\nMein Zugangswort ist bertpass, glaube ich",
    "my wachtwoord is bertpass", "heslo=bertpass", "C3\nbertpass", "C3\n\npassword bertpass",
    "C3\nmy password is\nbertpass", "C3\nThanks\nbertpass", "Here it comes:\nbertpass", "show 101 bertpass",
    "follow bertpass", "show bertpass 101", "cross add bertpass C3", "C3\nmy password, bertpass, still works",
    "C3 bertpass", "bertpass C3", "C3\nmy password here is bertpass by the way", "C3\nI use bertpass as my password",
    "C3\nbertpass is my Passwort, by the way", "C3\nmijn wachtwoord voor hier is bertpass trouwens",
    "C3\nIf you need my password: it is bertpass, do not tell", "C3\nmy password: 'bertpass'",
    "C3\nmy password is “bertpass”", "C3\n*bertpass* is my password", "C3\nmy *password* is <bertpass>",
    "C3\nI use _bertpass_ as my password", "C3\nmy password is bertpass😀", "C3\n„bertpass“",
)  # fmt: skip


@pytest.mark.parametrize("line", ["show 101 swordfish", "cross show 101 swordfish", "cross games anna swordfish"])
def test_a_word_where_no_player_is_may_be_a_password_and_is_not_mailed_back(patient: House, line: str) -> None:
    patient.game("cross -size=4 bert anna")
    for writer in ("bert", "joe@home.example"):
        (got,) = patient.send(writer, line)
        assert "is neither a board nor a player" in got.body
        assert "swordfish" not in got.text


def test_a_lone_word_that_nobody_may_look_at_any_more_is_not_mailed_back(patient: House) -> None:
    """Too many words were looked at that day, so nobody knows whether this one is the password."""
    patient.game("cross -size=4 bert anna")
    for number in range(50):
        patient.answer("bert", f"chat wonderful{number}", 101)
    got = patient.answer("bert", "chat bertpass", 101)
    assert [each.address for each in got] == ["bert@example.net"]
    assert "Your email was:\n\n> chat *****" in got[0].body


def test_a_password_that_nobody_may_look_at_any_more_is_not_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    for number in range(50):
        patient.answer("bert", f"chat wonderful{number}", 101)
    patient.answer("bert", "C3\nMy password is bertpass, by the way", 101)
    assert "My password is *****, by the way" in patient.mailboxes["anna@example.net"][-1].body
    assert "your password was not passed on" in " ".join(patient.mailboxes["bert@example.net"][-1].body.split())


@pytest.mark.parametrize("line", OWN_PASSWORDS)
def test_a_players_own_password_is_passed_on_to_nobody(patient: House, line: str) -> None:
    patient.game("cross -size=4 bert anna")
    got = patient.answer("bert", line, 101)
    assert all("bertpass" not in each.text for each in got)


def test_a_players_own_password_on_a_line_of_its_own_is_passed_on_to_nobody(patient: House) -> None:
    with patient.service.store.write() as tx:
        bert = tx.players.find("bert")
        assert bert is not None
        tx.players.set_password_hash(bert.id, patient.service.tools.passwords.hash("tulip-77"))
    patient.game("cross -size=4 bert anna")
    got = patient.answer("bert", "Thanks, here it comes!\n\ntulip-77", 101)
    assert got != []
    assert all("tulip-77" not in each.text for each in got)


def test_a_single_word_that_is_no_password_is_passed_on(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    (_, got) = patient.answer("bert", "chat Congratulations", 101)
    assert "\n  Congratulations\n" in got.body


@pytest.mark.parametrize(("second", "told"), [("propose", "offers a draw"), ("resign", "Really resign?")])
def test_a_move_and_a_command_below_it_are_done_whatever_is_said_below(patient: House, second: str, told: str) -> None:
    patient.game("cross -size=4 bert anna", ["C3", "D4"])
    got = patient.answer("bert", f"E5\n{second}\nWhat do you think?", 101)
    assert told in " ".join(each.body for each in got)
    assert "bert played E5." in patient.mailboxes["anna@example.net"][-1].body


def test_another_move_than_the_one_just_made_is_asked_of_the_opponent(patient: House) -> None:
    patient.game("cross -size=4 bert anna", ["C3"])
    told = [(wanted, said_to(patient, patient.answering("bert", said, 101))) for wanted, said in pairs(MOVED_ANSWERS)]
    assert [(wanted, heard) for wanted, heard in told if wanted not in heard] == []


@pytest.mark.parametrize(
    ("asker", "question", "table"), [("anna", "propose", OFFERED_ANSWERS), ("bert", "resign", RESIGNING_ANSWERS)]
)
def test_questions_are_answered_in_plain_words(
    patient: House, asker: str, question: str, table: dict[str, str]
) -> None:
    patient.game("cross -size=4 bert anna", ["C3", "D4"])
    patient.answer(asker, question, 101)
    told = [(wanted, said, said_to(patient, patient.answering("bert", said, 101))) for wanted, said in pairs(table)]
    assert [(said, heard) for wanted, said, heard in told if wanted not in heard] == []


TAKEBACK_ANSWERS = {
    "is taken back: you agreed": "ok|Ok, no problem!|no problem|fine with me|All right, good luck",
    "passed on as a message": "which move?|ok, but only this once|ok if I may take mine back, too|ok?",
}


@pytest.mark.parametrize(("wanted", "said"), pairs(TAKEBACK_ANSWERS))
def test_a_plain_yes_agrees_to_a_takeback(patient: House, wanted: str, said: str) -> None:
    patient.game("cross -size=4 bert anna", ["C3", "D4"])
    patient.answer("anna", "undo", 101)
    assert wanted in said_to(patient, patient.answering("bert", said, 101))


@pytest.mark.parametrize("said", ["Can I have the board as a picture?", "Could the board be bigger? My eyes are bad."])
def test_a_robots_opponent_is_answered_by_the_server_whatever_else_they_say(patient: House, said: str) -> None:
    patient.game("cross -size=4 bert robot1")
    (got,) = patient.answer("bert", said, 101)
    assert got["Subject"] == "pbm: test display"


ROBOT_ANSWERS = {
    "pbm: help hex": "teach me hex|Can you teach me to play hex?",
    "pbm: help go": "teach me go",
    'no game "chess" here': "teach me chess",
    "pbm: list of games": "list of players",
    "You want no more emails.": "leave me alone",
    '"pause" takes fewer words.': "pause for thought",
    "is not a cell": "checkmate, my dear corner",
    "does not say that you play it": "hm C3 looks good",
    "pbm: help cross": "show rules",
    "pbm: help puzzle": "solution?",
    "You offer a draw": "can I have a draw?",
    "pbm: robots": "can I have an easier one|I want to play against the computer|gegen den Computer spielen|new game|"
    "leichter bitte|zu schwer|trop difficile|muy difícil|più facile per favore",
    "Its hint comes in a separate email": "help me win|what should I play?|what would you play?",
    "is a program, which reads no messages": "chat hello|No way!|Fantastic!",
}
"""What is written to a robot as an opponent, by words of the answer."""


def test_a_robots_opponent_is_never_told_to_chat(patient: House) -> None:
    patient.game("cross -size=4 bert robot1")
    told = [
        (wanted, said, said_to(patient, patient.answering("bert", said, 101))) for wanted, said in pairs(ROBOT_ANSWERS)
    ]
    assert [(said, heard) for wanted, said, heard in told if wanted not in heard or '"chat"' in heard] == []


@pytest.mark.parametrize("moves", [[], ["C3"]])
def test_talk_is_never_withheld_from_the_other_player(patient: House, moves: list[str]) -> None:
    patient.game("cross -size=4 bert anna", moves)
    for said in TALK.split("|"):
        patient.answer("bert", said, 101)
        assert f"  {said}\n" in patient.mailboxes["anna@example.net"][-1].body


def test_talk_that_may_be_a_question_is_passed_on_and_its_writer_told_whom_to_ask(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    for line, said in pairs(MAY_ASK):
        mails = {got.address: got.body for got in patient.answer("bert", said, 101)}
        assert f'If you meant to ask the server, answer "{line}".' in mails["bert@example.net"]
        assert "ask the server" not in mails["anna@example.net"]


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
    "Regards\nPosition C3", "Regards\nTel. 555-7788 990\nI play C3, call me", "Regards\nBert\nC Three",
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
    assert any("accepted bert's invitation" in got.body for got in patient.answer("zoe@example.com", said))


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
        assert got["Subject"] == "pbm: games by mail", text


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


LETTERS_OF_COLUMNS = {
    "d": "column d please|Spalte d bitte|colonne d|I play column d|D, your turn|column 4",
    "": "I'd say d",
}


@pytest.mark.parametrize(("column", "said"), pairs(LETTERS_OF_COLUMNS))
def test_a_column_may_be_told_by_its_name(patient: House, column: str, said: str) -> None:
    patient.game("four bert anna")
    assert ("You played d." in said_to(patient, patient.answering("bert", said, 101))) == bool(column)


@pytest.mark.parametrize(("move", "said"), [("7", "seven"), ("7", "sieben"), ("12", "twelve please")])
def test_a_number_in_words_is_asked_about(patient: House, move: str, said: str) -> None:
    patient.game("crossgeo bert anna")
    told = said_to(patient, patient.answering("bert", said, 101))
    assert f"It is not clear whether you mean {move}. If you do: Write: {move}" in told


@pytest.mark.parametrize("said", ["I forgot my password", "I can't log in any more", "my user id was ann"])
def test_a_stranger_who_may_have_an_account_is_told_how_to_get_to_it(patient: House, said: str) -> None:
    (got,) = patient.send("joe@site.example", "", said)
    assert '"help account" tells how to get a new password' in " ".join(got.body.split())


def test_a_move_without_its_board_is_told_how_to_name_it(patient: House) -> None:
    patient.game("cross -size=4 bert anna")
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    told = [
        (wanted, said_to(patient, patient.mail("bert", said, **vouched))) for wanted, said in pairs(ELSEWHERE_ANSWERS)
    ]
    assert [(wanted, heard) for wanted, heard in told if wanted not in heard] == []


def test_who_asks_for_one_more_game_gets_it(patient: House) -> None:
    patient.game("cross -size=4 bert anna", ["C3", "D4"])
    patient.answer("bert", "resign!", 101)
    for said in AGAIN.split("|"):
        assert "Cross Board anna-bert" in said_to(patient, patient.answering("bert", said, 101)), said


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
