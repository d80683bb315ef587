"""What a person's words mean: command lines by the verb table, dates, and plain sentences by the phrase book.

The phrase book is data, templates/phrases/, a file a language.
"""
