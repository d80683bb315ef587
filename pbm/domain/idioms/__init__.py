"""How people say what they want in plain words, as data: answers to questions, acts on a board, wishes.

All patterns are matched against text from `meaning.plain`. Words that may be repeated are atomic, (?>...): if one of
them could match in two ways, a pattern that tries both would double its time with each repetition.
"""
