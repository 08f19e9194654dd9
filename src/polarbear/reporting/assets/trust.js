// What the prior assumes, whether the computation passed its checks, and what remains undecided.

sections.trust = (data, page) => {
  const items = [data.status, ...data.sentences].map((sentence) => el("li", null, sentence));
  for (const name of data.waiting) {
    items.push(el("li", null, nameElement(name), " has joined the race and has not run yet."));
  }
  for (const { pair, from, to, budgets } of data.undecided) {
    const [first, last] = [from, to].map((budget) => formatAmount(round(budget)));
    const where = budgets === 1 ? `at ${first}` : `at ${budgets} of ${data.budgets} budgets from ${first} to ${last}`;
    const names = [nameElement(pair[0]), " and ", nameElement(pair[1])];
    items.push(el("li", null, "Not decided: ", ...names, ` ${where} ${page.unit}.`));
  }
  byId("trust-list").replaceChildren(...items);
};
