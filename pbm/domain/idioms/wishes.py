"""Sentences that ask a player or the server for something other than an act on a board."""

from __future__ import annotations

import re

from pbm.domain.idioms.patterns import any_of

WISHES = {
    name: any_of(rows, "BEFORE", r"(?:AFTER)\??")
    for name, rows in {
        "time": r"""
            (?:give|grant|allow) me (?:(?:a|some|just|a (?:bit|little)|\w+) )?(?:(?:more|extra|additional) )?AMOUNT
            (?:can|could|may|might|would|will) (?:i|you|we) (?:please )?(?:have|get|(?:give|grant|allow) me) MOREAMOUNT
            (?:(?:i|i'd|i'll) )?(?:really )?(?:need|want|like|would like|could use|would need|must have) MOREAMOUNT
            (?:a (?:bit|little) )?more time|(?:one|two|three|four|a few|some) more (?:days?|weeks?|hours?)
            (?:can|could|may) (?:i|we) (?:please )?(?:have|get) (?:a|one|two|three|some) (?:time|days?|weeks?|hours?)\??
            (?:can|could|may) i (?:please )?have until .{1,30}
            (?:(?:kann|könnte|darf) )?(?:ich )?(?:(?:brauche|bräuchte) )?(?:bitte )?(?:etwas )?mehr zeit(?: haben)?\??
            (?:kann|könnte|darf) ich noch .{1,20} haben\??|(?:ich )?brauche noch .{0,15} (?:zeit|tage?|wochen?)
            (?:(?:j'ai|j'aurais) besoin de |puis-je avoir )?(?:un peu )?plus de temps\??
            (?:(?:necesito|puedo tener) )?(?:un poco )?más tiempo\??
            (?:(?:posso avere|ho bisogno di|mi serve) )?(?:un po' )?(?:di )?più tempo\??
            (?:(?:mag|kan) ik |ik heb )?(?:wat )?meer tijd(?: (?:nodig|krijgen|hebben))?\??
            (?:(?:preciso de|posso ter) )?(?:um pouco )?mais tempo\??
            """,
        "pause": r"""
            (?:can|could|may|shall|should) (?:i|we) (?:please )?(?:pause|stop|(?:take|have) a break|make a pause).{0,40}
            (?:(?:can|could|may|shall|should|might) we (?:please )?|let's |let us )adjourn\b.{0,40}
            (?:let's|let us) (?:pause|take a break|have a break|make a pause).{0,40}
            (?:können|könnten|wollen|sollen) wir (?:.{1,30} )?(?:pausieren|(?:eine )?pause machen|unterbrechen)\b.{0,30}
            (?:(?:on |peut-on |on peut )(?:fait|faire)|faisons) une pause\b.{0,30}
            (?:podemos hacer|hacemos|hagamos) una pausa\b.{0,30}
            (?:pause|adjourn)(?: (?:the|this|our) (?:game|clocks?|match)(?: .{1,40})?| (?:until|till|bis) .{1,30})?\??
            """,
        "rest": r"""
            (?:i(?:'m| am|'ll be| will be) )?(?:on|going on) (?:holidays?|vacation|leave)\b.{0,60}
            i(?:'m| am|'ll be| will be) (?:away|travell?ing|abroad|offline|in hospital)\b.{0,60}
            i(?:'m| am|'ll be| will be) out of (?:town|(?:the )?office)\b.{0,60}
            i(?:'m| am) (?:ill|sick|busy|not (?:here|available)|on a (?:\w+ )?trip)\b(?! of).{0,60}
            i(?:'m not| am not| won't be| will not be)(?: going to be)? (?:around|there|reachable|available)\b.{0,60}
            i(?:'ll| will) (?:only )?be back\b.{0,60}|(?:gone|away|offline|busy) .{0,30}(?:until|till) .{1,30}
            i (?:can't|cannot|won't)(?: be able to)? (?:move|play|answer|reply) (?:until|till|before|next) .{1,30}
            (?:ich )?(?:bin|fahre|gehe|fliege) (?:.{1,40} )?(?:i'?m|in(?: den)?|auf) (?:urlaub|reisen|ferien)\b.{0,60}
            (?:ich )?bin (?:.{1,40} )?(?:weg|verreist|unterwegs|krank|nicht (?:da|erreichbar|zu ?hause))\b.{0,60}
            je (?:suis|serai|pars) (?:.{1,30} )?(?:en (?:vacances|voyage|déplacement)|absente?|malade)\b.{0,60}
            (?:estoy|estaré|me voy) (?:.{1,30} )?(?:de (?:vacaciones|viaje)|fuera|enferm[oa])\b.{0,60}
            (?:sono|sarò|vado|parto) (?:.{1,30} )?(?:in (?:vacanza|viaggio|ferie)|malat[oa])\b.{0,60}
            (?:ik )?(?:ben|ga) (?:.{1,40} )?(?:op (?:vakantie|reis)|weg|ziek)\b.{0,60}
            (?:estou|estarei|vou) (?:.{1,30} )?(?:de (?:férias|viagem)|fora|doente)\b.{0,60}
            (?:(?:i'?m )?urlaub|ferien|(?:op )?vakantie|weg) .{0,20}\d.{0,40}
            bis (?:zum )?.{1,30} (?:(?:im|in(?: den)?|auf) )?(?:urlaub|ferien|reisen|weg|verreist|unterwegs)
            (?:en vacances|de (?:vacaciones|férias)|(?:di|in) vacanz[ae]) .{0,20}\d.{0,40}
            i(?:'m| am) going (?:away|abroad|on holidays?|on vacation)\b.{0,60}|my (?:holidays?|vacation) .{1,60}
            """,
        "remind": r"""
            (?:(?:can|could|will|would) you )?(?:please )?(?:remind me|send me a reminder)\b(?! (?:of|about)\b).{0,60}
            (?:(?:can|could|will|would) you )?(?:please )?(?:don't|do not|never|stop) remind(?:ing)? me(?! of|,).{0,40}
            """,
        "nudge": r"""
            (?:(?:can|could|will|would) you )?(?:please )?(?:remind|nudge|poke) (?!(?:me|yourself)\b)(?:my |the )?\w+
            (?:(?:can|could|will|would) you )?(?:please )?send (?:h(?:im|er)|them|(?:my|the) \w+) a reminder
            """,
        "boards": r"""
            whom? do i play(?: against)? next\??
            (?:which|what) (?:games|boards|matches) (?:am i (?:in|playing(?: in)?)|do i (?:have|play)|have i got)\??
            do i have (?:any )?(?:other |more )?(?:games|boards|matches)(?: (?:running|open|going|active|under way))?\??
            LISTING (?:all )?my (?!ENDEDGAMES)(?:\w+ )?(?:games|boards|matches)\??
            (?:all )?my (?:(?:other|current|running|open|active) )?(?:games|boards|matches)\??
            (?:show|send)(?: me)? (?:all )?(?:the )?(?:games|boards|matches)
            (?:(?:is|are) )?any(?:one|body|thing| moves| games| boards)(?: (?:is|are))? waiting for me\??
            """,
        "ended": r"""
            (?:LISTING|(?:what|which) (?:were|are)) (?:all )?(?:my |the )?ENDEDGAMES\??
            my ENDEDGAMES\??
            (?:how many|what|which) (?:games|matches) (?:did i|have i)(?: \w+)? (?:play|won?|finish|lose|lost|win)\w*\??
            """,
        "games": r"(?:a )?list (?:of )?(?:all )?(?:the )?games",
        "standings": r"(?:show|list|send|see)(?: me)? (?:the )?(?:standings|rankings?|leaderboard)",
        "rival": r"""
            (?:who|whom) am i (?:playing|facing|up against)(?: (?:with|against))?(?: here| now)?\??
            (?:against|with) whom? am i playing\??|whom? do i play(?: against)?(?: here| now)?\??
            (?:who(?:'s| is) )?my opponent\??
            how (?:good|strong) is my opponent\??|tell me (?:more |something )?about my opponent
            (?:is my opponent|am i playing(?: with| against)?) MACHINE(?: or MACHINE)?\??
            (?:gegen wen spiele ich|wer ist mein gegner|contre qui (?:est-ce que )?je joue|contra quién juego)\??
            """,
        "look": r"""
            (?:(?:show|send|mail) (?:me )?)?(?:(?:the|my|this|our) )?(?:board|game|position|state)s?(?: again| now)?
            (?:(?:can|could|may) i (?:please )?(?:see|have)|how (?:do|can) i (?:see|get|find)) THEBOARD\??
            (?:i(?:'ve| have)? MISLAID[,.]? )?(?:(?:can|could|will|would) you )?(?:please )?SENDAGAIN THEBOARD\??
            where(?:'s| is) (?:the|my) (?:board|game)(?: now)?\??|resend
            (?:can|could|may) i (?:please )?(?:see|have) the whole game(?: again| now)?\??
            (?:what's|what is|how is) (?:the|our) (?:score|position|state|standing|situation)(?: now| here)?\??
            (?:how|where) (?:does it|do we|do things|do i) stand(?: now)?\??|(?:what's|what is) the state of the game\??
            (?:whose|who's) (?:turn|move)(?: is it)?(?: now)?\??|is it my (?:turn|move)(?: now)?\??
            who(?:'s| is) (?:winning|ahead|to move|next)\??|who (?:won|wins|has won|starts|started)\??
            (?:did|have) i w[io]n\??
            (?:what colou?r|which (?:colou?r|side|stones?|pieces?)) (?:am i|is mine|are mine|do i have)\??
            am i (?:x or o|o or x|white or black|black or white|\w+ or \w+)\??|what happened\??
            how (?:much time|many (?:days|hours)) (?:is|are) left(?: for me)?\??
            how (?:much time|long|many (?:days|hours)) (?:do i|have i|do we|does \w+|has \w+) (?:have|got)(?: left)?\??
            (?:wie (?:lange|viel zeit) habe ich(?: noch)?(?: zeit)?|hoeveel tijd heb ik(?: nog)?|cuánto tiempo tengo)\??
            (?:combien de temps (?:me reste-t-il|ai-je)|cuánto tiempo me queda|quanto tempo (?:ho|mi resta|tenho))\??
            when(?:'s| is) my (?:deadline|time over)\??|when do(?:es)? (?:my|the) (?:time|clock) (?:run out|end|stop)\??
            (?:by )?when must i (?:move|play|answer)(?: by)?\??
            (?:by )?when (?:do i|does \w+) (?:have|need) to (?:move|play|answer)(?: by)?\??
            (?:when|what|what time)(?:'s| is) (?:it|my (?:next )?(?:move|turn|answer|reply)|the next move) due\??
            am i (?:winning|losing|ahead|behind)(?: now)?\??|where are we(?: in (?:the|this|our) (?:game|match))?\??
            (?:what|where) (?:is|was) (?:the|my) last move\??|how many moves so far\??
            (?:what|which)(?: move)? did i (?:play|make)(?: last)?\?
            how(?:'s| is) (?:the|my|our|this) (?:game|match)SOMEBODY? (?:going|standing)(?: so far)?\??
            how far (?:along )?(?:is|are) (?:the|my|our|this|we)(?: (?:game|match))?(?: now)?\??
            (?:can i see|may i see|show me|send me) (?:the |all )?(?:list of moves|move list|moves)(?: please)?\??
            (?:which|what) (?:board|game) is this\??|what(?:'s| is) (?:this|the) (?:board|game) number\??
            wer ist (?:dran|am zug)\??|bin ich (?:dran|am zug)\??|wie (?:steht es|steht's|ist der stand)\??
            (?:c'est|est-ce) (?:à moi(?: de jouer)?|mon tour)\?|à qui (?:le tour|de jouer|est-ce de jouer)\??
            a chi tocca\??|tocca a me\?|wie is (?:er )?aan (?:de )?(?:zet|beurt)\??|ben ik aan (?:de )?(?:zet|beurt)\?
            de quem é a vez\??|é a minha vez\?|c'est à qui(?: de jouer)?\??|de quién es el turno\??
            (?:zeig|schick)e? mir (?:(?:noch ?mal )?das )?(?:brett|spiel)(?: bitte)?|montre[zr]?-moi le (?:plateau|jeu)
            muéstrame el tablero|mostrami la scacchiera|(?:laat|toon) (?:me )?het bord(?: zien)?|mostra-me o tabuleiro
            a quién le toca\??|(?:es mi turno|me toca(?: a mí)?)\?
            (?:did you (?:get|receive)|have you got|was) my (?:last )?move(?: ok| okay| received| played)?\??
            did my (?:last )?(?:move|mail) (?:arrive|(?:get|go) through)\??
            """,
        "turn": r"""
            how long (?:can|may) PLAYER take\??|when (?:will|does) PLAYER (?:move|play|answer|reply)\??
            (?:has|did) PLAYER (?:moved?|played?|answer(?:ed)?|reply|replied)(?: yet| already)?\??
            (?:what|which)(?: move)? did PLAYER (?:play|make)(?: last)?\??
            """,
        "who": r"""
            who (?:are you|is this|is there|am i (?:talking to|writing to))\??|what are you\??|are you MACHINE\??
            do i know you\??|wer (?:bist du|sind sie|ist das)\??|qui (?:es-tu|êtes-vous|est-ce)\??|quién eres\??
            """,
    }.items()
}
"""The wish for each name: whole sentences that express it."""

GIVEN = any_of(
    r"(?:(?:sure|of course|no problem)[\s,.!-]+)?(?:i(?:'ll| will)? )?(?:give|grant) "
    r"(?:(?:you|them|h(?:im|er)|(?P<whom>\w{1,32})) )?"
    r"(?P<count>\d{1,3}|an?|one|another|two|three|four|five)(?: more| extra| additional)? "
    r"(?P<unit>day|week|hour)s?(?: more| extra)?",
    "BEFORE",
    "AFTER",
)
"""A sentence that gives somebody time."""

STARTS = any_of(
    r"""
    (?:WISH|let(?:'s| me| us) |(?:can|could|may|shall) (?:i|we) |want |me |we )*(?:play|start|try)\b(?! on ).{0,60}
    (?:i(?:'d like| would like| want) )?(?:a |one |the )?(?:new|another|one more|start a|begin a|first) (?:game|match)
    i(?:'d like| would like| want)(?: to have)? a (?:game|match)|(?:(?:i(?:'d like| would like| want)|a game) )?COMPUTER
    (?:ich (?:möchte|will|würde gerne?) )?COMPUTER spielen|(?:ik wil (?:graag )?)?COMPUTER spelen
    (?:(?:je (?:voudrais|veux)|yo|quiero|vorrei|voglio|quero|gostaria de) )?(?:jouer|jugar|giocare|jogar) COMPUTER
    spelen COMPUTER
    (?:(?:well|great|cool|and|i am|i'm|let's|please|again|one more|ready|now|go)[\s,.!]*)+
    (?:(?:ich )?(?:möchte|will|würde) .{0,30})?(?:mit)?spielen|(?:los|auf) geht's|spielen wir.{0,30}
    (?:je (?:voudrais|veux) )?jouer(?: (?:à|au|aux) .{1,30})?|on joue(?: (?:à|au|aux) .{1,30})?|allons-y|allez
    (?:hola,? )?(?:(?:yo )?quiero )?jugar(?: a\w? .{1,30})?|vamos(?: a jugar.{0,30})?
    (?:ich (?:möchte|will|hätte gern) )?(?:ein )?neues spiel|(?:une )?nouvelle partie|(?:una )?(?:nueva|otra) partida
    (?:(?:ik wil )?(?:nog een|een nieuw) )spel(?:letje)?|(?:una )?nuova partita|(?:uma )?nova partida
    (?:(?:vorrei|voglio) )?giocare(?: a .{1,30})?|giochiamo|(?:(?:quero|gostaria de) )?jogar(?: .{1,30})?|vamos jogar
    (?:ik )?(?:wil|zou) (?:.{0,20} )?(?:(?:mee)?spelen|meedoen)(?: .{1,30})?|(?:mee)?spelen|meedoen
    """,
    "BEFORE",
    r"(?:AFTER)\??",
)
"""A sentence that asks for a game at once."""

VERSUS = any_of(r"\bCOMPUTER")
"""Words that name a program as the opponent; searched for anywhere."""

LOCKED_OUT = any_of(
    r"""
    pass ?wor[dt]|p/w|kennwort|zugangs(?:wort|code)|mot de passe|contraseña|senha|wachtwoord
    (?:log|sign) ?(?:in|on)|(?:user ?name|user ?id)
    (?:new|changed|different|other|another|old) (?:my )?(?:e-?mail |mail )?(?:address|e-?mail)
    """,
    r"\b",
    r"\b",
)
"""Words of a person who may be locked out of an account; searched for anywhere."""

REMATCH = any_of(
    r"(?:WISH|(?:do you )?want (?:to )?|would you like (?:to )?|how about |(?:shall|can|could) we |let's )?(?:play )?"
    r"(?:a |the )?(?:rematch|revanche|(?:another|new|one more) (?:game|match|one)|one more|once more|same again|again"
    r"|another|revenge|noch (?:eine?s?|mal|einmal|ein spiel|eine partie)|nochmal|encore(?: une(?: partie)?)?"
    r"|otra(?: (?:vez|partida))?|rivincita|ancora una(?: partita)?|nog een (?:keer|spel\w*)"
    r"|mais uma(?: partida)?)"
    r"(?: with (?:me|you))?(?: (?:with )?(?:the )?(?:colou?rs?|sides|seats) (?:reversed|exchanged|swapped|changed))?",
    "BEFORE",
    r"(?:AFTER)\??",
)
"""A sentence that asks to play the same again."""

LOST = any_of(
    r"""
    menu|(?:the )?commands
    (?:(?:i need|need|please|can you|could you|some) )*help(?:(?: me| us| needed| wanted| out| please| here))*\??
    non (?:capisco|ho capito)|n[aã]o (?:entendo|percebo|compreendo)|ik (?:begrijp|snap) het niet|hulp|ajuda
    hilfe|aide|à l'aide|ayuda|aiuto|ich verstehe (?:das |es |das spiel |die regeln )?nicht
    je ne comprends (?:pas|rien)|no (?:entiendo|comprendo)
    (?:huh|what|eh|hm+|pardon|sorry)?\?+|and now\??|what (?:else|next)\??
    what (?:do|can|should|must) (?:i|we) (?:do|write|answer)(?: \w+)?\??
    what(?: happens)? now\??|what (?:do i have|am i supposed|have i) to do(?: now| here| next)?\??
    how (?:do|can|should|must) i (?:answer|reply|respond)(?: here| to (?:this|your|the) mails?| this)?\??
    where (?:do|should|must|can) i (?:click|press|write|type|answer|tap)(?: (?:it|here|that|my \w+))?\??|which button\??
    i (?:don't|do not|no|can't) (?:understand|get it|know what to do|follow)(?: .{1,30})?
    (?:i'm |i am )?(?:confused|stuck)
    (?:it|this|that) (?:doesn't|does not|isn't|is not) work(?:ing)?.{0,30}|how does (?:this|it) work\??
    what(?:'s| is) this(?: about| all about)?\??
    was ist das(?: hier)?\??|wie (?:geht|funktioniert) das(?: hier)?\??|was (?:muss|soll|kann) ich (?:tun|machen)\??
    qu'est-ce que c'est\??|comment ça marche\??|que (?:dois-je|puis-je) faire\??|qué es esto\??|cómo funciona\??
    """,
    "BEFORE",
    "AFTER",
)
"""A sentence whose writer does not know what to do."""

WANTED = re.compile(r"\b(?:play|try|game of) (?:a (?:game|match|round) of |some |the )?(?P<game>[^\W\d_]+)")
"""The word in place of a game's name in a wish to play."""

JOINS = re.compile(
    r"\b(?:join|enter|play in|sign(?: me)? up for) (?:the |tournament |event )*(?P<event>[\w-]+(?:[. ][\w-]+){0,3})"
)
"""Words that may name a tournament to join."""

NAMED = any_of(
    r"\b(?:(?:with|against|vs\.?|versus|gegen|mit|contre|avec|contra|contro|con|com|tegen|met|play|challenge) "
    r"(?=(?P<rival>[\w.-]+))|"
    r"(?:(?:who|how (?:strong|good)) is|what(?:'s| is)(?= \S+'s (?:rating|rank|record)\b)"
    r"|is(?= \S+ (?:MACHINE|online|active)\b)) "
    r"(?P<asked>[\w.-]+)|(?:tell|ask|message|contact|inform|write(?: (?:a|this) \w+)? to|send(?= \S+ (?:a|this) \w)) "
    r"(?=(?P<told>[\w.-]+)))"
)
"""Words that may name a player to play, to ask about, or to send a message to."""

_MY_ADDRESS = r"\bmy (?:\w+ )?(?:e-?mail|mail|address)\b"

OWN_ADDRESS = re.compile(rf"{_MY_ADDRESS}.{{0,60}}\S@\S|\S@\S.{{0,60}}{_MY_ADDRESS}")
"""A sentence that gives the writer's address."""

RECORD = any_of(
    r"(?:LISTING )?(?:the )?(?:history|moves|record) of (?:(?:the |my )?(?:board|game|match) )?#?(?P<board>\d{3,9})",
    "BEFORE",
    r"(?:AFTER)\??",
)
"""A sentence that asks for what was played on a board."""

AT_PLY = any_of(
    r"(?:WISH|ABLE)?(?:show|see|send|mail|view|look at|replay)(?: me)?(?: the)?(?: (?:board|game|position))?"
    r"(?: as it was)?(?: (?:at|after|as of|from|on))? (?:move|ply|turn)(?: number| no\.?)? #?(?P<ply>\d{1,4})",
    "BEFORE",
    r"(?:AFTER)\??",
)
"""A sentence that asks for a board as it was after a ply."""

ASKS_HOW = any_of(
    r"""
    (?:how|where|when) (?:do|can|could|would|should|may) (?:i|we|one)\b|how to\b
    (?:is there|do you have|have you got) (?:an?|any|some) \w+.{0,30} (?:to|for|that)\b|is it possible to\b
    (?:can|could|may) i (?:\w+ )?(?:change|stop|get|see|have|use|turn|switch|set|leave|cancel|delete)\b
    wie (?:kann|muss|soll) (?:ich|man)\b|comment (?:puis-je|faire|je|on)\b|cómo (?:puedo|hago)\b|come (?:posso|faccio)\b
    hoe (?:kan|moet) ik\b|como (?:posso|faço)\b
    """,
    "^BEFORE",
)
"""How a sentence begins that may ask the server how something is done."""

SAID = any_of(
    r"""
    take (?:your time|care\b|it easy|as (?:long|much)|all the time)|give me a break|give it a rest
    accept my (?:apolog|congrat|compliment|thanks|respect)|resume when|swap was
    """
)
"""The beginning of sentences that look like a command, but are meant for the other player."""
