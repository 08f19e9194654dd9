// Preferences over time as weights on the grid; mirrors polarbear/selection/preference.py.
//
//   { kind: "at", budget }              one budget
//   { kind: "between", start, stop }  uniform over the budgets from start to stop
//   { kind: "around", centre, spread } a normal distribution on the grid's axis: log-normal on a logarithmic one
//   { kind: "drawn", heights }        one weight per budget of the grid

// Return the weight of each budget of the grid. `mass` is the share of the budgets that lie within the grid.
function weightsOf(preference, grid) {
  if (preference.kind === "at") {
    const weights = new Float64Array(grid.budgets.length);
    addReading(grid, weights, preference.budget, 1);
    return { weights, mass: 1 };
  }
  if (preference.kind === "between") {
    return { weights: normalise(integral(grid, preference.start, preference.stop)), mass: 1 };
  }
  if (preference.kind === "around") {
    const weights = expectation(grid, cdfOf(preference, grid));
    return { weights: normalise(weights), mass: weights.reduce((a, b) => a + b, 0) };
  }
  return { weights: normalise(Float64Array.from(preference.heights)), mass: 1 };
}

// Return the distribution function of budgets around a centre.
function cdfOf({ centre, spread }, grid) {
  const middle = grid.onAxis(centre);
  return (budget) => normalCdf((grid.onAxis(budget) - middle) / spread);
}

// Return Φ(z) by the series ½ + φ(z) (z + z³/3 + z⁵/(3·5) + ...), whose terms all have the same sign.
function normalCdf(z) {
  if (z > 9) return 1;
  if (z < -9) return 0;
  let term = z;
  let sum = z;
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

function normalise(weights) {
  const sum = weights.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) throw new RangeError("give some budget a positive weight");
  return weights.map((weight) => weight / sum);
}
