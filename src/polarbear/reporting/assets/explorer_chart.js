// The explorer's chart: the rating curves to choose from, and the query. Dragging in the chart changes the same numbers as
// the sliders.

function explorerChart(place, data, belief, wish, changed) {
  const { grid } = belief;
  const height = 300;
  let area = null;
  let grip = null; // the part of the query that the pointer drags

  const label = () => "Ratings of the algorithms to choose from, with your wish";
  const redraw = chart(place, { height, label }, (root, width) => {
    const shown = columnsOf(data, wish);
    const highest = Math.max(...shown.flatMap((algorithm) => data.ratings.upper[algorithm]));
    area = frame(width, height, { left: 48, top: 16 }, alongGrid(grid), (value) => value / highest);
    area.scale = width;
    leftAxis(root, area, evenTicks(0, highest, 4), (value) => `${rounded(100 * value)}${PERCENT}`);
    root.append(...wishShape(wish, grid, area));
    for (const algorithm of shown) drawRating(root, data, area, grid, algorithm, shown.length <= 8);
    root.append(...wishHandles(wish, grid, area));
    bottomAxis(root, area, timeTicks(grid, area.width / 70), brief, budgetTitle(data));
  });

  // Map the position of the pointer to a time and a height.
  const spot = (event) => {
    const box = place.getBoundingClientRect();
    const scale = area.scale / box.width;
    const share = within(((event.clientX - box.left) * scale - area.left) / area.width, 0, 1);
    const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
    const up = within((area.bottom - (event.clientY - box.top) * scale) / area.height, 0, 1);
    return { time: within(grid.fromAxis(from + share * (to - from)), grid.first, grid.last), up };
  };
  const nearer = (time, one, other) =>
    Math.abs(grid.onAxis(time) - grid.onAxis(one)) <= Math.abs(grid.onAxis(time) - grid.onAxis(other));

  const move = (event) => {
    const { time, up } = spot(event);
    if (wish.kind === "at") wish.time = tidy(grid, time);
    else if (wish.kind === "between") {
      wish[grip] = tidy(grid, time);
      if (wish.start > wish.stop) {
        [wish.start, wish.stop] = [wish.stop, wish.start];
        grip = grip === "start" ? "stop" : "start";
      }
    } else if (wish.kind === "around") {
      if (grip === "spread") {
        const distance = Math.abs(grid.onAxis(time) - grid.onAxis(wish.centre));
        wish.spread = rounded(within(distance, ...spreadRange(grid)));
      } else wish.centre = tidy(grid, time);
    } else {
      paint(wish, grid, grip, { time, up });
      grip = { time, up };
    }
    changed();
  };

  place.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const here = spot(event);
    if (wish.kind === "between") grip = nearer(here.time, wish.start, wish.stop) ? "start" : "stop";
    else if (wish.kind === "around") {
      const [edge, other] = [1, -1].map((side) => grid.fromAxis(grid.onAxis(wish.centre) + side * wish.spread));
      grip = nearer(here.time, wish.centre, edge) && nearer(here.time, wish.centre, other) ? "centre" : "spread";
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
    place.classList.toggle("drawing", wish.kind === "drawn");
    redraw();
  };
}

function columnsOf(data, wish) {
  return wish.everybody ? data.names.map((_, algorithm) => algorithm) : data.candidates;
}

// Set the weights between two successive positions of the pointer, which are far apart when it moves fast.
function paint(wish, grid, from, to) {
  const [a, b] = [grid.onAxis(from.time), grid.onAxis(to.time)];
  const nearest = (place) =>
    grid.places.reduce((best, each, t) => (Math.abs(each - place) < Math.abs(grid.places[best] - place) ? t : best), 0);
  const [first, last] = [nearest(a), nearest(b)].sort((x, y) => x - y);
  for (let t = first; t <= last; t++) {
    const share = a === b ? 1 : within((grid.places[t] - a) / (b - a), 0, 1);
    wish.heights[t] = Math.round(HEIGHTS * (from.up + share * (to.up - from.up)));
  }
  wish.place = nearest(b);
}

// Build the shape of the query behind the curves.
function wishShape(wish, grid, area) {
  if (wish.kind === "at") return [];
  if (wish.kind === "between") {
    const [from, to] = [area.x(wish.start), area.x(wish.stop)];
    return [svg("rect", { class: "wish", x: from, y: area.top, width: Math.max(to - from, 1), height: area.height })];
  }
  let points;
  if (wish.kind === "around") {
    const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
    points = Array.from({ length: 121 }, (_, k) => {
      const place = from + ((to - from) * k) / 120;
      const z = (place - grid.onAxis(wish.centre)) / wish.spread;
      return [area.left + (area.width * k) / 120, area.bottom - 0.9 * area.height * Math.exp((-z * z) / 2)];
    });
  } else {
    points = grid.times.map((time, t) => [area.x(time), area.bottom - (area.height * wish.heights[t]) / HEIGHTS]);
  }
  const ends = [[points[points.length - 1][0], area.bottom], [points[0][0], area.bottom]];
  const shape = svg("path", { class: "wish", d: `${path([...points, ...ends])}Z` });
  return [shape, svg("path", { class: "wish-edge", d: path(points) })];
}

function wishHandles(wish, grid, area) {
  const handle = (x, y) => svg("circle", { class: "handle", cx: x, cy: y, r: 8 });
  const line = (x) => svg("line", { class: "wish-edge", x1: x, x2: x, y1: area.top, y2: area.bottom });
  const middle = area.top + area.height / 2;
  if (wish.kind === "at") return [line(area.x(wish.time)), handle(area.x(wish.time), area.top + 4)];
  if (wish.kind === "between") {
    return [wish.start, wish.stop].flatMap((time) => [line(area.x(time)), handle(area.x(time), middle)]);
  }
  if (wish.kind === "around") {
    const centre = area.x(wish.centre);
    const edges = [1, -1].map((side) => grid.onAxis(wish.centre) + side * wish.spread);
    const inside = edges.map(grid.fromAxis).filter((time) => time >= grid.first && time <= grid.last);
    const height = area.bottom - 0.9 * area.height * Math.exp(-0.5);
    const sides = inside.map((time) => handle(area.x(time), height));
    return [line(centre), handle(centre, area.top + 0.1 * area.height), ...sides];
  }
  const height = area.bottom - (area.height * wish.heights[wish.place]) / HEIGHTS;
  return [handle(area.x(grid.times[wish.place]), height)];
}
