// What the prior assumes, whether the computation passed its checks, and what remains undecided.

sections.trust = (data, page) => {
  const items = data.sentences.map((sentence) => el("li", null, sentence));
  for (const name of data.waiting) {
    items.push(el("li", null, nameElement(name), " has joined the race and has not run yet."));
  }
  for (const { pair, from, to } of data.undecided) {
    const [first, last] = [from, to].map((time) => formatAmount(round(time)));
    const where = from === to ? `at ${first}` : `between ${first} and ${last}`;
    const names = [nameElement(pair[0]), " and ", nameElement(pair[1])];
    items.push(el("li", null, "Not decided yet: ", ...names, ` ${where} ${page.unit}.`));
  }
  byId("trust-list").replaceChildren(...items);
  byId("trust").classList.toggle("unreliable", !data.reliable);
};
