"""Words and pictures: everything that people read is worded here, once.

In: answers, findings, remedies and results. Out: text for terminals, Markdown, LaTeX and HTML.
"""
