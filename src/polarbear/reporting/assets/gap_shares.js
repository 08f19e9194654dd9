// The share of instances on which each algorithm of a pair is better by more than a tolerance, over the budget.

const UNKNOWN_SHARE = 255;
const GAP_CURVES = ["better", "lower", "upper"]; // of the first algorithm of a pair, then of the second

// Return a function (pair, tolerance) that gives the shares of both algorithms over time, as [{better, lower, upper}, ...].
function unpackGapShares({ amounts, budgets, shares }, algorithms) {
  const bytes = unpackBytes(shares);
  return ([first, second], tolerance) => {
    const [one, other] = [Math.min(first, second), Math.max(first, second)];
    const pair = one * algorithms - (one * (one + 1)) / 2 + other - one - 1;
    const start = (pair * amounts.length + tolerance) * 2 * GAP_CURVES.length * budgets.length;
    const values = (row) =>
      [...bytes.subarray(start + row * budgets.length, start + (row + 1) * budgets.length)].map((share) =>
        share === UNKNOWN_SHARE ? null : share,
      );
    const sides = [0, 1].map((side) =>
      Object.fromEntries(GAP_CURVES.map((name, k) => [name, values(side * GAP_CURVES.length + k)])),
    );
    return first < second ? sides : sides.toReversed();
  };
}

// Build the menu of tolerances, and return a function that shows the shares of the pair in `state`.
function gapShares({ gaps }, page, state) {
  const sharesOf = unpackGapShares(gaps, page.names.length);
  const menu = el(
    "select",
    { onchange: (event) => ((state.tolerance = Number(event.target.value)), show()) },
    ...gaps.amounts.map((amount, k) => el("option", { value: k }, amount)),
  );
  byId("magnitude-tolerance").replaceChildren(el("label", null, "better by ", menu));
  const label = () => `How often ${state.pair.map((algorithm) => page.names[algorithm]).join(" and ")} are better`;
  const redraw = chart(byId("gap-shares-chart"), { height: 240, label }, (root, width) => {
    const room = labelRoom(page, width);
    const area = frame(width, 240, { left: 48, right: room || 10 }, alongGrid(page.grid), (percent) => percent / 100);
    leftAxis(root, area, [0, 25, 50, 75, 100], (percent) => formatShare(percent / 100));
    const along = budgetScale(page, area, gaps.budgets);
    const ends = [];
    sharesOf(state.pair, state.tolerance).forEach(({ better, lower, upper }, side) => {
      curve(root, page, state.pair[side], ...[better, lower, upper].map(along));
      const last = better.findLast((share) => share !== null);
      if (last !== undefined) ends.push({ algorithm: state.pair[side], y: area.y(last) });
    });
    const x = area.x(gaps.budgets[nearest(gaps.budgets, state.at)]);
    root.append(svg("line", { class: "threshold", x1: x, x2: x, y1: area.top, y2: area.bottom }));
    if (room) endLabels(root, page, area, ends);
    budgetAxis(root, area, page);
  });

  function show() {
    const [first, second] = state.pair.map((algorithm) => nameElement(page.names[algorithm]));
    const same = state.pair[0] === state.pair[1];
    byId("gap-shares-figure").hidden = same;
    if (same) {
      byId("gap-shares-text").replaceChildren("Choose two different algorithms.");
      return;
    }
    const budget = nearest(gaps.budgets, state.at);
    const [one, other] = sharesOf(state.pair, state.tolerance).map((side) => GAP_CURVES.map((name) => side[name][budget]));
    const atBudget = `At ${`${formatAmount(round(gaps.budgets[budget]))} ${page.unit}`.trim()} `;
    const shown = ([share, lower, upper], of) => `${share}${PERCENT}${of} (${lower} to ${upper}${PERCENT})`;
    const [amount, again] = [gaps.amounts[state.tolerance], state.tolerance ? " by more than that" : ""];
    byId("gap-shares-text").replaceChildren(
      ...(one[0] === null
        ? [atBudget, "no instance has values of both ", first, " and ", second, "."]
        : [
            atBudget,
            first,
            " is better than ",
            second,
            ` by ${amount} on ${shown(one, " of instances")}, and worse${again} on ${shown(other, "")}.`,
          ]),
    );
    byId("gap-shares-caption").replaceChildren(
      `The share of instances on which each of the two is better than the other by ${amount}` +
        (state.tolerance ? ", in the units of the objective" : "") +
        `, with its 95${PERCENT} interval. The dashed line is the budget. The tolerances in the menu are examples: round ` +
        `numbers near the 10${PERCENT}, 50${PERCENT} and 90${PERCENT} quantiles of the distances from the best value. For the ` +
        "gap that matters to you, use ",
      el("code", null, "polarbear plot FILE gap A B --tolerance"),
      " or ",
      el("code", null, "pb.gap_exceeds"),
      ".",
    );
    redraw();
  }
  return show;
}
