"""pbm: a play-by-email server for abstract games."""
