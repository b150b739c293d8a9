"""What is hand-written on top of a generated resource."""
