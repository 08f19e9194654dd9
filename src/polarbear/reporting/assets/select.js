// The recommendation under a preference and a risk attitude; mirrors polarbear/selection/recommendation.py.

const NEGLIGIBLE = 0.05; // share of the weight at which a candidate may be unobserved, as in Python
const TAIL = 0.025; // probability on each side of the interval of a value
const CONTENDERS = 3; // candidates that are named where it is unclear
const WORTH_NAMING = 0.01; // smallest probability of a candidate that is named there
const MOST_PORTFOLIOS = 7500; // that are compared, as in Python for at most a thousand draws

// Return the best choices, at most `most` of them: algorithms, or portfolios of one algorithm for each machine. Columns that
// were not observed at these budgets are left out; there are no candidates if that holds for all. There are none either if
// there are too many portfolios to compare, which are then `null`, or too many machines, which leave none.
function select(posterior, query, most) {
  const { preference: asked, risk, columns: wanted, machines } = query;
  const preference = knownBudget(posterior, asked);
  const { weights, mass } = weightsOf(preference, posterior.grid);
  const isObserved = (column) =>
    weights.reduce((sum, weight, budget) => (wasObserved(posterior, budget, [column]) ? sum : sum + weight), 0) <= NEGLIGIBLE;
  const columns = wanted.filter(isObserved);
  const byRivals = posterior.rates !== null && machines === 1;
  const portfolios = listPortfolios(columns.length, machines, posterior.rates === null, risk);
  if (!columns.length || !portfolios?.length) return { candidates: [], columns, portfolios };
  const single = (byRivals ? rivalValues : ratingValues)(posterior, weights, columns);
  const choices = evaluate(single, portfolios, risk, byRivals).map(({ portfolio, ...rest }) => {
    const different = [...new Set(portfolio)];
    const members = different.map((member) => ({
      name: posterior.names[columns[member]],
      algorithm: posterior.columns[columns[member]],
      same: posterior.same[columns[member]],
      count: portfolio.filter((each) => each === member).length,
    }));
    return { members, ...rest };
  });
  const nameOf = ({ members }) => members.map(({ name }) => name).join(" + ");
  choices.sort((a, b) => b.score - a.score || b.expected - a.expected || (nameOf(a) < nameOf(b) ? -1 : 1));
  const contenders = choices
    .toSorted((a, b) => b.probabilityBest - a.probabilityBest)
    .slice(0, CONTENDERS)
    .filter(({ probabilityBest }) => probabilityBest >= WORTH_NAMING);
  const candidates = choices.slice(0, most).map((choice) => {
    const values = choice.values();
    return { ...choice, lower: quantile(values, TAIL), upper: quantile(values, 1 - TAIL) };
  });
  const singles = posterior.rates ? posterior.kept : wanted;
  const [alone] = machines > 1 ? select(posterior, { ...query, columns: singles, machines: 1 }, 1).candidates : [];
  const placeOf = ({ members: [{ algorithm }] }) => columns.indexOf(posterior.columns.indexOf(algorithm));
  return {
    candidates,
    contenders,
    alone: alone && { ...alone.members[0], expected: mean(single[placeOf(alone)]) },
    // As in Python, portfolios of a fit are by default those of all algorithms.
    among: wanted.length > singles.length ? null : wanted.flatMap((column) => [posterior.columns[column], ...posterior.same[column]]),
    compared: choices.length,
    columns: columns.map((column) => posterior.columns[column]),
    weights,
    mass,
    byRivals,
    byRating: posterior.rates === null && machines > 1, // the sum of ratings, which may be above one
    stands: preference === asked ? null : preference.budget,
    notObserved: wanted.filter((column) => !columns.includes(column)).map((column) => posterior.columns[column]),
  };
}

// Return the preference for a known budget. Without runs the nearest budget of the grid below it stands in; ratings are
// interpolated instead.
function knownBudget({ rates, grid }, preference) {
  if (preference.kind !== "at" || !rates || grid.budgets.includes(preference.budget)) return preference;
  return { kind: "at", budget: grid.budgets.findLast((budget) => budget < preference.budget) };
}

// Return portfolios as lists of members, which may be copies; null if they are too many. The value of a portfolio is the sum of
// its members' values, so that by most attitudes to risk no portfolio is better than copies of the best algorithm.
function listPortfolios(algorithms, size, copies, risk) {
  const all = [...Array(algorithms).keys()];
  if (copies && risk.kind !== "quantile") return all.map((member) => Array(size).fill(member));
  let number = 1;
  for (let k = 0; k < size; k++) number *= (algorithms + (copies ? k : -k)) / (k + 1);
  const extend = (from, left) =>
    left === 0
      ? [[]]
      : from.flatMap((first, k) => extend(from.slice(copies ? k : k + 1), left - 1).map((rest) => [first, ...rest]));
  return number > MOST_PORTFOLIOS ? null : extend(all, size);
}

// Return each portfolio with its score (higher is better), expected value, expected loss, probability of being the best and a
// function that gives the draws of its value. `single` are the draws of the values of single algorithms.
function evaluate(single, portfolios, risk, byRivals) {
  const [{ length: draws }] = single;
  const buffer = new Float64Array(draws);
  const valuesOf = (portfolio) => {
    buffer.fill(0);
    for (const member of portfolio) for (let d = 0; d < draws; d++) buffer[d] += single[member][d];
    return buffer;
  };
  const records = new Float64Array(draws).fill(-Infinity); // the highest value in each draw
  const holders = Array.from({ length: draws }, () => []); // the portfolios that attain it
  const found = portfolios.map((portfolio, place) => {
    const values = valuesOf(portfolio);
    let shortfall = 0;
    for (let d = 0; d < draws; d++) {
      if (values[d] > records[d]) {
        records[d] = values[d];
        holders[d].length = 0;
      }
      if (values[d] === records[d]) holders[d].push(place);
      shortfall += Math.max(0.5 - values[d], 0);
    }
    return { portfolio, expected: mean(values), loss: shortfall / draws, probabilityBest: 0, values: () => valuesOf(portfolio) };
  });
  for (const places of holders) for (const place of places) found[place].probabilityBest += 1 / places.length / draws;
  const highest = mean(records);
  for (const each of found) {
    if (!byRivals) each.loss = Math.max(highest - each.expected, 0); // rounding could make it negative
    const scores = { best: each.probabilityBest, expected: each.expected, loss: -each.loss };
    each.score = scores[risk.kind] ?? quantile(each.values(), risk.level);
  }
  return found;
}
