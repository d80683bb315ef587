"""What a question or wish in plain words is about, and the command that answers it.

A letter to the server may mention a topic in any words. On a board, where people also write to the other player, a
question is for the server only if the text is nothing else.
"""

from __future__ import annotations

import re

from pbm.domain.idioms.answers import THANKS
from pbm.domain.idioms.patterns import any_of
from pbm.domain.meaning import sentences

ERASURE = "help erase me"
"""The command for people who want their data erased; by itself it only shows a page."""
LEAVES = (ERASURE, "set")
"""The topics of people who want no more mails, or no more of a kind, that have better answers than how to stop all."""

TOPICS = {
    command: any_of(rows)
    for command, rows in {
        "help resign": r"""
            \b(?:resign|give up|concede|quit)\b.{0,30} (?:all|every) .{0,20}\b(?:games?|boards?)\b
            \bhow\b.* (?:resign|give up|concede|quit)\b|^wie (?:gebe ich|gibt man|kann ich) (?:.{1,20} )?auf(?:geben)?\b
            ^comment (?:puis-je |peut-on )?abandonner?\b|^cómo (?:abandono|me rindo)\b|^come (?:abbandono|mi arrendo)\b
            ^hoe (?:geef ik op|kan ik opgeven)\b|^como desisto\b
            \bhow\b.* (?:end|leave|stop|cancel|abort|delete) (?:a|the|this|my) (?:game|match)\b
            """,
        "help undo": r"\bhow\b.* (?:undo|take ?back|take .{1,20} back|change my (?:last )?move)\b",
        "help propose": r"""
            \bhow\b.* (?:draw|remis|tie)\b|^wie (?:biete ich|kann ich) (?:ein )?(?:remis|unentschieden)\b
            ^comment proposer (?:la |une )?(?:partie )?nulle\b|^cómo (?:ofrezco|propongo) (?:tablas|empate)\b
            """,
        "help claim": r"""
            \bwhat (?:happens )?(?:if|when) .{1,30} runs? out of time\b
            \bwhat (?:happens )?if .{1,30}(?:does(?:n't| not)|do(?:n't| not)|never|stops?) (?:move|play|answer|reply)
            ^\w{2,20} (?:hasn't|has not) (?:mov|play|answer|repl|respond)\w+
            ^\w{2,20} (?:doesn't|does not) (?:move|answer|reply|respond)(?: any ?more)?(?:[,.?]|$)
            \b(?:can|may|how (?:can|do)) i (?:claim(?: (?:a|the) (?:win|game))?|win on time)\?*$|^i want to win on time
            \bhow\b.* win on time\b|\b(?:time|clock) (?:runs|has run|is) (?:out|up)\?
            """,
        "help review": r"""
            \b(?:review|analy[sz]e|analysis)\b
            \bwhy (?:did (?:i|we|you) (?:lose|win)|have i lost)\b|\bwhere did i go wrong\b
            \bwhat was my (?:mistake|error|blunder)\b
            \bwas (?:that|it|this|my \w+(?: move)?) (?:an? )?(?:\w+ )?(?:mistake|blunder|error|bad|wrong)\b
            """,
        "hint": r"""
            \bhints?\b|\bbest move\b|\bwhat (?:should|would|shall) (?:i|you) (?:play|do|move)\b
            \b(?:pick|choose|play|find|suggest) (?:one|a move|something) for me\b|\b(?:advice|suggestion)\b
            """,
        "set timezone": r"\btime ?zone\b",
        "set": r"""
            \b(?:turn|switch) (?:on|off)\b(?! .{0,20}\b(?:e-?mails?|mails|messages)\b)|\bplain text\b
            \b(?:i(?:'m| am) blind|screen ?readers?|voiceover|braille)\b
            \b(?:no(?: more)?|without|(?:don't|do not|stop) (?:want|send(?:ing)?)(?: me)?) (?:any |the |all )?UNWANTED\b
            """,
        "test display": r"""
            \b(?:can't|cannot|can not|don't) (?:see|read) (?:the|my|any) (?:board|picture)|\b(?:dark|night) mode\b
            ^(?:picture|image|html)(?: please)?\??$|\b(?:no|the|see|send|show|want) (?:\w+ )?(?:picture|image|html)s?\b
            \b(?:bigger|larger|smaller) (?:\w+ )?(?:boards?|pictures?|letters?|fonts?|texts?)\b
            \b(?:board|mail|picture) (?:is|looks?|seems?) (?:strange|weird|wrong|broken|odd|bad|empty|garbled)
            """,
        "help block": r"""
            \b(?:rude|abusive|insult\w*|harass\w*|report (?:a player|them))\b|\bhow\b.{1,20} (?:block|ignore|mute)\b
            """,
        "help puzzle": r"""
            \bkeine? (?:\w+ )?rätsel\b
            \b(?:daily|stop|no|not|don't|without|end|quit|cancel|off|fewer|less|enough) (?:\w+ ){0,4}puzzles?\b
            \bpuzzles? (?:.{1,20} )?(?:every|each|per|a) (?:day|morning)\b
            ^(?:(?:what(?:'s| is)|show me|send me|tell me|i want) )?(?:the )?solution(?: to the puzzle)?(?: please)?\??$
            """,
        "puzzle": r"\bpuzzles?\b|^(?:ein )?rätsel\b",
        ERASURE: r"""
            \bERASING\b
            """,
        "help mails": r"""
            \bhow do i (?:leave|quit)\b(?! (?:\w+ ){0,3}(?:tournament|league))
            \b(?:one|a single) (?:e-?)?mail (?:a|per|each) day\b
            ^i want to (?:quit|leave)$
            \b(?:too many|fewer|less|(?:turn|switch) off|get rid of) .{0,20}\b(?:e-?mails?|mails?|messages)\b
            \b(?:zu viele|trop de|demasiados|troppe|muitos|te veel) (?:(?:e-?)?mails?|correos|mensajes|messages)\b
            """,
        "help export": r"""
            \b(?:export|download|send me|copy of) (?:\w+ ){0,2}(?:my|all|the) (?:\w+ )?data\b
            \b(?:export|download) (?:\w+ ){0,2}(?:games|boards|records)\b
            \bdata (?:that )?you (?:store|have|keep)\b|\byou know (?:of|about) me\b
            """,
        "help tournament": r"""
            \b(?:leave|quit|withdraw|drop out|get out|can't|cannot|retire) (?:\w+ ){0,4}(?:tournament|league)\b
            \bhow (?:do|does) (?:\w+ ){0,3}(?:tournaments?|ladders?|leagues?) work\b
            \bcreate (?:a|my) (?:tournament|league)\b
            \bwhat(?:'s| is) a (?:ladder|swiss|round robin|league|knockout)\b
            """,
        "tournaments": r"""
            \b(?:tournaments?|championships?|leagues?|ladders?|turniere?|tournois?|torneos?|tornei|torneios?|toernooi(?:en)?)\b
            """,
        "robots": r"""
            \b(?:which|what|list|how (?:strong|good)|any|the) .{0,20}\b(?:robots?|bots?)\b
            \b(?:stronger|weaker|easier|better|harder) (?:opponent|robot|bot|program|computer|one)s?\b
            ^(?:(?:make|can you make) it )?(?:stronger|weaker|easier|harder)(?: please)?\??$
            \btoo (?:hard|easy|difficult|strong|weak)\b
            \b(?:zu|te) (?:schwer|schwierig|leicht|einfach|stark|schwach|moeilijk|makkelijk|sterk|zwak)\b
            \b(?:trop|muy|demasiado|troppo|muito) (?:difficile|facile|fort|faible|difícil|fácil|fuerte|forte|debole)\b
            ^(?:schwerer|schwieriger|leichter|einfacher|stärker|schwächer|moeilijker|makkelijker|sterker|zwakker)\b
            ^(?:plus|moins|más|menos|più|meno|mais) (?:difficile|facile|fort|difícil|fácil|fuerte|forte)\b
            """,
        "GAME standings": r"(?<=\s)(?:standings|ratings list|list of ratings|rangliste|classement)\b",
        "GAME seek": r"""
            \b(?:take|accept|join)\b.{0,40} (?:offer(?:s|ed|ing)?|seeks?)\b|\bopen (?:\w+ )?(?:games?|offers?|seeks?)\b
            """,
        "help standings": r"""
            \b(?:rankings?|leaderboard|top (?:players?|ten|10)|(?:best|strongest) players?|who is the best)\b
            \b(?:get|have) a rating\b|\bprovisional\b
            """,
        "about me": r"""
            \bmy (?:rating|elo|rank|ranking|stats|statistics)\b|\bmy record\b
            \bwho am i\b(?! \w)|\bam i (?:registered|signed up|a member)\b
            \b(?:what is|what's|forgot|forgotten) my (?:user ?name|userid|user id|login|nick(?:name)?|name)\b
            how am i doing
            """,
        "help account": r"""
            \b(?:pass ?wor[dt]|p/w|kennwort|zugangs(?:wort|code)|losungswort|mot de passe|contraseña|senha|wachtwoord)\b
            \b(?:meine|mon|ma|mi|mijn) (?:neue |nouvelle |nueva |nieuwe )?(?:e-?mail-?)?(?:adress?e?|correo)\b
            \bchanger d'adresse\b
            \b(?:my|the|an?) account\b|\bmy (?:\w+ )?(?:e-?mail )?address\b|\bnew e-?mail\b
            \b(?:writ(?:e|ing)|e?mail(?:ing)?|reach me|read mail) (?:\w+ ){0,3}(?:from|at|to|with|under) \S{1,80}@
            \bmy e-?mail (?:has|is)\b|\bchange my e-?mail\b
            \b(?:log|sign) ?(?:in|on|out|off)\b
            \b(?:my|a|another) (?:new )?(?:user ?name|userid|user id|nick(?:name)?|name)\b
            \b(?:changed|moved|changing|another|different|other) (?:my |the |an? |to )?(?:new )?(?:e-?mail|address)\b
            """,
        "help pause": r"\b(?:pause|stop|freeze) .{0,20}\b(?:games|boards|clocks?)\b",
        "all show me active": r"""
            \b(?:my|our) (?:\w+ )?(?:games?|boards?|match|matches)\b|^status$|\bwhat(?:'s| is) going on\b
            \b(?:what|which) (?:games|boards) (?:am|do) i\b|\bam i playing\b|\bmy turn\b|\bwaiting for me\b
            \bmeine (?:spiele|partien)\b|\bmes (?:parties|jeux)\b|\bmis (?:partidas|juegos)\b
            """,
        "list": r"""
            \b(?:list of|all|the|other|how many|which|what|any|see|show me) (?:\w+ )?(?:players|people|users|members)\b
            \bwho(?: else)? (?:is |are )?(?:online|here|there|playing|plays|on)\b|\bwho else\b
            """,
        "help": r"""
            \b(?:welche|was für) spiele\b|\bquels jeux\b|\bqu[ée] (?:juegos|jogos)\b|\bquali giochi\b
            \bwelke spell?en\b
            ^games\??$|\b(?:what|which|list|list of|other|more|all|any|how many|your) (?:\w+ )?games?\b
            \b(?:do|have) you (?:have|got|know|offer|play)\b|\bgames (?:are there|do you|list|available)\b
            """,
        "help seek": r"""
            \b(?:suche|cherche|busco|cerco|procuro|zoek) (?:\w+ ){0,2}(?:gegner|mitspieler|tegenstander)\b
            \b(?:cherche|busco|cerco|procuro) (?:\w+ ){0,2}(?:adversaire|oponente|rival|avversario|adversário)\b
            \b(?:find|need|want|get|look(?:ing)? for|have|an|any) (?:me )?(?:an? |another )?(?:opponents?|partners?)\b
            \b(?:with|against|vs|versus) (?:an? )?(?:other |real )?(?:humans?|person|people|players?|opponent)\b
            \b(?:anyone|any1|anybody|somebody|someone)\b|\bwho wants to play\b|\bmy (?:seek|search)\b
            """,
        "help challenge": r"""
            \b(?:invite|invitation)\b
            \bmy (?:\w+ )?(?:(?:boy|girl)?friend|wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad)s?\b
            """,
        "help GAME": r"""
            \bhow does \w+ work\b|\b(?:spiel)?regeln\b|\brègles\b|\breglas\b|\bregole\b|\bregras\b|\bspelregels\b
            \b(?:rules?|explain|teach|learn|understand|instructions|how to play|how do (?:i|you|we) play)\b
            """,
        "help clock": r"""
            \bhow (?:long|much time)\b|\bclocks?\b|\b(?:deadline|time limit|time control)s?\b|\bmore time\b
            """,
        "help digest": r"""
            \b(?:an?|the|daily|get|send|want|have|no|stop) (?:\w+ )?digest\b
            \b(?:mails?|nachricht\w*|correos?) (?:\w+ ){0,2}(?:a|per|each|every) day\b
            \b(?:mails?|nachricht\w*|correos?) (?:am|pro|par|al|per|por) (?:tag|jour|día|giorno|dia|dag)\b
            """,
        "help vacation": r"""
            \b(?:vacations?|holidays?|urlaubs?|ferien|vacances|vacaciones|férias|vakantie|vacanz[ae])\b
            """,
        "help follow": r"\b(?:watch|spectat\w+|look on|following)\b",
        "help remind": r"\bremind(?:ers?|ed)?\b",
        "help tutorial": r"\b(?:beginner|new here|newbie|noob|get started|do i (?:start|begin|play)|first time)\b",
    }.items()
}
"""The command for each topic, and the pattern of words, anywhere in a sentence, that ask for it.
The first match counts. GAME stands for the game that is named.
"""


QUESTIONS = {
    command: any_of(rows, "BEFORE", r"(?:AFTER)\??")
    for command, rows in {
        "help resign": r"""
            HOW (?:resign|give up|concede|quit)(?: THEGAME| here)?
            HOW (?:end|leave|stop|cancel|abort|delete) THEGAME
            """,
        "help undo": r"""
            HOW (?:undo|take ?back|change)(?: (?:LAST|a move))?
            HOW (?:take|get) (?:LAST|a move) back
            """,
        "help propose": r"""
            HOW (?:offer|propose|suggest|get|make|ask for)(?: \w+)? (?:draw|remis|tie)
            """,
        "help claim": r"""
            what (?:happens )?(?:if|when) (?:i|RIVAL|one|we|somebody) runs? out of time
            what (?:happens )?(?:if|when) (?:the|my|h(?:is|er)|their) (?:time|clock) (?:runs|has run|is) (?:out|up)
            is (?:the|my|h(?:is|er)|their) (?:time|clock) (?:out|up)
            what (?:happens )?if RIVAL (?:does(?:n't| not)|do(?:n't| not)|never|stops?) ANSWERS
            RIVAL (?:is(?:n't| not)|are(?:n't| not)) ANSWERS(?:, WHATNOW)?
            RIVAL (?:hasn't|has not|haven't|have not|doesn't|does not|don't|do not|never|won't) ANSWERS(?:, WHATNOW)?
            (?:can|may|how (?:can|do)) i (?:claim(?: (?:a|the) (?:win|game))?|win on time)|i want to win on time
            """,
        "hint": r"""
            (?:(?:please|can|could|may|i|you|give|show|get|have|need|want|me|any|some|an?) ){0,6}HINTS(?: for me)?
            (?:what(?:'s| is) (?:the|my) )?best move|help me (?:to )?(?:win|play|move|choose)(?: (?:this|here|now))*
            what (?:should|would|shall) i (?:play|do|move)(?: (?:now|here|next))*
            (?:pick|choose|play|find|suggest) (?:one|a move|something) for me
            """,
        "test display": r"""
            (?:(?:the|a|some|send|show|want|get|more|me|i|with|no|where is|where are) ){0,5}PICTURE
            PICTURE (?:(?:do|does|did|is|are|was|were|wo)(?:n't| not)?|never|won't) VISIBLE.{0,20}
            (?:i |we )?CANNOT (?:see|read|get|find|open) (?:PICTURE|(?:the|my|any) board)
            (?:there (?:is|are|was|were) |there's |i (?:see|get|have|got) )no (?:PICTURE|board)
            (?:WISH|ABLE|HOW )?GET (?:PICTURE|(?:the |my |a )?boards? (?:as|in|with) PICTURE)
            (?:WISH|ABLE|HOW )?GET SMALL|(?:can|could) (?:the|my) (?:board|picture|letters?|text) be (?:bigger|larger)
            SMALL|(?:the )?(?:board|mail|picture|letters?|text)s? (?:is|are|looks?|seems?)(?: \w+){0,2} OFSIZE
            (?:the )?(?:board|mail|picture) (?:is|looks?|seems?|comes? out)(?: \w+){0,2} BROKEN(?: here| to me)?
            (?:(?:WISH|ABLE|HOW )?GET (?:the |a )?)?(?:dark|night) mode
            the (?:lines|rows|columns|letters) (?:don't|do not|doesn't|aren't|are not) (?:line up|aligned|match)
            """,
        "help block": r"""
            HOW (?:block|report|ignore|mute) (?:RIVAL|somebody|a player|(?:this|my) \w+)
            RIVAL (?:is|was)(?: \w+)? (?:rude|abusive|insulting)|report (?:RIVAL|a player|this player)
            """,
        "list": r"""
            (?:(?:show|give|send)(?: me)? )?(?:(?:a |the )?list of )?(?:all )?(?:the )?(?:players|users|members)
            (?:who|which players)(?: else)?(?:'s| is| are) (?:online|here|on|playing)(?: here| now| right now)*
            who else (?:plays|is there)(?: here)?
            how many (?:players|people|users) (?:are|play)(?: (?:there|here))*
            """,
        ERASURE: r"""
            (?:WISH|HOW )?ERASING
            """,
        "help mails": r"""
            too many EMAILS
            (?:(?:can|could|i|you|want|send|get|have|me|please) ){0,6}(?:fewer|less) EMAILS
            (?:HOW|i want to) (?:leave|quit|unsubscribe)|remove me
            (?:HOW )?(?:stop|turn off|switch off|get rid of)(?: all)? (?:the|these|your) EMAILS
            """,
        "help account": r"""
            HOW (?:change|set) (?:my|the|a) (?:\w+ )?(?:(?:nick|user ?)?name|userid|e-?mail|address|password)
            """,
        "about me": r"""
            (?:what(?:'s| is)|show(?: me)?|tell me) my (?:rating|elo|rank|ranking|stats|statistics|record)
            who am i|am i (?:registered|signed up|a member)
            (?:what(?:'s| is)|i forgot|i have forgotten) my (?:user ?name|userid|user id|login|nick(?:name)?|name)
            """,
    }.items()
}  # fmt: skip
"""Questions on a board that are not for the opponent: the whole text but courtesies. RIVAL: the other player."""


def topic(text: str) -> str:
    """The command that answers a text in any words, with GAME for a game; "" for none.

    >>> topic("Hello, are there any tournaments?"), topic("How do I resign?"), topic("My cat is asleep.")
    ('tournaments', 'help resign', '')
    """
    said = [sentence.plain for sentence in sentences(text)]
    return next((name for each in said for name, row in TOPICS.items() if row.search(each)), "")


def question(text: str, opponent: str) -> str:
    """The command that answers a text which is just that question; "" for any other text. opponent: their userid.

    >>> question("Hi! Any hints?", "ann"), question("That was your best move!", "ann")
    ('hint', '')
    >>> question("Ann hasn't answered for weeks", "ann"), question("Tom hasn't answered my letter", "ann")
    ('help claim', '')
    """
    found, named = set[str](), re.compile(rf"(?<!\S){re.escape(opponent.casefold())}(?![\w-])")
    for sentence in sentences(text):
        said = named.sub("they", sentence.plain) if opponent else sentence.plain
        asked = next((name for name, row in QUESTIONS.items() if row.fullmatch(said)), "")
        if not asked and not THANKS.fullmatch(said):
            return ""
        found.add(asked)
    return max(found, default="")
