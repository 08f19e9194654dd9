// Integrals over time of curves that are known on a grid and linear between its budgets on the grid's own axis; mirrors
// polarbear/selection/quadrature.py, with which the tests compare it.

const NODES = 16; // Gauss-Legendre nodes in each piece of an interval
const FINE_NODES = 64; // the same for distribution functions

function gridOf(budgets, axis) {
  const onAxis = (budget) => (axis === "log" ? Math.log(budget) : budget);
  const fromAxis = (place) => (axis === "log" ? Math.exp(place) : place);
  return { budgets, axis, onAxis, fromAxis, places: budgets.map(onAxis), first: budgets[0], last: budgets[budgets.length - 1] };
}

// Return Gauss-Legendre nodes and weights on [-1, 1], by Newton's method on the Legendre polynomial.
function gaussLegendre(count) {
  const nodes = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let step = 0; step < 10; step++) {
      let [before, value] = [1, x];
      for (let k = 2; k <= count; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = (count * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    nodes[i] = x;
    weights[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}

const COARSE = gaussLegendre(NODES);
const FINE = gaussLegendre(FINE_NODES);

// Add mass · curve(budget), which interpolates between two budgets of the grid, to the weights.
function addReading(grid, weights, budget, mass) {
  const last = grid.budgets.length - 1;
  if (last === 0) {
    weights[0] += mass;
    return;
  }
  const { places } = grid;
  const place = grid.onAxis(budget);
  let right = 1;
  while (right < last && places[right] < place) right++;
  const share = (place - places[right - 1]) / (places[right] - places[right - 1]);
  weights[right - 1] += mass * (1 - share);
  weights[right] += mass * share;
}

// Return the weights of ∫ curve(t) dt from start to stop, both within the grid; of curve(start) if the two are equal.
function integral(grid, start, stop) {
  const weights = new Float64Array(grid.budgets.length);
  if (start === stop) {
    addReading(grid, weights, start, 1);
    return weights;
  }
  const edges = subdivide([start, ...grid.budgets.filter((budget) => budget > start && budget < stop), stop]);
  for (let i = 1; i < edges.length; i++) {
    const [from, to] = [grid.onAxis(edges[i - 1]), grid.onAxis(edges[i])];
    for (let k = 0; k < NODES; k++) {
      const budget = grid.fromAxis(from + ((to - from) * (1 + COARSE.nodes[k])) / 2);
      const inside = clamp(budget, edges[i - 1], edges[i]); // rounding must not leave the grid
      const step = ((to - from) / 2) * COARSE.weights[k];
      addReading(grid, weights, inside, grid.axis === "log" ? step * inside : step); // dt = t d log t
    }
  }
  return weights;
}

// Return the edges, subdivided so that successive positive ones differ by a factor of at most four.
function subdivide(edges) {
  const result = [edges[0]];
  for (let i = 1; i < edges.length; i++) {
    const [from, to] = [edges[i - 1], edges[i]];
    const pieces = from > 0 ? Math.max(Math.ceil(Math.log(to / from) / Math.log(4)), 1) : 1;
    for (let k = 1; k < pieces; k++) result.push(from * (to / from) ** (k / pieces));
    result.push(to);
  }
  return result;
}

// Return the weights of ∫ curve dF for a continuous distribution function F; they sum to its mass within the grid. With s
// the position between two budgets of the grid, from 0 to 1, integration by parts gives ∫ s dF = F(b) − ∫ F ds.
function expectation(grid, cdf) {
  const weights = new Float64Array(grid.budgets.length);
  const onGrid = grid.budgets.map(cdf);
  for (let i = 1; i < grid.budgets.length; i++) {
    const [from, to] = [grid.places[i - 1], grid.places[i]];
    let between = 0;
    for (let k = 0; k < FINE_NODES; k++) {
      between += (FINE.weights[k] / 2) * cdf(grid.fromAxis(from + ((to - from) * (1 + FINE.nodes[k])) / 2));
    }
    between = clamp(between, onGrid[i - 1], onGrid[i]);
    weights[i - 1] += between - onGrid[i - 1];
    weights[i] += onGrid[i] - between;
  }
  return weights;
}
