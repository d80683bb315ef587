"""The server's subject matter, without I/O: matches, results, commands and their verb table, events, tokens."""
