// Diagnostics, failed runs, and the settings of the race.

function trustSection(data) {
  const { diagnostics, race } = data;
  const items = [...diagnostics.sentences, ...(race?.doubts ?? [])].map((sentence) => el("li", null, sentence));
  for (const name of race?.waiting ?? []) {
    items.push(el("li", null, el("bdi", { class: "name" }, name), " has joined the race and has not run yet."));
  }
  for (const { pair, from, to } of race?.undecided ?? []) {
    const [first, last] = [from, to].map((time) => amount(rounded(time)));
    const where = from === to ? `at ${first}` : `between ${first} and ${last}`;
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
  byId("failures-list").replaceChildren(...data.race.failures.map(failure));
}

// Show failed runs with the same reason, and the message of the first.
function failure({ algorithm, status, instances, reason, message }) {
  const some = instances.slice(0, 8).join(", ") + (instances.length > 8 ? ", …" : "");
  const summary = el(
    "summary",
    null,
    el("bdi", { class: "name" }, algorithm),
    `: ${status} on ${several(instances.length, "instance")} (${some}): `,
    el("bdi", { class: "name" }, reason),
  );
  const scroll = { class: "scroll", role: "region", tabindex: "0", "aria-label": "Message" };
  return el("details", null, summary, el("div", scroll, el("pre", null, message)));
}

function particularsSection(data, belief) {
  const { race, made } = data;
  const { grid } = belief;
  byId("kind").textContent = race ? "race report" : "posterior report";
  if (!race) byId("particulars-heading").textContent = "What was compared, and where";
  const range = `from ${amount(grid.first)} to ${amount(grid.last)} ${data.unit}`.trimEnd();
  const axis = grid.axis === "log" ? "logarithmic" : "linear";
  const wanted = race ? Object.fromEntries(race.settings) : data.dominated;
  const facts = [
    ["Algorithms", String(data.names.length)],
    ["Instances", WHOLE.format(race ? race.allocation.instances : data.instances)],
    ...(data.scope ? [["Scope", data.scope]] : []),
    ["Budgets", `${several(grid.times.length, "time")} ${range}, ${axis} axis`],
    ["Prior", data.prior],
    ["Inference", data.diagnostics.method],
    ["Confidence", String(wanted.confidence)],
    ["Elimination", wanted.elimination],
  ];
  if (race) facts.push(["Resolution", wanted.resolution], ["Seed", wanted.seed], ["State", race.stopped]);
  for (const [key, value] of Object.entries(made)) facts.push([MADE[key] ?? key, String(value)]);
  byId("particulars-list").replaceChildren(...definitions(facts));
  if (race) byId("settings-list").replaceChildren(...definitions(race.settings));
  else byId("settings").remove();
  byId("colophon").textContent =
    `Made by PolarBear ${made.polarbear ?? ""}. This page is one file and asks nothing of any network.`;
}

const MADE = { polarbear: "PolarBear", python: "Python", numpy: "NumPy", scipy: "SciPy", system: "System", time: "Begun" };

function definitions(pairs) {
  return pairs.flatMap(([term, value]) => [el("dt", null, term), el("dd", null, el("bdi", null, value))]);
}
