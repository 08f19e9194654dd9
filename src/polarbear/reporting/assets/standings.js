// The group of each algorithm with the reason, in the words of the terminal, and the race behind it round by round.

sections.standings = (data, page) => {
  byId("standings-groups").replaceChildren(...data.groups.flatMap((group) => standingGroup(group, page)));
  if (data.rounds && data.rounds.numbers.length > 1) evolutionChart(data, page);
  else byId("evolution").remove();
};

function standingGroup({ heading, algorithms }, page) {
  const items = algorithms.map((each) => standingItem(each, page));
  const list = el("ul", { class: "plain" }, ...(items.length ? items : [el("li", null, "none")]));
  return [el("h3", null, heading), list];
}

// Build an item: an algorithm on the left, the reason on the right. An algorithm without runs has no line style.
function standingItem({ name, text, command, detail }, page) {
  const algorithm = page.names.indexOf(name);
  const label = algorithm < 0 ? nameElement(name) : algorithmLabel(page, algorithm);
  const step = command ? el("span", { class: "step" }, "Next step: ", el("code", null, command)) : null;
  const more = detail ? el("span", { class: "detail" }, detail) : null;
  return el("li", { class: "standing" }, label, el("div", null, el("span", { class: "reason" }, text), step, more));
}
