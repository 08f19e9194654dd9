// Win rates of portfolios over a single algorithm; mirrors `win_rate_against` of polarbear/selection/portfolio.py.

// Return a function (weights, members, single) that gives the expected win rate of a portfolio over one algorithm, averaged
// over time by the weights; null if the page does not hold it. `table` holds the rates of sets of different algorithms, as
// polarbear/reporting/portfolio_rates.py packs them; it is null if all rates follow from ratings.
function portfolioWinRates(posterior, table) {
  const read = table && readTable(table, posterior.grid.times.length);
  return (weights, members, single) => {
    const copies = members.some(({ count }) => count > 1);
    const rateAt = copies || !table ? plackettLuceRate(posterior, members, single) : read(members, single);
    if (!rateAt) return null;
    return weights.reduce((sum, weight, time) => (weight === 0 ? sum : sum + weight * rateAt(time)), 0);
  };
}

// Return a function that finds the rates over time of a set against one algorithm; null if they are not in the table.
function readTable({ columns, largest, packed }, times) {
  const bytes = unpackBytes(packed);
  const view = new DataView(bytes.buffer);
  const places = new Map();
  for (let size = 2; size <= largest; size++) {
    for (const set of setsOf(columns, size)) places.set(set.join(), places.size);
  }
  return (members, single) => {
    const place = places.get(members.map(({ algorithm }) => algorithm).join());
    const against = columns.indexOf(single);
    if (place === undefined || against < 0) return null;
    const start = (place * columns.length + against) * times;
    return (time) => view.getUint16(2 * (start + time), true) / 65535;
  };
}

// Return all sets of a size, in lexicographic order.
function setsOf(columns, size) {
  if (size === 0) return [[]];
  return columns.flatMap((first, place) => setsOf(columns.slice(place + 1), size - 1).map((rest) => [first, ...rest]));
}

// Return a function that gives the rate at a time by Plackett-Luce: s / (s + θ) with s = Σ k θ over the members, and
// 1 − θ / (2 s) against a member, whose run ties with the portfolio where it is the best.
function plackettLuceRate(posterior, members, single) {
  const isMember = members.some(({ algorithm }) => algorithm === single);
  return (time) => {
    const alone = ratingsAt(posterior, time, single);
    const own = members.map(({ algorithm, count }) => [ratingsAt(posterior, time, algorithm), count]);
    let sum = 0;
    for (let d = 0; d < alone.length; d++) {
      const strength = own.reduce((total, [ratings, count]) => total + count * ratings[d], 0);
      const total = isMember ? 2 * strength : strength + alone[d];
      sum += total > 0 ? (isMember ? total - alone[d] : strength) / total : 0.5;
    }
    return sum / alone.length;
  };
}
