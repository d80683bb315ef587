"""How people say what they want in plain words, as data: answers to invitations, and what is to be done on a board.

All patterns meet text as `sentences.plain` makes it. A row is a part of a pattern, rows are alternatives; WISH, OFFER
and the like stand for the patterns below.
"""

from __future__ import annotations

import re

_PARTS = {
    "THEBOARD": r"(?:the|my|our|this) (?:last )?(?:board|game|position|move)s?"
    r"(?: (?:again|now|once more|please|here))*",
    "HOW": r"how (?:(?:do|can|could|would|should) (?:i|we|you)|to)",
    "EMAILS": r"(?:e-?)?mails?",
    "MISLAID": r"(?:accidentally |just )?(?:lost|deleted) (?:it|(?:the|your|my) (?:last )?mail)",
    "SENDAGAIN": r"(?:(?:re)?send|show|mail|repeat)(?: me)?",
    "PICTURE": r"(?:(?:the|an?|any|some|my|no|board|inline|attached|nice) ){0,3}(?:picture|image|drawing)s?"
    r"(?: of (?:the|my) (?:board|game|position))?(?: (?:please|in (?:the|my|your) mails?)){0,2}",
    "VISIBLE": r"(?:show|load|appear|display|open|work|come|there|missing|broken|empty|blank|blocked|visible)\w*",
    "SMALL": r"(?:(?:(?:the|a|my) )?(?:bigger|larger|smaller) (?:board|picture|letter|font|text)s?"
    r"|(?:it|(?:(?:the|my) )?(?:board|picture|letter|font|text)s?(?: \w+)?) (?:bigger|larger|smaller))",
    "OFSIZE": r"(?:too )?(?:small|tiny|little|big|large|narrow|wide)(?: (?:for me|to read|here))*",
    "BROKEN": r"(?:strange|weird|wrong|broken|odd|bad|empty|garbled|messed up|crooked|a mess|scrambled|blank)",
    "GET": r"(?:please )?(?:see|get|have|make|send|show|turn on|switch on|enable)(?: me)?",
    "ABLE": r"(?:(?:is it possible|is there (?:a|any) (?:way|chance)) to |(?:can|could|may|would|will) (?:i|you|we) )",
    "CANNOT": r"(?:can't|cannot|can not|don't|do not|couldn't|didn't)",
    "HINTS": r"(?:hints?|advice|suggestions?)",
    "RIVAL": r"(?:s?h(?:e|er|im)|they|my opponent)",
    "ANSWERS": r"(?:mov|play|answer|repl|respond)\w*"
    r"(?: (?:at all|me|my mails?|yet|any ?more|(?:for|in|since) .{1,20}))*",
    "WHATNOW": r"what (?:can|should|do) i do",
    "WISH": r"(?:going to |i(?:'?ll| will| shall| would like to| would love to|'d like to|'d love to| want to| wish to"
    r"| choose to| have to| must|'m going to| am going to|(?:'d| would) be (?:happy|glad|delighted|pleased) to)? )",
    "OFFER": r"(?:it|(?:(?:a|the|your|this) )?"
    r"(?:draw(?: offer)?|undo|takeback|take back|offer(?: of a draw)?|proposal|request))",
    "LAST": r"(?:it|that|this|that one|this one|(?:that|the last) move|my (?:(?:last|previous) )?(?:move|one|stone))",
    "THEGAME": r"(?:(?:the|this|our|my) )?(?:game|match)",
    "WELL": r"(?:very |so |really )?(?:well|better|great)",
    "TIE": r"(?: (?:for|on|you|a|to))* (?:draw|tie|remis)(?: to you)?",
    "OOPS": r"(?:(?:oops|sorry|oh no|damn)[\s,.!-]+)?(?:that was )?(?:the |a |my )?wrong \w+[\s,.!-]+",
    "POLITE": r"(?:sorry|thanks|thank you|thx|oh|well|um+|hm+|ah|i'm afraid|i am afraid|but|and|please)",
    "LIKE": r"(?:love|like|happy|glad|delighted|pleased|want|play|join|try|accept|give it a (?:try|go))",
    "NAMES": r"(?:(?:next )?move|turn|choice|answer|reply|play|stone|pick)"
    r"(?: is| will be| would be| shall be|'s| goes to| goes on)?",
    "MOREAMOUNT": r"(?:(?:(?:a|some|just|a (?:bit|little)|a few|\w+) )?(?:more|extra|additional)|another(?: \w+)?)"
    r" AMOUNT",
    "MACHINE": r"(?:really )?(?:an? )?(?:real )?(?:robot|bot|human|person|computer|program|machine|ai)",
    "PLAYER": r"(?!(?:you|s?h(?:e|er|im)|it|they|we|this|that|any\w+|every\w+) )(?:my )?\w+",
    "AMOUNT": r"(?:time|days?|weeks?|hours?)\b.{0,40}",
    "VERB": r"(?:play|take|move|go|choose|pick|place|put|try|do|make|remove|cut|delete|erase|draw|connect|drop|set|"
    r"select|fill|mark|occupy|claim|capture|attack|answer|reply|respond|continue|start|begin|open)",
    "BEFORE": r"(?:(?:(?:(?:sorry|apologies|pardon) (?:for|about) (?:the|my|being)|(?:i )?(?:was|(?:have|had) been)"
    r"(?: \w+){0,2} (?:ill|sick|away|busy|holidays?|vacation|hospital|travell?ing))(?: [a-z]+){0,4}(?=\s*[,.:!-])"
    r"|ok|okay|well|so|hm+|then|thanks|thank you|thx|alright|all right|right|now|and|but|oh|ah|yes"
    r"|yeah|sorry|please|me|mine|uh+|er+m?|hey|anyway|in that case|(?:nice|good|great|well) (?:one|move|played)"
    r"|SPEELT|also|dann|alors|donc|entonces|dan|yo|bro|dude"
    r"|i think|i guess|i suppose|i believe|let's see|here we go|here goes|for now|this time|my turn"
    r"|after some thought)[\s,.:!-]+)*",
    "AFTER": r"(?:[\s,.!-]+(?:please|then|now|here|too|thanks(?: a lot)?|thank you|thx|this time|today|for now|i think"
    r"|i guess|for me|cheers|bye|sorry|period|full stop|lol|haha|hehe|again|my friend|mate|sir|your (?:move|turn)"
    r"|u?r (?:move|turn)|DANK|GELUCK|JIJ|mfg|xx+|gl|hf|[:;]-?[)dp]))*"
    r"(?:[\s,.!-]+(?:love|lg|vg|cheers|greetings|(?:viele |liebe |beste |schöne )?(?:gr(?:ü|ue)sse|gruss)"
    r"|saludos|saluti|groet(?:en|jes)?|bises|bisous|abra[cç]os?|beijos?|besos|baci)"
    r"(?: (?:from|von|de|da|van))?(?: [^\W\d_]+)?)?",
    "SPEELT": r"(?:ich )?(?:spiele|nehme|setze|ziehe|wähle)(?: ich)?(?: (?:auf|nach))?|(?:mein )?zug(?: ist)?"
    r"|je (?:joue|prends|place|mets|choisis)(?: en)?|mon coup(?: est)?|(?:yo )?(?:juego|pongo|elijo)(?: en)?"
    r"|mi (?:jugada|movimiento)(?: es)?|(?:ik )?(?:speel|zet|neem|kies)(?: ik)?(?: op)?|(?:mijn )?zet(?: is)?|doe maar"
    r"|(?:io )?gioco(?: in)?|la mia mossa(?: è)?|(?:eu )?jogo(?: em)?|(?:a )?minha jogada(?: é)?",
    "ENDS": r"(?: (?:please|bitte|now))*(?=[\s!.]*(?:$|,))",
    "DANK": r"bitte|danke|merci|gracias|grazie|obrigad[oa]|bedankt|dank je|graag|alsje?blieft|por favor|per favore"
    r"|s'il (?:te|vous) pla[iî]t|s\.?v\.?p",
    "GELUCK": r"good luck(?: [^\W\d_]+)?|viel (?:glück|erfolg|spaß)|bonne chance|(?:buena )?suerte|(?:veel )?succes"
    r"|buona fortuna",
    "JIJ": r"(?:jetzt )?(?:du bist|bist du) dran|à (?:toi|vous)(?: de jouer)?|te toca(?: a ti)?|jij bent(?: aan zet)?",
}


def any_of(rows: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """A pattern of what stands before, one of the rows, and what stands after."""
    pattern = f"{before}(?:{'|'.join(row.strip() for row in rows.strip().splitlines())}){after}"
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


NEVER = any_of(
    r"""
    (?:take|remove|delete|strike|erase) (?:me|my (?:e-?mail )?(?:address|name|mail|email))\b(?! (?:up|on|there))
    (?:delete|remove|erase) (?:all )?my (?:personal )?(?:data|account)\b
    (?:take|get) (?:me|my \w+) off|\bunsubscribe\b|^remove$|\bleave me alone\b|\bopt[ -]?out\b
    (?:don't|do not|never|stop|quit|cease)(?: ever)? (?:e-?mail|mail|write|writ|contact|messag)\w*
    (?:don't|do not|never|stop|quit|cease)(?: ever)? (?:send|spam|bother|invit|ask)\w*
    \bno (?:more|further) (?:e-?mails?|mails?|messages|invitations|letters|spam)\b
    ^(?:please )?stop(?: (?:it|this|that|now|please))*$|\bplease stop\b
    (?<!n't )(?<!not )(?<!never )\bforget (?:about )?(?:me|my (?:\w+ )?(?:address|data|account))\b|\bto be forgotten\b
    \bvergessen sie mich\b|\boubliez-moi\b|\bmeine? (?:daten|adresse|e-?mail-adresse) löschen\b
    \blöschen sie (?:bitte )?(?:alle )?meine? (?:daten|adresse|e-?mail-adresse)\b
    \bnever again\b|\b(?:this is|reported?(?: as)?) spam\b
    \bdo(?:n't| not) want (?:(?:any|more|of|these|those|such|your) )*(?:e-?mails?|mails?|messages)\b
    ^(?:bitte )?(?:abmelden|abbestellen|austragen)\b|\bkeine (?:weiteren (?:e-?)?mails|(?:e-?)?mails mehr)\b
    ^désinscri\w+|^(?:me )?désabonn\w+|\b(?:ne m'écrivez|plus de mails)\b|\bdar(?:me)? de baja\b|^baja$
    """
)
"""No, and no further mail; found anywhere. A lone "never" is one to an invitation only."""

NOT_NO = any_of(
    r"""
    no (?:problem|worries|doubt|question|objections?|time limit|experience|idea (?:how|what))|why not|not at all
    can't wait|cannot wait|never played|haven't played|not (?:very|so|too) good|not sure
    (?:wouldn't|would not|won't|will not|don't|do not) (?:mind|miss|say no)|no (?:entiendo|comprendo|sé|hay problema)
    non (?:capisco|ho capito)|n[aã]o (?:entendo|percebo|compreendo)
    """,
    r"\b",
    r"\b",
)
"""Words of a no that are none."""

NO = any_of(
    r"""
    ^POLITE?[\s,.!-]*(?:no|nope|nah|n|nein|non|nee|nej|nei|não|nao|нет|いいえ|not)\b(?! (?:one|bad|only|problem))
    \b(?:no,? thanks?|no,? thank you|not interested|no interest|not for me|not my (?:thing|cup)|not now|not today)\b
    \b(?:not at the moment|not this time|maybe (?:later|another|next|some)|some other time|another time|rather not)\b
    \b(?:prefer not|(?:have to|must) (?:decline|pass)|i decline|i refuse|i reject|declined?|reject|i'll pass|i pass)\b
    \b(?:count me out|without me|too busy|(?:have|got|there's) no time|not have (?:(?:the|any|enough) )?time)\b
    \b(?:leider nicht|lieber nicht|keine? (?:interesse|lust|zeit)|wrong (?:person|address))\b
    \b(?:(?:non|no|nein),? (?:merci|gracias|danke)|(?:jetzt|heute) nicht|pas (?:maintenant|envie)|ahora no)\b
    \bi (?:don't|do not|can't|cannot|won't|will not|couldn't|could not|am not|never)\b(?! mind| know (?:how|the|what))
    \b(?:i|we) (?:didn't|did not|haven't|have not) (?:ask|sen[dt]|writ|request|sign|register|want|order|do(?:ne)? )\w*
    \b(?:(?:was|is)n't|(?:was|is|it's|that's) not) (?:me|mine|from me|by me|sent by me|my (?:mail|doing|account))\b
    \b(?:somebody|someone) else\b|^(?:please )?(?:cancel|deny|denied|ignore)\b
    \bi'm not\b(?! (?:sure|very|so|too|bad))|\bi(?:'d| would) not\b
    """
)
"""A clause that declines."""

_BEFORE_YES = r"^(?:(?:oh|well|hm+|and|thanks|thank you|thx|please|sorry|hey|a|ok|okay)[\s,.!-]*)*"

YES = any_of(
    r"""
    (?:yes|yeah|yep|yup|yea|ja|jawohl|oui|s[ií]|sim|да|tak|joo|kyllä|evet|hai|はい|gerne?|natürlich)\b
    (?:(?:na |aber )?klar|bien sûr|volontiers|claro|por supuesto|vale)\b(?! que no)|warum nicht$|pourquoi pas$
    (?:d'accord|de acuerdo|va bene|certo|akkoord|está bem|com prazer)\b|goed$
    (?:avec plaisir|con gusto|volentieri|with pleasure|my pleasure|of course\b(?! not))\b
    (?:accept(?:ed)?|agreed|certainly|definitely|absolutely|gladly)\b(?! not)
    (?:i(?:(?:'d| would) like to| want to)? (?:hereby )?)?confirm(?:ed|ing)?\b|activate\b
    (?:je )?confirme\b|(?:ich |hiermit )*bestätig(?:t|e)\b
    (?:(?:it|that|this) (?:was|is)|it's|that's) (?:really |indeed )?me\b|correct$
    (?:i accept|i agree|why not|deal|sign me up)\b|let me in$|y$|da$
    (?:(?:i want to|let me) )?(?:sign up|register|subscribe)(?: (?:up|now|here))?$
    """,
    _BEFORE_YES,
)
"""A clause that agrees, whatever was asked."""

KEEN = any_of(
    r"""
    (?:count me in|i'm in|i am in|bring it on|challenge accepted|game on)\b
    (?:i'd|i would|would|i'll|i will|i) (?:(?:really|very much|be|gladly|certainly|definitely) )*LIKE\b(?! to know)
    (?:sounds|looks) (?:good|great|fun|nice|like fun|interesting)\b|let's (?:play|go|do|try|start|begin)\b
    (?:that )?would be (?:fun|great|nice|lovely|a pleasure)\b
    i(?:'m| am) (?:happy|glad|ready|game|up for|interested|keen|delighted)\b
    (?:(?:i want to|let me) )?(?:join|start|begin)(?: (?:in|now|here))?$
    (?:great|cool|nice|fine|perfect|wonderful|super|awesome|fun)$
    """,
    _BEFORE_YES,
)
"""A clause that agrees to a game, and to nothing else."""

WEAK_YES = re.compile(r"^(?:ok|okay|sure|alright|all right|fine)\b")
"""Words that agree, but also begin a question."""

QUESTION = any_of(
    r"""
    \?$|^(?:what|who|how|why|where|which|when|is this|are you|can you|could you|do i|do you|does)\b
    ^(?:help|rules|info|information|tutorial)\b|\b(?:tell me more|more (?:info|information|about)|explain)\b
    """
)

ACTS = {
    name: any_of(rows, "BEFORE", "AFTER")
    for name, rows in {
        "swap": r"""
            WISH?(?:(?:do|make|play|take|accept|use|choose) )?(?:(?:a|the) )?swap(?: with you| sides)?
            WISH?(?:swap|switch|change|exchange) (?:(?:the|our) )?(?:sides|colou?rs|seats|places)(?: with you)?
            (?:let's|let us|let me|i am|i'm) swap(?:ping)?(?: sides| colou?rs)?|swap it is|my move(?: is|:) swap
            WISHtake (?:over )?your (?:side|colou?r|stone|move)
            (?:ich )?(?:(?:möchte |will )?tauschen|(?:tausche|wechsle)(?: (?:die )?(?:seiten|farben))?)
            (?:die )?(?:seiten|farben) (?:tauschen|wechseln)|j'échange(?: les (?:couleurs|côtés))?
            je change de (?:couleur|côté)|cambio de (?:color|lado)|échanger|cambiar|scambiare|ruilen|trocar
            """,
        "resign": r"""
            WISH?(?:resign|give up|concede|surrender|forfeit|throw in the towel)(?: (?:the|this) (?:game|match)| here)?
            (?:i(?:'m| am) )?(?:resigning|giving up|conceding|forfeiting)(?: (?:the|this) (?:game|match))?
            (?:ich )?(?:gebe? (?:(?:das|dieses) spiel |die partie )?auf|resigniere|möchte aufgeben|will aufgeben)
            je? ?'?(?:abandonne(?: la partie)?|déclare forfait)|(?:yo )?(?:me rindo|abandono|me retiro)|aufgeben
            (?:je me rends|j'arrête)(?: la partie)?|abandon(?:ner|ar)|(?:mi arrendo|(?:io )?abbandono)(?: la partita)?
            ik (?:geef (?:het )?op|stop(?: ermee)?)|(?:eu )?desisto(?: do jogo)?
            (?:ich )?(?:möchte|will) (?:das spiel|die partie|unser spiel) (?:beenden|aufgeben|abbrechen)
            (?:you win|you won|you have won)[\s,.!-]+i (?:resign|give up|concede)
            WISH?(?:quit|stop|leave|end|abort|abandon|cancel|exit|delete|remove)(?: (?:playing|THEGAME))+
            WISH?(?:quit|abandon|abort)|exit|i (?:don't|do not) want to (?:play|continue)(?: (?:any ?more|any longer))?
            i (?:resign|give up|concede)[\s,.!-]+(?:you win|you won|well played|good game|gg)
            """,
        "draw": r"""
            draw|propose|remis|tie|tablas|(?:a )?draw\?|WISHa draw|i(?:'d| would) like a (?:draw|tie)
            (?:WISH|i(?:'m| am) )?(?:offer|propos|suggest|claim|ask|agree)(?:e|ing)?TIE
            (?:how|what) about a (?:draw|tie)\??|(?:(?:do )?you )?(?:want|fancy|up for|happy with) a (?:draw|tie)\?
            (?:ich )?biete (?:dir |ihnen )?(?:ein )?(?:remis|unentschieden)(?: an)?|(?:je )?propose (?:la )?nulle
            (?:sollen|wollen|können) wir (?:remis|unentschieden) (?:machen|spielen)\?
            is a (?:draw|tie) ok(?: .{1,20})?\?
            (?:on fait |faisons )?(?:match nul|(?:partie )?nulle) ?\?|(?:empate|patta|pari|remise) ?\?
            (?:let's|let us) end (?:it|this)(?: game)? (?:with|in|as) a (?:draw|tie)
            (?:(?:te|le) )?(?:ofrezco|propongo) (?:tablas|empate)|propongo (?:la )?patta|ik bied remise aan
            (?:remis|unentschieden|(?:partie )?nulle|tablas) ?\?
            (?:shall|should|can|could|may) we (?:call it|agree (?:on|to)|make it|have|say) (?:a )?(?:draw|tie)\??
            (?:let's|let us|we could) (?:call it|agree (?:on|to)|make it|have|say) (?:a )?(?:draw|tie)\??
            (?:would|will|do|could) you (?:accept|take|agree to|like|want) a (?:draw|tie)\?
            (?:can|could|shall|should|want to|do you want to|may) (?:we |i )?(?:draw|remis|tie|offer a draw)\?|remis\?
            """,
        "accept": r"""
            WISH?accept|WISH?(?:accept|agree to|take) OFFER|accepted
            (?:the )?(?:draw|offer|undo|takeback) (?:is )?accepted
            j'accepte|accetto|acepto|(?:eu )?aceito|ik accepteer|ich nehme (?:(?:das|dein) (?:angebot|remis) )?an
            yes[\s,]+you (?:may|can) (?:undo|take (?:it|that) back)
            """,
        "reject": r"""
            WISH?(?:reject|decline|refuse)(?: OFFER)?|i (?:don't|do not) accept(?: OFFER)?|no (?:draw|undo|takeback)
            (?:the )?(?:draw|offer|undo|takeback) (?:is )?(?:rejected|declined|refused)
            (?:ich )?lehne ab|je refuse|rifiuto|rechazo|(?:eu )?recuso|ik weiger|non[\s,]+on continue
            no[\s,]+(?:let's|let us) (?:play on|go on|continue|keep playing)
            """,
        "undo": r"""
            (?:undo|take ?back)(?: (?:LAST|please))*|(?:let me|please) (?:undo|take LAST back|take back)(?: LAST)?
            WISH?(?:undo|take back|retract|withdraw)(?: LAST)?
            WISH?(?:request|ask for) (?:an? )?(?:undo|takeback|take back)
            (?:OOPS)?(?:WISH|(?:can|could|may|might) (?:i|we) )(?:please )?(?:take|have) LAST back(?: please)?\??
            (?:can|could|may|might) (?:i|we) (?:please )?(?:undo|take ?back|retract)(?: LAST)?\??
            (?:can|could|may|might) (?:i|we) (?:please )?have (?:an? )?(?:undo|takeback)\??|(?:undo|take ?back)\?
            (?:WISH|(?:can|could|may|might) i )(?:please )?(?:change|correct) my (?:last )?move\??
            (?:(?:oops|sorry|oh no|damn)[\s,.!]+)?(?:that was )?(?:the |a |my )?(?:wrong move|misclick)
            (?:(?:hoppla|ups|sorry|oje|entschuldigung)[\s,.!]+)?falscher zug
            (?:(?:kann|darf|könnte) ich )?(?:das|(?:den|meinen) (?:letzten )?zug|zug) (?:bitte )?zurücknehmen\??
            zug zurück(?: bitte)?|(?:posso|kan ik|puis-je) (?:annullare|desfazer|annuler|ongedaan maken)(?: .{1,20})?\??
            (?:(?:kan|mag) ik )?(?:(?:mijn|de) )?(?:laatste )?zet terug(?:nemen)?\??
            (?:puis-je|je peux|je voudrais) (?:reprendre|annuler) (?:mon|le) (?:dernier )?coup\??
            (?:puedo|quisiera) (?:deshacer|retirar) (?:mi|la) (?:última )?jugada\??
            """,
        "pass": r"""
            WISH?(?:pass|skip)(?: (?:my|this) (?:turn|move))?|i(?:'m| am) passing|my move(?: is|:) pass
            (?:ich |je )?passe(?: mon tour)?|(?:yo )?paso(?: (?:mi )?turno)?
            """,
        "claim": r"""
            WISH?claim(?: (?:the|my|this))?(?: (?:win|game|victory|match))?(?: on time)?|i (?:win|won|have won) on time
            """,
        "rules": r"""
            (?:the )?(?:rules|help|instructions|how to play)\??|how to (?:win|play|move)\??
            (?:what|which|where) (?:are|is) the (?:rules?|aim|goal|instructions)(?: (?:of|again|here).*)?\??
            how (?:do|can|does) (?:i|one|you|we) (?:win|play|(?:make a )?move)(?: (?:here|it|at|this|the|game))*\??
            how (?:do|can) (?:i|one|we) (?:win|play)(?: (?:at|in))? [a-z]{1,20}\??
            how does (?:this|it|this game|the game) work\??|what(?:'s| is) this game(?: about)?\??
            (?:(?:can|could|would|will) you )?teach me (?:(?:the rules of|to play|how to play) )?[a-z]{1,20}\??
            (?:what(?:'s| is) )?the (?:goal|aim|object)\??|explain (?:me )?(?:the )?(?:rules|game)
            what do(?:es)? (?:the )?(?:letters|numbers|signs|symbols|dots|circles|brackets|[ox])(?: and [ox])? mean\??
            what(?:'s| is) (?:a )?swap\??|how does (?:the )?swap(?:ping)? work\??
            (?:tell|send|show|see|read|remind)(?: me)? (?:of |about )?(?:the )?rules(?: of (?:the|this) game)?\??
            (?:wie (?:sind|lauten|waren) )?(?:(?:noch ?mal )?die )?(?:spiel)?regeln(?: von \w{1,20})?\??
            wie (?:spielt|zieht|gewinnt) man(?: das| hier)?\??|ich verstehe die regeln nicht
            (?:quelles sont )?les règles(?: du jeu)?\??|comment (?:on joue|joue-t-on|jouer|on gagne)(?: ici)?\??
            (?:cuáles son )?las reglas(?: del juego)?\??|cómo se (?:juega|gana)(?: aquí)?\??
            (?:can|could|may|how do) i (?:swap|pass)(?: (?:now|here|sides|please))*\??
            i (?:don't|do not|no) (?:know|understand) (?:the rules|how to (?:play|move)|th(?:is|e) game)
            (?:where|what|which moves|what moves) (?:can|may|do|should) i (?:play|move|go|put|make|do)(?: .{1,30})?\??
            (?:(?:what are )?(?:my|the) )?(?:legal|possible|allowed) moves\??|what are my options\??
            (?:can|could|would) you (?:explain|send|tell me) (?:me )?(?:the )?(?:rules|game|how to play)\??
            """,
    }.items()
}
"""The wish of a sentence that is nothing else."""

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
            (?:pause|adjourn)(?: (?:the|this|our) (?:game|clocks?|match)(?: .{1,40})?)?\??
            """,
        "rest": r"""
            (?:i(?:'m| am|'ll be| will be) )?(?:on|going on) (?:holidays?|vacation|leave)\b.{0,60}
            i(?:'m| am|'ll be| will be) (?:away|travell?ing|abroad|offline|in hospital)\b.{0,60}
            i(?:'m| am|'ll be| will be) out of (?:town|(?:the )?office)\b.{0,60}
            i(?:'m| am) (?:ill|sick|busy|not (?:here|available)|on a (?:\w+ )?trip)\b(?! of).{0,60}
            i(?:'ll| will) (?:only )?be back\b.{0,60}|(?:gone|away|offline|busy) .{0,30}(?:until|till) .{1,30}
            i (?:can't|cannot|won't)(?: be able to)? (?:move|play|answer|reply) (?:until|till|before|next) .{1,30}
            (?:ich )?(?:bin|fahre|gehe|fliege) (?:.{1,40} )?(?:i'?m|in(?: den)?|auf) (?:urlaub|reisen|ferien)\b.{0,60}
            (?:ich )?bin (?:.{1,40} )?(?:weg|verreist|unterwegs|krank|nicht (?:da|erreichbar|zu ?hause))\b.{0,60}
            je (?:suis|serai|pars) (?:.{1,30} )?(?:en (?:vacances|voyage|déplacement)|absente?|malade)\b.{0,60}
            (?:estoy|estaré|me voy) (?:.{1,30} )?(?:de (?:vacaciones|viaje)|fuera|enferm[oa])\b.{0,60}
            i(?:'m| am) going (?:away|abroad|on holidays?|on vacation)\b.{0,60}|my (?:holidays?|vacation) .{1,60}
            """,
        "remind": r"""
            (?:(?:can|could|will|would) you )?(?:please )?(?:remind me|send me a reminder)\b(?! (?:of|about)\b).{0,60}
            """,
        "boards": r"""
            whom? do i play(?: against)? next\??
            (?:which|what) (?:games|boards|matches) (?:am i (?:in|playing(?: in)?)|do i (?:have|play)|have i got)\??
            do i have (?:any )?(?:other |more )?(?:games|boards|matches)(?: (?:running|open|going|active|under way))?\??
            (?:how (?:do|can) i see|list|show(?: me)?|send(?: me)?) (?:all )?my (?:\w+ )?(?:games|boards|matches)\??
            (?:(?:is|are) )?any(?:one|body|thing| moves| games| boards)(?: (?:is|are))? waiting for me\??
            """,
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
            when(?:'s| is) my (?:deadline|time over)\??|(?:by )?when must i (?:move|play|answer)(?: by)?\??
            (?:by )?when (?:do i|does \w+) (?:have|need) to (?:move|play|answer)(?: by)?\??
            (?:when|what|what time)(?:'s| is) (?:it|my (?:next )?(?:move|turn|answer|reply)|the next move) due\??
            am i (?:winning|losing|ahead|behind)(?: now)?\??|where are we(?: in (?:the|this|our) (?:game|match))?\??
            what (?:is|was) (?:the|my) last move\??|how many moves so far\??
            (?:what|which)(?: move)? did i (?:play|make)(?: last)?\?
            how(?:'s| is) (?:the|my|our|this) (?:game|match) (?:going|standing)(?: so far)?\??
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
"""Wishes of people to a player or the server in a sentence that is nothing else, besides what is done on a board."""

GIVEN = any_of(
    r"(?:(?:sure|of course|no problem)[\s,.!-]+)?(?:i(?:'ll| will)? )?(?:give|grant) "
    r"(?:(?:you|them|h(?:im|er)|(?P<whom>\w{1,32})) )?"
    r"(?P<count>\d{1,3}|an?|one|another|two|three|four|five)(?: more| extra| additional)? "
    r"(?P<unit>day|week|hour)s?(?: more| extra)?",
    "BEFORE",
    "AFTER",
)
"""A sentence that gives somebody time."""

_NUMBERS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
""".split()  # noqa: SIM905  as below
COUNTS = {"a": "1", "an": "1", "another": "1", **{word: f"{count}" for count, word in enumerate(_NUMBERS, 1)}}
"""Numbers in words there, too."""

DICTATED = re.compile(rf"(?<![\w'’])(?P<letter>[b-hj-z]) (?P<count>{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
"""A cell as it is dictated; "a" and "I" are words before a number."""

STARTS = any_of(
    r"""
    (?:WISH|let(?:'s| me| us) |(?:can|could|may|shall) (?:i|we) |want |me |we )*(?:play|start|try)\b(?! on ).{0,60}
    (?:i(?:'d like| would like| want) )?(?:a |one |the )?(?:new|another|one more|start a|begin a|first) (?:game|match)
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
"""A sentence whose writer wants a game at once."""

MISTAKEN = re.compile(r"\b(?:i (?:meant|wanted|intended)|instead)\b")
"""Words around a move of somebody who wants it in place of the one they have made; found anywhere."""

MISHAP = re.compile(r"\b(?:wrong (?:cell|square|field|place|spot|key|hex|edge)|misclick\w*|typo)\b")
"""The same where no move is named."""

REGRET = re.compile(
    r"\b(?:mistake|wrong (?:one|move)|misclicked|i meant|falsch\w*|vertan|verklickt|vertippt|trompée?|sbagliat[oa]"
    r"|equivoqu\w+|equivocad[oa]|vergist|verkeerde?|engan(?:ei|ad[oa]))\b"
)
"""Words of somebody who may want the move back that they have just made; found anywhere."""

_MY_ADDRESS = r"\bmy (?:\w+ )?(?:e-?mail|mail|address)\b"
OWN_ADDRESS = re.compile(rf"{_MY_ADDRESS}.{{0,60}}\S@\S|\S@\S.{{0,60}}{_MY_ADDRESS}")
"""A sentence that tells the writer's address."""

OTHER_NAMES = {
    "othello": "reversi", "connect four": "four", "connect 4": "four", "connect-four": "four", "connect-4": "four",
    "4 in a row": "four", "vier gewinnt": "four", "five in a row": "gomoku", "gobang": "gomoku", "baduk": "go",
    "weiqi": "go", "cross geo": "crossgeo", "nine mens morris": "morris", "mühle": "morris",
}  # fmt: skip
"""Names that games have elsewhere."""

OTHER_VERBS = {
    **dict.fromkeys(("watch", "observe", "spectate"), "follow"), "unwatch": "unfollow",
    **dict.fromkeys(("ranking", "rankings", "ratings", "leaderboard"), "standings"),
    **dict.fromkeys(("profile", "rating", "stats", "whois"), "about"),
    **dict.fromkeys(("ban", "ignore", "mute"), "block"),
    **dict.fromkeys(("players", "users"), "list"),
}  # fmt: skip
"""Words by which commands are called elsewhere."""

ELSEWHERE = re.compile(
    r"\b(?:chess|checkers|draughts|shogi|xiangqi|backgammon|mahjong|scrabble|poker|cards|tic.?tac.?toe|battleships?"
    r"|sudoku|solitaire|monopoly|stratego|mancala|dominoe?s?|schach|échecs|ajedrez|scacchi|schaken|xadrez)\b"
)
"""Well-known games that are not here."""

WANTED = re.compile(r"\b(?:play|try|game of) (?:a (?:game|match|round) of |some |the )?(?P<game>[^\W\d_]+)")
"""The word at the place of a game's name in a wish to play."""

NO_GAMES = frozenset(
    """
    again against anybody anyone anything another by computer first game games here human humans it match matches
    new now online out people person program robot robots round somebody someone something soon then today together
    versus vs
    """.split()  # noqa: SIM905  as below
)
"""Words at that place that are no game."""

LOST = any_of(
    r"""
    (?:(?:i need|need|please|can you|could you|some) )*help(?:(?: me| us| needed| wanted| out| please| here))*\??
    non (?:capisco|ho capito)|n[aã]o (?:entendo|percebo|compreendo)|ik (?:begrijp|snap) het niet|hulp|ajuda
    hilfe|aide|à l'aide|ayuda|aiuto|ich verstehe (?:das |es |das spiel |die regeln )?nicht
    je ne comprends (?:pas|rien)|no (?:entiendo|comprendo)
    (?:huh|what|eh|hm+|pardon|sorry)?\?+|what (?:do|can|should|must) (?:i|we) (?:do|write|answer)(?: \w+)?\??
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

REPLY = any_of(
    r"(?:(?P<yes>yes|yeah|yep|yup|sure|of course|agreed|deal|ja|gerne?|einverstanden|angenommen|oui|d'accord|sí|vale"
    r"|de acuerdo|va bene|certo|sim|está bem|akkoord)|"
    r"(?P<no>no|nope|nah|no way|sorry,? no|nein|non))(?:,? (?:of course|gerne?|einverstanden|why not|deal))?",
    after="AFTER",
)
"""A short answer to what the other player has asked."""

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
"""A sentence whose writer wants to play the same again."""

JOINS = re.compile(
    r"\b(?:join|enter|play in|sign(?: me)? up for) (?:the |tournament |event )*(?P<event>[\w-]+(?:\.[\w-]+)*)"
)
"""Words that may name a tournament to be joined."""

NAMED = any_of(
    r"\b(?:(?:with|against|vs\.?|versus|gegen|mit|contre|avec|contra|play|challenge) (?=(?P<rival>[\w.-]+))|"
    r"(?:(?:who|how (?:strong|good)) is|what(?:'s| is)(?= \S+'s (?:rating|rank|record)\b)|is(?= \S+ MACHINE\b)) "
    r"(?P<asked>[\w.-]+))"
)
"""Words that may name a player: one to be played, or to be told of."""

COMMON = frozenset(
    """
    a about am an and any are as at be been being but by can could did do does for from had has have hello help
    hey hi how i if in is it its just let like may maybe me might mine my need no not of ok okay on one or our
    please shall should so some sorry thank thanks that the there these this those to too us want
    was we were what when where which who whom whose why will with would yes you your good morning evening
    ich wie wer ist mein meine meinen das wo kann je mon mes mot comment est yo mi quiero cómo como
    spielen mitspielen jouer jugar giocare
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Words that sentences are made of: none of them is a misspelt command."""

THANKS = any_of(
    r"""
    (?:many )?(?:thanks|thank you|thx|cheers|merci|danke|gracias)(?: (?:a lot|so much|very much|again|you|for .{1,60}))*
    (?:vielen |besten )dank|danke (?:sehr|schön|dir)|merci (?:beaucoup|bien)|(?:muchas|mil) gracias
    ok|okay|great|good|nice|super|perfect|fine|cool|wow|excellent|got it|understood|i see|alright|all right|hello|hi|bye
    (?:(?:that|this|it)(?:'s| is| was) )?(?:very |so |really )?(?:kind|nice|helpful|good|great|clear|interesting)
    (?:good|nice|great|interesting|kind) (?:to know|of you)
    (?:kind |best )?(?:regards|wishes)|many thanks
    """,
    "BEFORE",
    "AFTER",
)
"""A sentence of courtesy."""

PARTING = any_of(
    r"""
    (?:what a |a )?(?:good|great|nice|fine|lovely|close|hard) game|well played|gg|good luck|see you(?: .{1,20})?
    fair enough|(?:that is|that's) (?:fair|fine|ok|okay|good)|(?:(?:i|we) )?(?:accept|agree)(?: to)? OFFER|a draw it is
    """,
    "BEFORE",
    "AFTER",
)
"""A sentence beside a yes or a no to an offer."""

SAID = any_of(
    r"""
    take (?:your time|care\b|it easy|as (?:long|much)|all the time)|give me a break|give it a rest
    accept my (?:apolog|congrat|compliment|thanks|respect)|resume when|swap was
    """
)
"""How sentences begin that are meant for the other player, though they begin like a command."""

CLOSING = any_of(
    r"""
    (?:with |my )?(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes|greetings)|(?:all the )?best|cheers
    (?:yours )?(?:sincerely|truly|faithfully)|yours|thanks(?: a lot| in advance)?|thank you|take care|bye|br
    (?:(?:mit )?(?:freundliche|beste|herzliche|liebe|viele|schöne)[nr]? )?gr(?:ü|ue)(?:ß|ss)en?|gru(?:ß|ss)|mfg|lg|vg
    (?:bien )?cordialement|bien à (?:vous|toi)|amicalement|salutations|bonne (?:journée|soirée)|à bientôt|merci|danke
    (?:un )?saludos?(?: cordiales)?|(?:(?:cordiali|distinti) )?saluti|gracias|grazie|atenciosamente|abraços
    (?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|med vänlig(?:a)? hälsning(?:ar)?|(?:med )?vennlig hilsen|mvh
    (?:med )?venlig hilsen|pozdrawiam|с уважением
    """,
    r"(?i)\n[ \t]*",
    r"(?:[\s,!.-]+(?:\w[\w.'-]*[ \t]*){0,4})?(?=\s*(?:\n|$))",
)
"""The line that closes a letter, above or with its writer's name."""

ALONE = any_of(r"(?P<move>.+?)", "BEFORE", "AFTER")
"""A sentence that may be a move and polite words around it."""

LETTER = re.compile(r"\w,? please")
"""A sentence that may be a move of a single letter; one letter alone may be anybody's initial."""

LEADING = any_of(
    r"(?P<move>\S+?(?: \S+?){0,3}?)",
    "BEFORE",
    r"\s*(?P<mark>[,;:!(](?![\d?])|\s-+(?!\d)|\s(?=(?:and|because|since|as|so|of course|again)\b))",
)
"""A sentence that may begin with a move."""

PLAYS = any_of(
    r"""
    (?:move|turn|choice|pick|stone) is|WISH(?:(?:just|now|simply|then) )?VERB|(?:let me|let's|let us) VERB|VERB
    i(?:'m| am) VERB|i'd like(?= [a-z]\d)
    (?:i(?:'m| am) )?(?:playing|taking|going|moving|placing|putting|choosing|picking|removing|trying|connecting|drawing)
    (?:(?:so|and) )?(?:my|the|this|here is my|here's my) NAMES(?: to)?(?: VERB)?
    """,
    "BEFORE",
    r"\s*[:=]?\s+(?P<object>.+)",
)
"""A clause whose writer says that they play what follows."""

IS_PLAYED = any_of(
    r"\s+(?:it is|is my (?:move|choice|answer|reply|turn)|is what i play)\b.*", r"BEFORE(?P<object>.{1,60}?)"
)
"""A clause that says so of what it begins with."""

LEADS = any_of(
    r"""
    for|with|on|upon|onto|at|to|in|by|from|the|a(?! (?:to|and|with) |-)|an|my|one|next|stone|piece|marker|man|cell
    square|point|vertex|field|hex|spot|edge|line|segment|number|no(?=\.? ?\d)|position|place|move
    centre|center|middle|corner|here|down|now|just|over|there
    """,
    after=r"\b[\s.:]*(?=\S)",
)
"""A word between a verb and the move."""

ENDED = any_of(r"$|\s+(?:to|for|and|so|because|since|as|but|then)\b|\s*[-(]", "AFTER")
"""What may follow a move that is a number; anything else is counted by it: "5 days"."""

CLAUSE = re.compile(r"(?:,|;|:|\(| - |\band\b|\bso\b|\bbut\b)\s*")

WISHED = re.compile(r"\bi(?:'d| would) (?:(?:like|love)|be (?:happy|glad|delighted|pleased)) to\b|\bwish to\b")
"""No condition, though it is written like one."""

CONDITION = any_of(
    r"""
    wenn|falls|sobald|vielleicht|eventuell|oder|nicht|peut-être|quizás?|tal vez|si|pas|sauf|als|tenzij|misschien|niet
    if|unless|when|whenever|until|would|could|should|might|may|maybe|perhaps|had|suppose|imagine|either|or|instead of
    tomorrow|later|soon|yesterday|ago|last (?:time|game|move|week|turn)|next (?:time|turn|game)|wish|hope you|whether
    thought|expected|considered|considering|thinking|planned|wanted|threat|threaten\w*|after|before|once|almost|nearly
    """,
    r"\b",
    r"\b",
)
"""Words of a sentence that only speaks of moves."""

SPOKEN_OF = any_of(
    rf"""
    {CONDITION.pattern}|n't\b
    \b(?:was|were|not|never|better|worse|plan|planning|why|what about|how about|you play(?:ed)?(?! WELL)|your move)\b
    """
)
"""Words around a move that is only spoken of."""

APOLOGY = re.compile(r"(?:sorry|apologies|pardon) (?:for|about) (?:the|my|being|not) ")
"""How words begin after a move that are about their writer, and not about it."""

RETRACTS = any_of(
    r"""
    ^or|^maybe|^perhaps|^better
    no|wait|sorry|i mean|i meant|rather|instead|actually|correction|oops|scratch that|on second thoughts?|second thought
    let me think|not yet|hold on|just kidding|joking|forget (?:it|that)|never mind
    nein|doch|lieber|oder|warte|moment|halt|falsch|meinte|quatsch|non|ou|plutôt|attende?[sz]|mejor|espera|o|anzi|aspetta
    nee|toch|liever|wacht|jk|nvm
    """,
    r"\b",
    r"\b",
)
"""Words that take back another sentence where they stand with another move."""

TAKES_BACK = any_of(
    r"""
    wait|hold on|let me (?:think|reconsider|sleep on)|not yet|just kidding|joking|forget|never mind
    on (?:second|reflection)|or (?:maybe |perhaps |better )?not\b|stop(?=[\s,!.]*(?:wait\b|$))
    (?:jk|nvm|not(?: really)?|kidding|don't|do not)ENDS
    (?:(?:that|this|it)(?:'s| is| was) (?:just |only |all )?|just |only )an? (?:bad )?(?:joke|mistake|error|typo)\b
    (?:(?:das|es|dies) )?war (?:nur )?ein (?:scherz|witz|versehen|irrtum|fehler)|c'était une? (?:blague|erreur)
    (?:era|fue) (?:una? )?(?:broma|error)|era uno scherzo|(?:dat|het) was een (?:grap\w*|vergissing|fout)
    sorry[\s,]+(?:i meant|(?:that(?:'s| is| was) )?(?:(?:a|the|my) )?(?:wrong|mistake|typo|misclick))
    (?:scratch|strike|cancel|ignore|disregard)(?: (?:it|(?:that|this|my)(?: last)?(?: (?:move|mail|message))?))?ENDS
    (?:don't|do not) (?:play|make|count) (?:it|that|this)(?: yet)?ENDS
    i (?:still |first )?(?:need|have|want) to think(?: (?:more|again|about it|it over))*ENDS
    (?:stopp?[\s,!.]+)?(?:warte(?: mal)?|moment(?: mal)?|halt|attende?[sz]|espera(?: aí)?|aspetta|wacht(?: even)?)ENDS
    doch nicht|oder (?:doch |lieber )?nicht|ich meinte|das war falsch|vergiss (?:es|das)|ich überlege noch
    ou pas\b|plutôt pas|oubliez? (?:ça|cela)|laissez? tomber|je réfléchis|mejor no\b|o no\b|olvídalo
    of toch niet|toch niet|laat maar|lascia (?:stare|perdere)|vänta
    (?:lieber nicht|noch nicht|liever niet|nog niet|pas encore|non ancora|todavía no|ainda não)ENDS
    """,
    r"(?:(?:oh|ah|ach|och|oops|ups|hm+|um+|but|aber|actually|please|bitte|no|nein|non|nee|não)[\s,!.]+)*",
)
"""How a sentence begins that takes back the one above it, or a clause what stands before it, whatever else it says."""

LONE_NO = re.compile(r"no|nope|nein|non|nee|não")
"""A clause that says no and nothing else."""

AFTERWARDS = re.compile(r"(?:(?:and|but|so) )*then (?:i|we)\b")
"""How a sentence begins that tells what its writer does once that comes true which the one above it tells."""

DISMISSED = re.compile(
    r"(?:i(?:'ve| have| had)? )?(?:(?:also|first|just|briefly|long) )*"
    r"(?:thought (?:about|of)|considered|looked at|was thinking (?:about|of)|was tempted by)\b.{1,40}?[\s,.-]*\bbut "
    r"(?:no|not (?:now|yet|today)|decided against (?:it|that)|(?:it|that)(?:'s| is| was| would be) (?:bad|worse|wrong))"
)
"""A sentence that only tells of a move that its writer has decided against."""

DENIED = re.compile(r"[\s,;(-]+(?:and |but )?not (?:at |on )?(?P<move>\S+?)[\s.!)]*$", re.IGNORECASE)
"""The end of a sentence that names a move to say no to it: "C3, not E5"."""

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
    any der die das ein eine el la le les de nuevo nueva neu neue nouveau nouvelle nieuw lets bored lol lmao haha yeet
    chamo-me sono sou hoi dag ik wil graag meedoen spelen quero jogar vorrei schach allez allons vamos los
    klar claro vale bien
    später
"""
NO_NAMES = frozenset(_SAID.split())
"""Words that sentences are made of and nobody is called by."""
