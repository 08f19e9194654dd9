"""What makes the parts of the site that follow from the code: its reference pages, its pictures and its formulas."""
