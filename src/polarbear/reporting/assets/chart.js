// Charts. A chart is redrawn when its container changes its width, so that letters keep their size.

const LETTER = 6.6; // average width of a letter in a chart, in pixels

const PAPER = 640; // width of a printed page in pixels, without its margins

// Call draw(root, width) now and after each change of width. Return a function that redraws the chart.
function chart(place, { height, label }, draw) {
  let width = place.clientWidth || PAPER; // read once: reading it makes the browser lay out the whole page
  const redraw = () => {
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
    width = PAPER;
    redraw();
  });
  addEventListener("afterprint", () => {
    width = place.clientWidth || PAPER;
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

// Return a function that maps a time to its position along the grid's own axis, from 0 to 1.
function alongGrid(grid) {
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  return (time) => (to > from ? (grid.onAxis(time) - from) / (to - from) : 0.5);
}

function timeTicks(grid, most) {
  return grid.axis === "log" ? logTicks(grid.first, grid.last, most) : evenTicks(grid.first, grid.last, most);
}

function evenTicks(from, to, most) {
  if (!(to > from)) return [from];
  const rough = (to - from) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-9); k++) ticks.push(rounded(k * step, 12));
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
      const tick = rounded(step * 10 ** k, 12);
      if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks.length > 1 ? ticks : evenTicks(from, to, Math.min(most, 4));
}

// Draw the bottom axis with its ticks and title.
function bottomAxis(root, place, ticks, written, title) {
  for (const tick of ticks) {
    const x = place.x(tick);
    root.append(
      svg("line", { class: "tick", x1: x, x2: x, y1: place.bottom, y2: place.bottom + 4 }),
      svg("text", { class: "label", x, y: place.bottom + 17, "text-anchor": "middle" }, written(tick)),
    );
  }
  root.append(
    svg("line", { class: "axis", x1: place.left, x2: place.right, y1: place.bottom, y2: place.bottom }),
    svg("text", { class: "title", x: place.right, y: place.bottom + 34, "text-anchor": "end" }, title),
  );
}

function leftAxis(root, place, ticks, written) {
  for (const tick of ticks) {
    const y = place.y(tick);
    root.append(
      svg("line", { class: "rule", x1: place.left, x2: place.right, y1: y, y2: y }),
      svg("text", { class: "label", x: place.left - 7, y: y + 4, "text-anchor": "end" }, written(tick)),
    );
  }
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Draw a line in the style of an algorithm, with its band if given; a single point becomes a dot.
function curve(root, data, algorithm, points, band) {
  const group = svg("g", { class: "curve", "data-algorithm": algorithm, "--c": data.looks[algorithm][0] });
  if (band) group.append(svg("path", { class: "band", d: `${path(band)}Z` }));
  if (points.length === 1) group.append(svg("circle", { class: "dot", cx: points[0][0], cy: points[0][1], r: 4 }));
  const dashes = data.looks[algorithm][1] || null;
  group.append(svg("path", { class: "line", d: path(points), "stroke-dasharray": dashes }));
  group.append(svg("title", null, data.names[algorithm]));
  root.append(group);
  return group;
}

// Draw names at the right of a chart, each near the end of its curve, without overlap.
function endLabels(root, data, place, ends, room) {
  const step = 15;
  const sorted = ends.toSorted((a, b) => a.y - b.y);
  const heights = sorted.map(({ y }) => y);
  for (let i = 1; i < heights.length; i++) heights[i] = Math.max(heights[i], heights[i - 1] + step);
  const over = Math.max(0, (heights[heights.length - 1] ?? 0) - place.bottom);
  for (let i = heights.length - 1; i >= 0; i--) {
    heights[i] = Math.min(heights[i] - (i === heights.length - 1 ? over : 0), (heights[i + 1] ?? Infinity) - step);
  }
  sorted.forEach(({ algorithm, y }, i) => {
    const x = place.right;
    root.append(
      svg(
        "g",
        { class: "end", "data-algorithm": algorithm, "--c": data.looks[algorithm][0] },
        svg("path", { class: "leader", d: path([[x + 2, y], [x + 8, heights[i]], [x + 14, heights[i]]]) }),
        svg("text", { class: "label", x: x + 18, y: heights[i] + 4 }, shortened(data.names[algorithm], room)),
      ),
    );
  });
}
