"""Points and segments in the plane."""
