// The recommendation under a preference and a risk attitude; mirrors polarbear/selection/recommendation.py.

const NEGLIGIBLE = 0.05; // share of the weight at which a candidate may be unobserved, as in Python
const TAIL = 0.025; // probability on each side of the interval of a value
const CONTENDERS = 3; // candidates that are named where it is too close to call
const WORTH_NAMING = 0.01; // smallest probability of a candidate that is named there

// Return the best of the compared portfolios, at most `most` of them; null if the risk attitude requires comparing all
// portfolios and there are too many. Algorithms that were not observed at these budgets are left out; there are no candidates
// if that holds for all.
function select(posterior, { preference, risk, columns: wanted, machines: available }, most) {
  const { weights, mass } = weightsOf(preference, posterior.grid);
  const columns = wanted.filter((algorithm) => unobservedShare(posterior, weights, algorithm) <= NEGLIGIBLE);
  const notObserved = wanted.filter((algorithm) => !columns.includes(algorithm));
  if (!columns.length) return { candidates: [] };
  const machines = posterior.copies ? available : Math.min(available, columns.length);
  const valuation = valuationOf(posterior, weights, columns);
  const mostCopies = posterior.copies ? machines : 1;
  const exhaustive = canCompareAll(valuation, machines, mostCopies);
  if (!exhaustive && risk.kind === "best") return null;
  const portfolios = exhaustive
    ? allPortfolios(columns.length, machines, mostCopies)
    : searchPortfolios(valuation, machines, risk, mostCopies);
  const neighbours = neighboursOf(posterior, preference, weights, columns);
  const { scores, expected, probabilityBest, highest } = evaluateQuery(valuation, neighbours, portfolios, risk, most);
  const order = scores.map((_, place) => place).sort((a, b) => scores[b] - scores[a] || a - b);
  const membersOf = (place) =>
    portfolios[place].flatMap((count, member) => (count > 0 ? [{ algorithm: columns[member], count }] : []));
  const values = new Float64Array(posterior.draws);
  const candidates = order.slice(0, most).map((place) => {
    portfolioValues(valuation, portfolios[place], values);
    return {
      members: membersOf(place),
      score: scores[place],
      expected: expected[place],
      lower: quantile(values, TAIL),
      upper: quantile(values, 1 - TAIL),
      probabilityBest: probabilityBest[place],
      regret: Math.max(highest - expected[place], 0), // rounding could make it negative
    };
  });
  const contenders = order
    .toSorted((a, b) => probabilityBest[b] - probabilityBest[a])
    .slice(0, CONTENDERS)
    .filter((place) => probabilityBest[place] >= WORTH_NAMING)
    .map((place) => ({ members: membersOf(place), probabilityBest: probabilityBest[place] }));
  const bestSingle = () => {
    const { scores: alone } = evaluateQuery(valuation, neighbours, allPortfolios(columns.length, 1), risk);
    const algorithm = columns[argmax(alone)];
    return { algorithm, winRate: posterior.portfolioWinRate(weights, candidates[0].members, algorithm) }; // null if unknown
  };
  const against = machines > 1 ? bestSingle() : null;
  return { candidates, contenders, compared: portfolios.length, exhaustive, mass, notObserved, against, idle: available - machines };
}

// Return the valuations at the two grid times around a known budget; none if it is a grid time itself.
function neighboursOf(posterior, { kind }, weights, columns) {
  const times = Array.from(weights.keys()).filter((time) => weights[time] !== 0);
  if (kind !== "at" || times.length === 1) return [];
  return times.map((time) => valuationOf(posterior, weights.map((_, other) => Number(other === time)), columns));
}

// Evaluate portfolios. Between two grid times, probabilities of being best are limited to the highest one at these two: each
// draw of a value there is an average, in which their errors partly cancel.
function evaluateQuery(valuation, neighbours, portfolios, risk, top) {
  const evaluated = evaluate(valuation, portfolios, risk, top);
  if (!neighbours.length) return evaluated;
  const most = Math.max(...neighbours.map((each) => evaluate(each, portfolios, { kind: "best" }).probabilityBest).flat());
  const probabilityBest = evaluated.probabilityBest.map((each) => Math.min(each, most));
  return { ...evaluated, probabilityBest, scores: risk.kind === "best" ? probabilityBest : evaluated.scores };
}

// Return the share of the weight at times at which an algorithm was not observed.
function unobservedShare(posterior, weights, algorithm) {
  return weights.reduce((sum, weight, time) => (wasObserved(posterior, time, [algorithm]) ? sum : sum + weight), 0);
}
