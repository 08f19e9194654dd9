"""The files that `polarbear init` writes: a working race to start from."""
