// The group of a problem with given features, by the questions of the policy; mirrors polarbear/features/policy.py. Without a
// given feature there is no group, and the answer is that for all instances.

// Return the fields for features that the explorer offers: those that the policy asks for.
function featureFields(page) {
  return page.sections.problem?.policy?.fields ?? [];
}

// Return the group of the given features: its number, and the features of its questions that were not given. Null if none
// was given.
function findGroup(page, given) {
  if (!Object.keys(given).length) return null;
  let node = page.sections.problem.policy.root;
  const missing = [];
  while (typeof node === "object") {
    const value = given[node.feature];
    if (value === undefined) missing.push(node.feature);
    node = goesLeft(node, value) ? node.left : node.right;
  }
  return { number: node, missing: [...new Set(missing)], ...page.sections.problem.groups[node] };
}

// Instances without a value go with the majority.
function goesLeft({ threshold, level, missing_left: missingLeft }, value) {
  if (value === undefined) return missingLeft;
  return threshold === null ? value === level : value <= threshold;
}

// Return a function that gives the posterior of a group. Its arrays hold the candidates only.
function groupPosteriors(page) {
  const known = new Map();
  return ({ number, draws, packed, comparisons }) => {
    if (!known.has(number)) {
      const { columns } = page.sections.problem;
      const counts = page.names.map(() => comparisons);
      const names = columns.map((algorithm) => page.names[algorithm]);
      const portfolios = { columns: [], largest: 1, packed: "" }; // the page holds no outcomes of the group
      const posterior = unpackPosterior({ grid: page.grid, names, comparisons: counts }, { draws, packed, portfolios });
      known.set(number, { ...posterior, columns });
    }
    return known.get(number);
  };
}

// Return rating curves by algorithm: those of a group, of which only the candidates have some, or those of all instances.
function ratingsOf(page, group) {
  if (!group) return page.ratings;
  const { columns } = page.sections.problem;
  const byAlgorithm = (curves) => page.names.map((_, algorithm) => curves[columns.indexOf(algorithm)]);
  return Object.fromEntries(Object.entries(group.ratings).map(([name, curves]) => [name, byAlgorithm(curves)]));
}

// Describe given features, such as "dimension = 40 and rugged = true".
function describeGiven(given) {
  return Object.entries(given)
    .map(([name, value]) => `${name} = ${typeof value === "number" ? formatAmount(value) : value}`)
    .join(" and ");
}
