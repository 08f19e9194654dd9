"""What `polarbear init` writes: a race that works, to start from."""
