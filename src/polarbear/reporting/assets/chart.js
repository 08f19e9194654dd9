// Charts. A chart is redrawn when its container changes its width, so that letters keep their size.

const LETTER = 6.6; // average width of a letter in a chart, in pixels

const NARROWEST = 6; // width in pixels of a band at a single budget

const PAPER = 700; // width of a printed page (A4) in pixels, without its margins

// Call draw(root, width) now and after each change of width. Return a function that redraws the chart. `height` may be a
// function of the width; `paper` is the width in print.
function chart(place, { height: heightOf, label, paper = PAPER }, draw) {
  let width = place.clientWidth || paper; // read once: reading it makes the browser lay out the whole page
  const redraw = () => {
    const height = typeof heightOf === "function" ? heightOf(width) : heightOf;
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": label() });
    draw(root, width);
    place.replaceChildren(root);
  };
  redraw();
  new ResizeObserver(() => {
    if (place.clientWidth === width || place.clientWidth === 0) return;
    width = place.clientWidth;
    redraw();
  }).observe(place);
  addEventListener("beforeprint", () => {
    width = paper;
    redraw();
  });
  addEventListener("afterprint", () => {
    width = place.clientWidth || paper;
    redraw();
  });
  return redraw;
}

// Return the geometry of a chart; its x and y map values to pixels within the margins.
function frame(width, height, { left = 44, right = 8, top = 10, bottom = 40 }, x, y) {
  const [across, down] = [width - left - right, height - top - bottom];
  return {
    left,
    right: width - right,
    top,
    bottom: height - bottom,
    width: across,
    height: down,
    x: (value) => left + across * x(value),
    y: (value) => top + down * (1 - y(value)),
  };
}

// Return a function that maps a budget to its position along the grid's own axis, from 0 to 1.
function alongGrid(grid) {
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  return (budget) => (to > from ? (grid.onAxis(budget) - from) / (to - from) : 0.5);
}

function budgetTicks(grid, most) {
  return grid.axis === "log" ? logTicks(grid.first, grid.last, most) : evenTicks(grid.first, grid.last, most);
}

function evenTicks(from, to, most) {
  if (!(to > from)) return [from];
  const rough = (to - from) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-9); k++) ticks.push(round(k * step, 12));
  return ticks;
}

function logTicks(from, to, most) {
  const decades = Math.log10(to / from);
  const steps = [[1, 2, 5], [1, 3], [1]].find((each) => decades * each.length <= most) ?? [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(most, 1)));
  const ticks = [];
  for (let k = Math.floor(Math.log10(from)); k <= Math.ceil(Math.log10(to)); k++) {
    if (k % every !== 0) continue;
    for (const step of steps) {
      const tick = round(step * 10 ** k, 12);
      if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks.length > 1 ? ticks : evenTicks(from, to, Math.min(most, 4));
}

// Draw the bottom axis with its ticks and title.
function bottomAxis(root, area, ticks, format, title) {
  for (const tick of ticks) {
    const x = area.x(tick);
    const label = format(tick);
    const anchor = x > area.right - LETTER && label.length > 2 ? "end" : "middle"; // the last label stays within the chart
    root.append(
      svg("line", { class: "tick", x1: x, x2: x, y1: area.bottom, y2: area.bottom + 4 }),
      svg("text", { class: "label", x, y: area.bottom + 17, "text-anchor": anchor }, label),
    );
  }
  root.append(
    svg("line", { class: "axis", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }),
    svg("text", { class: "title", x: area.right, y: area.bottom + 34, "text-anchor": "end" }, title),
  );
}

function leftAxis(root, area, ticks, format) {
  for (const tick of ticks) {
    const y = area.y(tick);
    root.append(
      svg("line", { class: "rule", x1: area.left, x2: area.right, y1: y, y2: y }),
      svg("text", { class: "label", x: area.left - 7, y: y + 4, "text-anchor": "end" }, format(tick)),
    );
  }
}

// Draw the axis of the budgets.
function budgetAxis(root, area, page) {
  const title = page.unit ? `budget in ${page.unit}` : "budget";
  bottomAxis(root, area, budgetTicks(page.grid, area.width / 70), formatTick, title);
}

// Format a share as a tick, without needless digits.
function formatShare(share) {
  return `${round(100 * share)}${PERCENT}`;
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Split points at their gaps: where an algorithm was not observed, the point is null. A curve is interrupted there.
function pieces(points) {
  const result = [[]];
  for (const point of points) {
    if (point) result[result.length - 1].push(point);
    else result.push([]);
  }
  return result.filter((piece) => piece.length > 0);
}

// Draw a line in the style of an algorithm, with its band from `lower` to `upper` if given; an isolated point becomes a dot.
function curve(root, page, algorithm, points, lower, upper) {
  const group = svg("g", { class: "curve", "data-algorithm": algorithm, "--c": page.looks[algorithm][0] });
  if (lower) group.append(svg("path", { class: "band", d: bandPath(lower, upper) }));
  for (const piece of pieces(points)) {
    if (piece.length === 1) group.append(svg("circle", { class: "dot", cx: piece[0][0], cy: piece[0][1], r: 4 }));
  }
  const dashes = page.looks[algorithm][1] || null;
  group.append(svg("path", { class: "line", d: pieces(points).map(path).join(""), "stroke-dasharray": dashes }));
  group.append(svg("title", null, page.names[algorithm]));
  root.append(group);
  return group;
}

// Draw the rating of an algorithm over time, with its credible band if asked for.
function ratingCurve(root, page, area, algorithm, withBand, ratings = page.ratings) {
  const { mean, lower, upper } = ratings;
  const along = (values) => pointsOverTime(page.grid, area, values);
  const band = withBand ? [along(lower[algorithm]), along(upper[algorithm])] : [];
  return curve(root, page, algorithm, along(mean[algorithm]), ...band);
}

// Return the points of a curve with one value per budget of the grid; null where there is no value.
function pointsOverTime(grid, area, values) {
  return values.map((value, t) => (value === null ? null : [area.x(grid.budgets[t]), area.y(value)]));
}

// Return the outline of the band between two curves, which have the same gaps.
function bandPath(lower, upper) {
  const below = pieces(lower);
  return pieces(upper).map((above, k) => `${path([...widen(above), ...widen(below[k]).toReversed()])}Z`).join("");
}

// Return a piece of a curve, or a short horizontal line instead of a single budget, whose band would have no width.
function widen(piece) {
  const [first, last] = [piece[0], piece[piece.length - 1]];
  if (last[0] - first[0] >= NARROWEST) return piece;
  return [[first[0] - NARROWEST / 2, first[1]], [last[0] + NARROWEST / 2, last[1]]];
}

// Return the room in pixels at the right of a chart for names at the ends of curves; 0 if the chart is too narrow for them.
function labelRoom(page, width) {
  return width > 640 ? 24 + 1.1 * LETTER * Math.max(...page.short_names.map((name) => name.length)) : 0;
}

// Draw names at the right of a chart, each near the end of its curve, without overlap.
function endLabels(root, page, area, ends) {
  const step = 15;
  const sorted = ends.toSorted((a, b) => a.y - b.y);
  const heights = sorted.map(({ y }) => y);
  for (let i = 1; i < heights.length; i++) heights[i] = Math.max(heights[i], heights[i - 1] + step);
  const over = Math.max(0, (heights[heights.length - 1] ?? 0) - area.bottom);
  for (let i = heights.length - 1; i >= 0; i--) {
    heights[i] = Math.min(heights[i] - (i === heights.length - 1 ? over : 0), (heights[i + 1] ?? Infinity) - step);
  }
  sorted.forEach(({ algorithm, y }, i) => {
    const x = area.right;
    root.append(
      svg(
        "g",
        { class: "end", "data-algorithm": algorithm, "--c": page.looks[algorithm][0] },
        svg("path", { class: "leader", d: path([[x + 2, y], [x + 8, heights[i]], [x + 14, heights[i]]]) }),
        svg("text", { class: "label", x: x + 18, y: heights[i] + 4 }, page.short_names[algorithm]),
      ),
    );
  });
}
