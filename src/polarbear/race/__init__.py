"""What to run next (the paper's section 4): who races, until when, who is out, which pairs are decided."""
