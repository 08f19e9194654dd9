// The choice under a preference and a risk attitude; the twin of polarbear/selection/choice.py.

// The best portfolios, at most `shown` of them, out of all that were compared.
function choose(belief, { preference, risk, columns, machines }, shown) {
  const { weights, mass } = weightsOf(preference, belief.grid);
  const members = memberValues(belief, weights, columns);
  const exhaustive = fewEnough(members.length, belief.draws, machines);
  const portfolios = exhaustive ? allPortfolios(members.length, machines) : search(members, machines, risk);
  const score = scores(members, portfolios, risk, shown);
  const order = score.map((_, place) => place).sort((a, b) => score[b] - score[a] || a - b);
  const best = probabilityBest(members, portfolios);
  const most = machines * mean(highest(members));
  const level = risk.kind === "quantile" ? risk.level : 0.05;
  const values = new Float64Array(belief.draws);
  const candidates = order.slice(0, shown).map((place) => {
    portfolioValues(members, portfolios[place], values);
    const expected = mean(values);
    return {
      members: portfolios[place].flatMap((count, member) => (count > 0 ? [{ algorithm: columns[member], count }] : [])),
      score: score[place],
      expected,
      lower: quantile(values, level),
      upper: quantile(values, 0.95),
      probabilityBest: best[place],
      regret: Math.max(most - expected, 0), // rounding apart, nothing beats the best
    };
  });
  return { candidates, compared: portfolios.length, exhaustive, weights, mass, level };
}
