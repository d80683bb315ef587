"""Square boards and Go boards."""
