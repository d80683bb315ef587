"""The measurements the README quotes; `make bench` runs them all."""
