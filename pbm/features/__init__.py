"""What players can do, one file for each feature; `everything` brings all of them."""
