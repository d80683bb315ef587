"""Alembic's environment: the connection comes from the program, never from a file."""

from alembic import context

from pbm.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
