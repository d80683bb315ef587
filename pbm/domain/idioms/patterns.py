"""Common parts of the patterns for plain words, and how a pattern is built from rows.

Each row is an alternative; WISH, OFFER and the like stand for the parts below.
"""

from __future__ import annotations

import re

_PARTS = {
    "KNOW": r" (?:know (?:how|the|what)|remember|understand)",
    "THEBOARD": r"(?:the|my|our|this) (?:last )?(?:board|game|position|move)s?"
    r"(?: (?:again|now|once more|please|here))*",
    "HOW": r"how (?:(?:do|can|could|would|should) (?:i|we|you)|to)",
    "UNWANTED": r"(?:pictures?|images?|receipts?|reminders?|html|(?:copy|copies) of my(?: own)? moves?)",
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
    "COLUMN": r"(?:column|spalte|colonne|columna|colonna|coluna|kolom)",
    "COMPUTER": r"(?:against|versus|vs|with|gegen|mit|contre|avec|contra|contro|tegen|met|con|com) "
    r"(?:(?:the|an?|your|den|dem|einen?|einem|l'|une?|el|il|lo|o|um|de|het|een) ?)?"
    r"(?:computer|machine|program(?:me?)?|programm|rechner|maschine|ordinateur|ordenador|computadora|computador"
    r"|máquina|macchina|robot|roboter|bot|ai|ki|ia|engine)\b",
    "SOMEBODY": r"(?: (?:with|against) \w+)",
    "THEGAME": r"(?:(?:the|this|our|my) )?(?:game|match)",
    "WELL": r"(?:very |so |really )?(?:well|better|great)",
    "AGREED": r"(?:ok(?:ay)?|yes|sure|fine|agreed|i agree|d'accord|oui|ja|gerne?|einverstanden|vale|s[ií]|de acuerdo"
    r"|va bene|sì|akkoord|sim|está bem)",
    "ARTICLE": r"(?:the|your|an?|le|la|une?|das|dem|einem?|el|las|il|het|een|o)",
    "DRAWN": r"(?:draw|tie|remise?|unentschieden|(?:match |partie )?nul(?:le)?|tablas|empate|patta|pareggio"
    r"|gelijkspel)",
    "TIE": r"(?: (?:for|on|you|a|to))* (?:draw|tie|remis)(?: to you)?",
    "OOPS": r"(?:(?:oops|sorry|oh no|damn)[\s,.!-]+)?(?:that was )?(?:the |a |my )?wrong \w+[\s,.!-]+"
    r"(?:sorry[\s,.!-]+)?",
    "POLITE": r"(?:sorry|thanks|thank you|thx|oh|well|um+|hm+|ah|i'm afraid|i am afraid|but|and|please)",
    "LIKE": r"(?:love|like|happy|glad|delighted|pleased|want|play|join|try|accept|give it a (?:try|go))",
    "NAMES": r"(?:(?:next )?move|turn|choice|answer|reply|play|stone|pick)"
    r"(?: is| will be| would be| shall be|'s| goes to| goes on)?",
    "MOREAMOUNT": r"(?:(?:(?:a|some|just|a (?:bit|little)|a few|\w+) )?(?:more|extra|additional)|another(?: \w+)?)"
    r" AMOUNT",
    "MACHINE": r"(?:really )?(?:an? )?(?:real )?(?:robot|bot|human|person|computer|program|machine|ai)",
    "NICEDAY": r"(?:very )?(?:nice|great|lovely|pleasant|happy|merry|wonderful|relaxing|fun) NICETIME",
    "NICETIME": r"(?:(?:rest|remainder) of (?:the|your) |(?:very )?(?:nice|good|great|lovely|wonderful|safe) )?"
    r"(?:day|evening|weekend|week|night|morning|afternoon|holidays?|time|trip|one|summer|christmas|easter)s?",
    "PLAYER": r"(?!(?:you|s?h(?:e|er|im)|it|they|we|this|that|any\w+|every\w+) )(?:my )?\w+",
    "LISTING": r"(?:how (?:do|can) i see|list|show(?: me)?|send(?: me)?)",
    "ENDEDGAMES": r"(?:last|latest|finished|completed|ended|old|past|previous|recent|inactive)(?: \w+)? "
    r"(?:games|boards|matches)",
    "AMOUNT": r"(?:time|days?|weeks?|hours?)\b.{0,40}",
    "VERB": r"(?:play|take|move|go|choose|pick|place|put|try|do|make|remove|cut|delete|erase|draw|connect|drop|set|"
    r"select|fill|mark|occupy|claim|capture|attack|answer|reply|respond|continue|start|begin|open)",
    "BEFORE": r"(?:(?>(?:(?:(?:sorry|apologies|pardon) (?:for|about) (?:the|my|being)"
    r"|(?:i'm|i've been|(?:i )?(?:am|was|(?:(?:have|had) )?been))"
    r"(?: \w+){0,2} (?:late|slow|ill|sick|away|busy|holidays?|vacation|hospital|travell?ing))"
    r"(?: [a-z]+){0,4}(?=\s*[,.:!-])"
    r"|ok|okay|fine|well|so|hm+|then|thanks|thank you|thx|alright|all right|right|now|and|but|oh|ah"
    r"|yes|yeah|yep|yup|sure"
    r"|sorry|please|me|mine|uh+|er+m?|hey|anyway|in that case"
    r"|gg(?:wp)?|(?:nice|good|great|well) (?:one|move|game|played)"
    r"|SPEELT|also|dann|alors|donc|entonces|dan|yo|bro|dude"
    r"|i think|i guess|i suppose|i believe|let's see|here we go|here goes|for now|this time|today|my turn"
    r"|after some thought)[\s,.:!-]+))*",
    "AFTER": r"(?:(?>[\s,.!-]++(?:(?:(?:and|und|et|y|e|en) )?(?:thanks(?: a lot)?|thank you|GELUCK|JIJ)|please"
    r"|then|now|here|too|thx|this time|today|for now"
    r"|i think|i guess|for me|cheers|bye|sorry|period|full stop|lol"
    r"|haha|hehe|again|my friend|mate|sir|your (?:move|turn)"
    r"|u?r (?:move|turn)|spielen|setzen|NEHMEICH|DANK|mfg|xx+|gl|hf|gg(?:wp)?|np|ofc|tyvm|[:;]-?[)dp])))*"
    r"(?:[\s,.!-]++(?:love|lg|vg|cheers|greetings|(?:viele |liebe |beste |schöne )?(?:gr(?:ü|ue)sse|gruss)"
    r"|saludos|saluti|groet(?:en|jes)?|bises|bisous|abra[cç]os?|beijos?|besos|baci)"
    r"(?: (?:from|von|de|da|van))?(?: [^\W\d_]+)?)?",
    "SPEELT": r"(?:ich (?:möchte|will) )?(?:bitte|gerne?)|ich (?:möchte|will)"
    r"|(?:ich )?(?:spiele|nehme|setze|ziehe|wähle|lege|gehe)(?: ich)?(?: STEIN)?(?: (?:auf|nach|in))?"
    r"|(?:ich )?versuche(?: (?:ich|es|mal|mit))*|ich entscheide mich für|diesmal|heute"
    r"|(?:mein )?(?:nächster )?zug(?: ist)?|na gut|eben"
    r"|je (?:joue|prends|place|mets|choisis|pose|vais(?: jouer)?)(?: STEIN)?(?: (?:en|à|sur))?"
    r"|(?:voici )?mon (?:prochain )?coup(?: est)?|bon|(?:pour )?moi|ce sera|aujourd'hui"
    r"|(?:yo )?(?:juego|pongo|coloco|elijo|voy(?: (?:a jugar|con))?)(?: STEIN)?(?: en)?|hoy|oggi|hoje|vandaag"
    r"|mi (?:próxima )?(?:jugada|movimiento)(?: es)?|bueno"
    r"|(?:ik )?(?:speel|zet|neem|kies|doe|plaats|leg)(?: ik)?(?: STEIN)?(?: op)?"
    r"|ik ga (?:voor|naar)|(?:mijn )?(?:volgende )?zet(?: is)?|doe maar|nou"
    r"|(?:io )?(?:gioco|metto|vado|scelgo)(?: STEIN)?(?: (?:in|a))?|(?:ecco )?la mia (?:prossima )?mossa(?: è)?|allora"
    r"|(?:eu )?(?:jogo|coloco|vou(?: jogar)?)(?: STEIN)?(?: (?:em|de|para))?"
    r"|(?:a )?minha (?:próxima )?jogada(?: é)?|então",
    "STEIN": r"(?:einen|meinen|une?|mon|ma|una?|mi|la mia|uma?|minha|meu|een|mijn|m'n) "
    r"(?:stein|pierre|pion|piedra|ficha|pietra|pedina|pedra|peça|steen)",
    "ERASING": r"(?:(?:delete|erase|close|cancel|remove|forget) (?:all )?my (?:\w+ )?(?:account|data|self)"
    r"|(?:delete|erase) (?:me|everything)(?! (?:you|that|of|about|on)\b)|(?:delete|erase|forget|remove) EVERYTHING"
    r"|(?:meine? )?(?:konto|daten) (?:löschen|kündigen)|lösch\w* (?:sie )?(?:bitte )?(?:alle )?meine? (?:konto|daten)"
    r"|supprime\w* (?:mon compte|mes données)|(?:borr|elimin)\w+ (?:mi cuenta|mis datos)"
    r"|(?:cancell|elimin)\w+ (?:il mio account|i miei dati)|verwijder mijn (?:account|gegevens)"
    r"|(?:apag|elimin|exclu)\w+ (?:a )?minha conta)",
    "EVERYTHING": r"(?:everything|all)(?: that)?(?: you (?:know|have|keep))? (?:of|about|on) me",
    "LAWFUL": r"(?:legal|possible|allowed|valid|available)",
    "ENDS": r"(?: (?:please|bitte|now))*(?=[\s!.]*(?:$|,))",
    "NEHMEICH": r"(?:nehme|spiele|setze|wähle) ich|ist mein (?:nächster )?zug|für mich|pour moi|para (?:mí|mim)|per me"
    r"|voor mij",
    "DANK": r"bitte|danke|merci|gracias|grazie|obrigad[oa]|bedankt|dank je|graag|als(?:je|tu)?blieft|por favor"
    r"|per favore|s'il (?:te|vous) pla[iî]t|s\.?v\.?p",
    "GELUCK": r"good luck(?: [^\W\d_]+)?|happy (?:new year|holidays|easter)|merry (?:christmas|xmas)"
    r"|viel (?:glück|erfolg|spaß)|bonne chance|(?:buena )?suerte|(?:veel )?succes|buona fortuna",
    "JIJ": r"(?:jetzt )?(?:du bist|bist du) dran|à (?:toi|vous)(?: de jouer)?|te toca(?: a ti)?|jij bent(?: aan zet)?",
}


def any_of(rows: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """A pattern that matches before, then any of the rows, then after."""
    pattern = f"{before}(?:{'|'.join(row.strip() for row in rows.strip().splitlines())}){after}"
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)
