"""Figures of posteriors and races.

A `Posterior` or a `RaceOutcome` comes in; Matplotlib figures go out, and `save` writes them. Each figure has a module with a
data step (`RatingCurves.of(posterior)`) and a drawing step (`draw_ratings(ax, data)`). Data steps need only NumPy and SciPy.
Drawing steps import Matplotlib at first use, and never pyplot. The public names are listed in `__init__.pyi` and imported
when they are first used.

- `registry`: `FIGURES`, the figures by name and what they show.
- `figures`: complete figures in one call each; `draw_figure` draws one by its name.
- `group_figure`, `group_panels`: a figure with one panel per group of runs.
- `rating_curves`, `pair_dominance`, `dominance_matrix`, `decision_bands`, `preference_values`, `comparison_counts`: figures
  of a posterior.
- `dominance_evolution`, `round_panels`, `sample_allocation`, `decision_forecast`: figures of a race.
- `quality_over_time`, `budget_ratio`, `gap_shares`: figures of the values of runs; their data steps are in
  `polarbear.magnitude`.
- `palette`, `style`, `page_sizes`, `lettering`, `end_labels`: colours, page style and files, sizes, text, and labels.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
