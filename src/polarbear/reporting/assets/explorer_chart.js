// The explorer's chart: the curves to choose from, and the query. Dragging in the chart changes the same numbers as
// the sliders.

function explorerChart(place, page, query, current, changed) {
  const { grid } = page;
  const height = 300;
  let area = null;
  let grip = null; // the part of the query that the pointer drags

  const label = () => "Curves of the algorithms to choose from, with your query";
  const redraw = chart(place, { height, label }, (root, width) => {
    const posterior = current();
    const { curves } = posterior;
    const shown = columnsOf({ ...query, machines: 1 }, posterior).map((column) => posterior.columns[column]);
    const highest = Math.max(posterior.rates ? 0.55 : 0, ...shown.flatMap((algorithm) => curves.upper[algorithm]));
    area = frame(width, height, { left: 48, top: 16 }, alongGrid(grid), (value) => value / highest);
    area.scale = width;
    const ticks = posterior.rates ? [0, 0.25, 0.5, 0.75, 1].filter((share) => share <= highest) : evenTicks(0, highest, 4);
    leftAxis(root, area, ticks, formatShare);
    const half = { class: "threshold", x1: area.left, x2: area.right, y1: area.y(0.5), y2: area.y(0.5) };
    if (posterior.rates) root.append(svg("line", half));
    root.append(...queryShape(query, grid, area));
    for (const algorithm of shown) ratingCurve(root, page, area, algorithm, shown.length <= 8, curves);
    root.append(...queryHandles(query, grid, area));
    budgetAxis(root, area, page);
  });

  // Map the position of the pointer to a budget and a height.
  const position = (event) => {
    const box = place.getBoundingClientRect();
    const scale = area.scale / box.width;
    const share = clamp(((event.clientX - box.left) * scale - area.left) / area.width, 0, 1);
    const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
    const up = clamp((area.bottom - (event.clientY - box.top) * scale) / area.height, 0, 1);
    return { budget: clamp(grid.fromAxis(from + share * (to - from)), grid.first, grid.last), up };
  };
  const nearer = (budget, one, other) =>
    Math.abs(grid.onAxis(budget) - grid.onAxis(one)) <= Math.abs(grid.onAxis(budget) - grid.onAxis(other));

  const move = (event) => {
    const { budget, up } = position(event);
    if (query.kind === "at") query.budget = roundBudget(grid, budget);
    else if (query.kind === "between") {
      query[grip] = roundBudget(grid, budget);
      if (query.start > query.stop) {
        [query.start, query.stop] = [query.stop, query.start];
        grip = grip === "start" ? "stop" : "start";
      }
    } else if (query.kind === "around") {
      if (grip === "spread") {
        const distance = Math.abs(grid.onAxis(budget) - grid.onAxis(query.centre));
        query.spread = round(clamp(distance, ...spreadRange(grid)));
      } else query.centre = roundBudget(grid, budget);
    } else {
      paint(query, grid, grip, { budget, up });
      grip = { budget, up };
    }
    changed();
  };

  place.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const here = position(event);
    if (query.kind === "between") grip = nearer(here.budget, query.start, query.stop) ? "start" : "stop";
    else if (query.kind === "around") {
      const [edge, other] = [1, -1].map((side) => grid.fromAxis(grid.onAxis(query.centre) + side * query.spread));
      grip = nearer(here.budget, query.centre, edge) && nearer(here.budget, query.centre, other) ? "centre" : "spread";
    } else grip = here;
    place.setPointerCapture(event.pointerId);
    move(event);
    event.preventDefault();
  });
  place.addEventListener("pointermove", (event) => {
    if (grip !== null) move(event);
  });
  for (const end of ["pointerup", "pointercancel"]) place.addEventListener(end, () => (grip = null));
  return () => {
    place.classList.toggle("drawing", query.kind === "drawn");
    redraw();
  };
}

// Return the columns to choose from. Shares of first places choose the members of a portfolio among all of them, since an
// algorithm that is beaten on most instances may be the best where the others fail.
function columnsOf({ machines, dropped }, { columns, kept, rates }) {
  return dropped || (rates && machines > 1) ? [...columns.keys()] : kept;
}

// Set the weights between two successive positions of the pointer, which are far apart when it moves fast.
function paint(query, grid, from, to) {
  const [a, b] = [grid.onAxis(from.budget), grid.onAxis(to.budget)];
  const nearest = (place) =>
    grid.places.reduce((best, each, t) => (Math.abs(each - place) < Math.abs(grid.places[best] - place) ? t : best), 0);
  const [first, last] = [nearest(a), nearest(b)].sort((x, y) => x - y);
  for (let t = first; t <= last; t++) {
    const share = a === b ? 1 : clamp((grid.places[t] - a) / (b - a), 0, 1);
    query.heights[t] = Math.round(HEIGHTS * (from.up + share * (to.up - from.up)));
  }
  query.place = nearest(b);
}

// Build the shape of the query behind the curves.
function queryShape(query, grid, area) {
  if (query.kind === "at") return [];
  if (query.kind === "between") {
    const [from, to] = [area.x(query.start), area.x(query.stop)];
    return [svg("rect", { class: "query", x: from, y: area.top, width: Math.max(to - from, 1), height: area.height })];
  }
  let points;
  if (query.kind === "around") {
    const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
    points = Array.from({ length: 121 }, (_, k) => {
      const place = from + ((to - from) * k) / 120;
      const z = (place - grid.onAxis(query.centre)) / query.spread;
      return [area.left + (area.width * k) / 120, area.bottom - 0.9 * area.height * Math.exp((-z * z) / 2)];
    });
  } else {
    points = grid.budgets.map((budget, t) => [area.x(budget), area.bottom - (area.height * query.heights[t]) / HEIGHTS]);
  }
  const ends = [[points[points.length - 1][0], area.bottom], [points[0][0], area.bottom]];
  const shape = svg("path", { class: "query", d: `${path([...points, ...ends])}Z` });
  return [shape, svg("path", { class: "query-edge", d: path(points) })];
}

// Build the lines and handles of the query in front of the curves.
function queryHandles(query, grid, area) {
  const handle = (x, y) => svg("circle", { class: "handle", cx: x, cy: y, r: 8 });
  const line = (x) => svg("line", { class: "query-edge", x1: x, x2: x, y1: area.top, y2: area.bottom });
  const middle = area.top + area.height / 2;
  if (query.kind === "at") return [line(area.x(query.budget)), handle(area.x(query.budget), area.top + 4)];
  if (query.kind === "between") {
    return [query.start, query.stop].flatMap((budget) => [line(area.x(budget)), handle(area.x(budget), middle)]);
  }
  if (query.kind === "around") {
    const centre = area.x(query.centre);
    const edges = [1, -1].map((side) => grid.onAxis(query.centre) + side * query.spread);
    const inside = edges.map(grid.fromAxis).filter((budget) => budget >= grid.first && budget <= grid.last);
    const height = area.bottom - 0.9 * area.height * Math.exp(-0.5);
    const sides = inside.map((budget) => handle(area.x(budget), height));
    return [line(centre), handle(centre, area.top + 0.1 * area.height), ...sides];
  }
  const height = area.bottom - (area.height * query.heights[query.place]) / HEIGHTS;
  return [handle(area.x(grid.budgets[query.place]), height)];
}
