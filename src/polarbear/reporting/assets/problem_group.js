// The group of a problem with given features, by the questions of the policy; mirrors polarbear/features/policy_tree.py. If the
// feature of the first question is not given there is no group, and the answer is that for all instances.

// Return the fields for features that the explorer offers: those that the policy asks for.
function featureFields(page) {
  return page.sections.problem?.policy?.fields ?? [];
}

// Return the group of the given features, with a key that distinguishes it from others, and in `missing` the feature of the
// next question if that was not given. Null for all instances.
function findGroup(page, given) {
  const { groups, policy } = page.sections.problem ?? {};
  const { node, missing } = followQuestions(page, given);
  if (typeof node === "number") return { key: `leaf ${node}`, ...groups[node] };
  if (!node || node.undivided === null) return null;
  return { key: `undivided ${node.undivided}`, missing, ...policy.undivided[node.undivided] };
}

// Return the node of the tree that the given features lead to, and the feature of its question if it has one.
function followQuestions(page, given) {
  let node = page.sections.problem?.policy?.root ?? null;
  while (node !== null && typeof node === "object") {
    const value = given[node.feature];
    if (value === undefined) return { node, missing: node.feature };
    node = goesLeft(node, value) ? node.left : node.right;
  }
  return { node };
}

function goesLeft({ threshold, level }, value) {
  return threshold === null ? value === level : value <= threshold;
}

// Return a function that gives the posterior of a group, or of all instances, with its curves.
function posteriors(page) {
  const known = new Map();
  return (group) => {
    const key = group?.key ?? "all";
    if (!known.has(key)) {
      const comparisons = group ? page.names.map(() => group.comparisons) : page.comparisons;
      const posterior = unpackPosterior({ ...page, comparisons }, group ?? page.sections.explorer);
      known.set(key, { ...posterior, curves: curvesOf(posterior) });
    }
    return known.get(key);
  };
}

// Describe given features, such as "dimension = 40 and rugged = true".
function describeGiven(given) {
  return Object.entries(given)
    .map(([name, value]) => `${name} = ${typeof value === "number" ? formatAmount(value) : value}`)
    .join(" and ");
}
