// Ratings over time with credible bands.

function ratingsSection(data, belief) {
  const { mean, upper } = data.ratings;
  const { grid } = belief;
  const inside = new Set(data.candidates);
  const everybody = data.names.map((_, algorithm) => algorithm);
  const figure = byId("ratings");
  const highest = Math.max(...upper.flat());
  let shown = () => {};
  chart(byId("ratings-chart"), { height: 380, label: () => "Ratings over time" }, (root, width) => {
    const letters = width > 640 ? 18 : 0;
    const margins = { right: letters ? 18 + letters * LETTER : 10, left: 48 };
    const place = frame(width, 380, margins, alongGrid(grid), (value) => value / highest);
    leftAxis(root, place, evenTicks(0, highest, 5), (value) => `${rounded(100 * value)}${PERCENT}`);
    for (const algorithm of [...everybody].sort((a, b) => inside.has(a) - inside.has(b))) {
      drawRating(root, data, place, grid, algorithm, true).classList.toggle("faint", !inside.has(algorithm));
    }
    const last = grid.times.length - 1;
    if (letters) {
      const labelled = everybody.length > 10 ? data.candidates : everybody;
      const ends = labelled.map((algorithm) => ({ algorithm, y: place.y(mean[algorithm][last]) }));
      endLabels(root, data, place, ends, letters);
    }
    bottomAxis(root, place, timeTicks(grid, place.width / 70), brief, budgetTitle(data));
    queueMicrotask(() => shown());
  });
  shown = legend(byId("ratings-legend"), data, everybody, figure);
}

// Draw one rating curve with its band.
function drawRating(root, data, place, grid, algorithm, withBand) {
  const { mean, lower, upper } = data.ratings;
  const along = (values) => values.map((value, t) => [place.x(grid.times[t]), place.y(value)]);
  const band = withBand ? [...along(upper[algorithm]), ...along(lower[algorithm]).reverse()] : null;
  return curve(root, data, algorithm, along(mean[algorithm]), band);
}
