"""What is owed to whom, and the mails that are made of it."""
