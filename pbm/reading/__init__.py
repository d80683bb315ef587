"""What people say in plain words: sentences, the phrase book, and the three ways in which a mail is read.

The phrase book is data, templates/phrases/, a file a language; no word of any language stands in this code.
"""
