// How far to trust it, what failed, what was raced and where.

function trustSection(data) {
  const { diagnostics, race } = data;
  const items = [...diagnostics.sentences, ...(race?.doubts ?? [])].map((sentence) => el("li", null, sentence));
  for (const name of race?.waiting ?? []) {
    items.push(el("li", null, el("bdi", { class: "name" }, name), " has been let in and has not run yet."));
  }
  for (const { pair, from, to } of race?.undecided ?? []) {
    const where = from === to ? `at ${amount(rounded(from))}` : `between ${amount(rounded(from))} and ${amount(rounded(to))}`;
    items.push(
      el(
        "li",
        null,
        "Not decided yet: ",
        el("bdi", { class: "name" }, pair[0]),
        " and ",
        el("bdi", { class: "name" }, pair[1]),
        ` ${where} ${data.unit}.`,
      ),
    );
  }
  byId("trust-list").replaceChildren(...items);
  byId("trust").classList.toggle("warned", !diagnostics.reliable);
}

function failuresSection(data) {
  const failed = data.race?.failed ?? 0;
  if (!failed) {
    byId("failures").remove();
    return;
  }
  byId("failures-text").textContent =
    `${several(failed, "run")} failed. A failed run counts as the settings below say, from the moment it failed.`;
  byId("failures-list").replaceChildren(
    ...data.race.failures.map((each) =>
      el(
        "details",
        null,
        el(
          "summary",
          null,
          el("bdi", { class: "name" }, each.algorithm),
          `: ${each.status} on ${several(each.instances.length, "instance")} (${each.instances.slice(0, 8).join(", ")}${each.instances.length > 8 ? ", …" : ""}): `,
          el("bdi", { class: "name" }, each.reason),
        ),
        el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Message" }, el("pre", null, each.message)),
      ),
    ),
  );
}

function particularsSection(data, belief) {
  const { race, made } = data;
  const { grid } = belief;
  byId("kind").textContent = race ? "race report" : "posterior report";
  if (!race) byId("particulars-heading").textContent = "What was compared, and where";
  const unit = data.unit ? ` ${data.unit}` : "";
  const facts = [
    ["Algorithms", String(data.names.length)],
    ["Instances", WHOLE.format(race ? race.allocation.instances : data.instances)],
    ["Budgets", `${several(grid.times.length, "time")} from ${amount(grid.first)} to ${amount(grid.last)}${unit}, ${grid.axis === "log" ? "logarithmic" : "linear"} axis`],
    ["Belief before", data.prior],
    ["Inference", data.diagnostics.method],
  ];
  const wanted = Object.fromEntries(race?.settings ?? []);
  if (race) facts.push(["Confidence", wanted.confidence], ["Elimination", wanted.elimination], ["Resolution", wanted.resolution], ["Seed", wanted.seed]);
  else facts.push(["Confidence", String(data.dominated.confidence)], ["Elimination", data.dominated.elimination]);
  if (race) facts.push(["State", race.stopped]);
  for (const [key, value] of Object.entries(made)) facts.push([MADE[key] ?? key, String(value)]);
  byId("particulars-list").replaceChildren(...definitions(facts));
  if (race) byId("settings-list").replaceChildren(...definitions(race.settings));
  else byId("settings").remove();
  byId("colophon").textContent = `Made by PolarBear ${made.polarbear ?? ""}. This page is one file and asks nothing of any network.`;
}

const MADE = { polarbear: "PolarBear", python: "Python", numpy: "NumPy", scipy: "SciPy", system: "System", time: "Begun" };

function definitions(pairs) {
  return pairs.flatMap(([term, value]) => [el("dt", null, term), el("dd", null, el("bdi", null, value))]);
}
