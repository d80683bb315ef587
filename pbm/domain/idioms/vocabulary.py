"""Lists of words: numbers, names of games and commands elsewhere, and words that are neither names nor commands."""

from __future__ import annotations

import re

NUMBERS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
""".split()  # noqa: SIM905  as below
"""From one to nineteen."""

COUNTS = {"a": "1", "an": "1", "another": "1", **{word: f"{count}" for count, word in enumerate(NUMBERS, 1)}}
"""English number words, and their digits."""

_OTHER_NUMBERS = """
    eins un uno um een une una uma ein één|zwei deux dos due twee dois duas|drei trois tres tre drie três|
    vier quatre cuatro quattro quatro|fünf fuenf cinq cinco cinque vijf|sechs six seis sei zes|sieben sept siete sette
    zeven sete|acht huit ocho otto oito|neun neuf nueve nove negen|zehn dix diez dieci tien dez|
    elf onze once undici|zwölf douze doce dodici twaalf doze
"""
SPELT = {
    **COUNTS, **{word: f"{count}" for count, row in enumerate(_OTHER_NUMBERS.split("|"), 1) for word in row.split()},
}  # fmt: skip
"""Number words of several languages; some mean something else in another language."""
_SPELLING = """
    alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo
    sierra tango uniform victor whiskey xray yankee zulu
    alfa juliet whisky x-ray
    anton berta cäsar dora emil friedrich gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula quelle
    richard samuel theodor ulrich viktor wilhelm xanthippe ypsilon zacharias
"""
LETTERS = {
    **{word: word[0] for word in _SPELLING.split()},
    "ay": "a", "bee": "b", "be": "b", "ce": "c", "ci": "c", "di": "d", "efe": "f", "effe": "f", "ge": "g", "gi": "g",
    "see": "c", "sea": "c", "cee": "c", "dee": "d", "ee": "e", "ef": "f", "eff": "f",
    "gee": "g", "jay": "j", "jee": "g", "kay": "k", "ell": "l", "em": "m", "pee": "p", "tea": "t", "tee": "t",
}  # fmt: skip
"""Letters as they sound, or as spelt over the telephone."""

OTHER_NAMES = {
    "othello": "reversi", "connect four": "four", "connect 4": "four", "connect-four": "four", "connect-4": "four",
    "4 in a row": "four", "vier gewinnt": "four", "five in a row": "gomoku", "gobang": "gomoku", "baduk": "go",
    "weiqi": "go", "cross geo": "crossgeo", "nine mens morris": "morris", "mühle": "morris",
}  # fmt: skip
"""Names of our games elsewhere, and what they are called here."""

OTHER_VERBS = {
    **dict.fromkeys(("watch", "observe", "spectate"), "follow"), "unwatch": "unfollow",
    **dict.fromkeys(("ranking", "rankings", "ratings", "leaderboard"), "standings"),
    **dict.fromkeys(("profile", "rating", "stats", "whois"), "about"),
    **dict.fromkeys(("ban", "ignore", "mute"), "block"),
    **dict.fromkeys(("players", "users"), "list"),
}  # fmt: skip
"""Names of our commands elsewhere, and what they are called here."""

ELSEWHERE = re.compile(
    r"\b(?:chess|checkers|draughts|shogi|xiangqi|backgammon|mahjong|scrabble|poker|cards|tic.?tac.?toe|battleships?"
    r"|sudoku|solitaire|monopoly|stratego|mancala|dominoe?s?|schach|échecs|ajedrez|scacchi|schaken|xadrez)\b"
)
"""Well-known games that this server does not have."""

NO_GAMES = frozenset(
    """
    again against anybody anyone anything another by computer first game games here human humans it match matches
    new now online out people person program robot robots round several somebody someone something soon then today
    together two three
    versus vs
    """.split()  # noqa: SIM905  as below
)
"""Words in place of a game's name that are not games."""

COURTESIES = frozenset(
    """
    thanks thx thank gg hello hi hey bye ok okay sorry wow nice great cool super congratulations congrats ouch oops
    cheers bravo well interesting ciao merci danke gracias hallo haha hehe lol lmao omg brb wait maybe enough hm
    hmm fine kk ggwp glhf nvm idk later soon tomorrow tonight thinking aha yikes argh obrigado grazie dank bedankt moin
    amazing awesome beautiful brilliant excellent fantastic perfect
    """.split()  # noqa: SIM905  as below
)
"""Words that may be a message by themselves."""

REQUESTING = frozenset(
    """
    please pls plz bitte thanks thx danke merci svp gracias grazie obrigado obrigada bedankt dank graag alsjeblieft
    """.split()  # noqa: SIM905  as above
)
"""Polite words that people write after a command."""

COMMON = frozenset(
    """
    a about am an and any are as at be been being but by can could did do does for from had has have hello help
    hey hi how i if in is it its just let like may maybe me might mine my need no not of ok okay on one or our
    please shall should so some sorry sure thank thanks that the there these this those to too us want
    was we were what when where which who whom whose why will with would yeah yep yes you your good morning evening
    ich wie wer ist mein meine meinen das wo kann je mon mes mot comment est yo mi quiero cómo como
    spielen mitspielen jouer jugar giocare
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Common words, none of which is a misspelt command."""

_SAID = """
    a perhaps about again all already also always am an and any are as ask at away back bad be because best but by bye
    can cheers confirm cool count dear decline definitely do done eager excited fine for free fun game games glad go
    going gone good goodbye great greetings hallo happy have hello help here hey hi how i if in indeed info interested
    is it just keen later leave let like love maybe me move my never new nice no none nope not nothing now of off ok
    okay on one open out over perfect play player please pleased ready really regards remove right rules see so some
    soon sorry spam start stop super sure test thank thanks that the then there this time to today too try unsubscribe
    unsure up very wait was we welcome well what when where which who why will with wonderful wrong y yea yeah yep yes
    you your afraid busy old delighted curious ja gerne gern bitte danke hm hmm um yay nein oui non si joining tired
    sick sending gladly certainly absolutely happily surely readily naturally
    spielen mitspielen jouer jugar giocare hilfe aide ayuda bonjour hola salut sí abmelden abbestellen désinscription
    join register subscribe signup soy sup yo ask enter login hiya morning evening sign name nickname username nothing
    any alles der die das ein eine el la le les de nuevo nueva neu neue nouveau nouvelle nieuw lets bored lol lmao
    haha yeet chamo-me sono sou hoi dag ik wil graag meedoen spelen quero jogar vorrei schach allez allons vamos los
    klar claro vale bien
    slow quick fast rusty lazy blind deaf retired ill late lost stuck confused bored weak strong worried nervous serious
    kidding able willing thrilled honored honoured flattered scared wondering learning thinking trying hoping looking
    going working playing waiting reading writing asking
    später nicht nie niemals nichts kein keine pas jamais rien não niet geen nooit nee nunca jamás stopp
    re subject everybody nobody everything anything whatever she they cancel delete password english deutsch many
    more received noted understood seen sounds looks seems feels
"""

NO_NAMES = frozenset(_SAID.split()) | COURTESIES | REQUESTING
"""Common words that are nobody's name."""
