"""Generate the parts of the site that derive from the code: reference pages, pictures and formulas."""
