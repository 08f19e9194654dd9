// The explorer: controls on one side, the recommendation on the other.

const SHOWN = 6; // choices in the table

const KIND_WORDS = {
  at: ["I know it", "The budget is known."],
  between: ["Within a range", "Every budget in the range is as likely as any other."],
  around: ["Roughly", "Budgets scatter around a centre."],
  drawn: ["I draw it", "Draw into the picture how much each budget counts."],
};
const RISK_WORDS = {
  expected: ["On average", "the highest chance of being first on average"],
  best: ["Be the best", "the highest probability of being the best choice"],
  quantile: ["Play safe", "the highest chance of being first when things go badly"],
  regret: ["Regret least", "the smallest loss against whichever turns out best"],
};

function explorer(place, data, belief) {
  const { grid } = belief;
  const wish = recalled(location.hash.slice(1), grid);
  const controls = []; // each shows the wish as it is now
  let waiting = false;
  let remembering = 0;

  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };

  const picture = el("div", { class: "chart pickable", id: "explorer-chart" });
  const verdict = el("div", { class: "verdict" });
  const now = el("p", { class: "now", "aria-hidden": "true" }); // for small screens, where the verdict is out of sight
  const spoken = el("p", { class: "unseen", role: "status" });
  place.append(
    now,
    el(
      "div",
      { class: "controls" },
      choiceOf("What is the budget?", "kind", KIND_WORDS),
      picture,
      budgetControls(),
      choiceOf("What matters?", "risk", RISK_WORDS),
      levelControl(),
      machinesControl(),
      data.candidates.length < data.names.length ? everybodyControl() : null,
    ),
    verdict,
    spoken,
  );
  const redraw = explorerChart(picture, data, belief, wish, changed);

  // One of several, as buttons of which one is chosen.
  function choiceOf(legendText, key, words) {
    const hint = el("p", { class: "hint" });
    const buttons = Object.entries(words).map(([value, [label]]) =>
      el(
        "label",
        { class: "segment" },
        el("input", { type: "radio", name: key, value, onchange: () => set(key, value) }),
        el("span", null, label),
      ),
    );
    controls.push(() => {
      for (const each of buttons) each.firstElementChild.checked = each.firstElementChild.value === wish[key];
      hint.textContent = key === "kind" ? words[wish.kind][1] : `Choose ${words[wish.risk][1]}.`;
    });
    return el("fieldset", null, el("legend", null, legendText), el("div", { class: "segments" }, ...buttons), hint);
  }

  function set(key, value) {
    wish[key] = value;
    changed();
  }

  function budgetControls() {
    const parts = {
      at: [timeControl("Budget", "time")],
      between: [timeControl("From", "start"), timeControl("To", "stop")],
      around: [timeControl("Centre", "centre"), spreadControl()],
      drawn: drawnControls(),
    };
    const groups = Object.entries(parts).map(([kind, children]) => {
      const group = el("div", { class: "budget" }, ...children);
      controls.push(() => (group.hidden = wish.kind !== kind));
      return group;
    });
    return el("div", null, ...groups);
  }

  // A slider on the grid's axis with the exact number beside it; of a range, the other end gives way.
  function timeControl(label, key) {
    const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
    const take = (time) => {
      wish[key] = within(time, grid.first, grid.last);
      if (key === "start" && wish.stop < wish.start) wish.stop = wish.start;
      if (key === "stop" && wish.start > wish.stop) wish.start = wish.stop;
      changed();
    };
    const timeAt = (step) => tidy(grid, grid.fromAxis(from + ((to - from) * step) / STEPS));
    const slider = el("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "data-key": key,
      "aria-label": label,
      oninput: () => take(timeAt(slider.value)),
    });
    const exact = el("input", {
      type: "number",
      min: grid.first,
      max: grid.last,
      step: "any",
      "data-key": key,
      "aria-label": `${label}, in ${data.unit || "units of the grid"}`,
      onchange: () => take(Number.isFinite(exact.valueAsNumber) ? exact.valueAsNumber : wish[key]),
    });
    controls.push(() => {
      if (timeAt(slider.value) !== wish[key]) {
        slider.value = to > from ? Math.round((STEPS * (grid.onAxis(wish[key]) - from)) / (to - from)) : 0;
      }
      slider.setAttribute("aria-valuetext", `${amount(wish[key])} ${data.unit}`.trim());
      if (document.activeElement !== exact) exact.value = wish[key];
    });
    return el("div", { class: "slider" }, el("span", { class: "what" }, label), slider, exact);
  }

  function spreadControl() {
    const [least, most] = spreadRange(grid);
    const said = el("span", { class: "said" });
    const slider = el("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "data-key": "spread",
      "aria-label": "Spread",
      oninput: () => set("spread", rounded(least * (most / least) ** (slider.value / STEPS))),
    });
    controls.push(() => {
      slider.value = Math.round((STEPS * Math.log(wish.spread / least)) / Math.log(most / least));
      const ends = [-1, 1].map((side) => amount(rounded(grid.fromAxis(grid.onAxis(wish.centre) + side * wish.spread))));
      said.textContent = `two in three from ${ends[0]} to ${ends[1]}`;
      slider.setAttribute("aria-valuetext", said.textContent);
    });
    return el("div", { class: "slider wide" }, el("span", { class: "what" }, "Spread"), slider, said);
  }

  // Without a pointer: choose a time, then say how much it counts. And some shapes to begin with.
  function drawnControls() {
    const last = grid.times.length - 1;
    const where = el("input", {
      type: "range", min: 0, max: last, step: 1, value: 0, "data-key": "place", "aria-label": "Time to change",
      oninput: () => set("place", Number(where.value)),
    });
    const weight = el("input", {
      type: "range", min: 0, max: HEIGHTS, step: 1, "data-key": "weight", "aria-label": "Weight there",
      oninput: () => {
        wish.heights[wish.place] = Number(weight.value);
        changed();
      },
    });
    const [time, height] = [el("span", { class: "said" }), el("span", { class: "said" })];
    controls.push(() => {
      where.value = wish.place;
      weight.value = wish.heights[wish.place];
      time.textContent = `${amount(rounded(grid.times[wish.place]))} ${data.unit}`.trim();
      height.textContent = percent(wish.heights[wish.place] / HEIGHTS, 0);
      where.setAttribute("aria-valuetext", time.textContent);
      weight.setAttribute("aria-valuetext", `${height.textContent} at ${time.textContent}`);
    });
    const shapes = {
      "All alike": () => 0.5,
      "Early matters": (share) => 0.95 * (1 - share) ** 2 + 0.02,
      "Late matters": (share) => 0.95 * share ** 2 + 0.02,
      "Both ends": (share) => 0.9 * (2 * share - 1) ** 2 + 0.02,
    };
    const presets = Object.entries(shapes).map(([label, shape]) =>
      el("button", {
        type: "button",
        onclick: () => {
          wish.heights = grid.times.map((_, t) => Math.round(HEIGHTS * shape(last ? t / last : 0.5)));
          changed();
        },
      }, label),
    );
    return [
      el("div", { class: "presets" }, ...presets),
      el("div", { class: "slider wide" }, el("span", { class: "what" }, "Time"), where, time),
      el("div", { class: "slider wide" }, el("span", { class: "what" }, "Weight"), weight, height),
    ];
  }

  function levelControl() {
    const said = el("span", { class: "said" });
    const slider = el("input", {
      type: "range", min: 1, max: 50, step: 1, "data-key": "level", "aria-label": "How unlucky",
      oninput: () => set("level", Number(slider.value) / 100),
    });
    const row = el("div", { class: "slider wide" }, el("span", { class: "what" }, "How unlucky"), slider, said);
    controls.push(() => {
      row.hidden = wish.risk !== "quantile";
      slider.value = Math.round(100 * wish.level);
      said.textContent = `the worst ${percent(wish.level, 0)} of cases`;
      slider.setAttribute("aria-valuetext", said.textContent);
    });
    return row;
  }

  function machinesControl() {
    const words = Object.fromEntries(Array.from({ length: MACHINES }, (_, k) => [k + 1, [String(k + 1)]]));
    const buttons = Object.keys(words).map((value) =>
      el(
        "label",
        { class: "segment" },
        el("input", { type: "radio", name: "machines", value, onchange: () => set("machines", Number(value)) }),
        el("span", null, value),
      ),
    );
    controls.push(() => buttons.forEach((each, k) => (each.firstElementChild.checked = k + 1 === wish.machines)));
    return el("fieldset", null, el("legend", null, "How many machines run side by side?"), el("div", { class: "segments" }, ...buttons));
  }

  function everybodyControl() {
    const box = el("input", { type: "checkbox", name: "everybody", onchange: () => set("everybody", box.checked) });
    controls.push(() => (box.checked = wish.everybody));
    return el("label", { class: "check" }, box, " choose also among those that are out");
  }

  function update() {
    for (const show of controls) show();
    redraw();
    const columns = columnsOf(data, wish);
    const asked = { preference: preferenceOf(wish), risk: riskOf(wish), columns, machines: wish.machines };
    const began = performance.now();
    let found = null;
    try {
      found = choose(belief, asked, SHOWN);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    place.dataset.milliseconds = (performance.now() - began).toFixed(2);
    if (found === null) {
      now.replaceChildren();
      verdict.replaceChildren(el("p", { class: "why" }, "No budget counts yet: draw some weight into the picture."));
    } else {
      now.replaceChildren("Choose ", ...choiceName(data, found.candidates[0].members));
      showVerdict(verdict, data, belief, wish, found);
    }
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      spoken.textContent = ["choice", "for"].map((each) => verdict.querySelector(`.${each}`)?.textContent ?? "").join(" ");
      history.replaceState(null, "", `#${written(wish)}`);
    }, 300);
  }

  addEventListener("hashchange", () => {
    if (!location.hash.includes("kind=")) return; // a link within the page
    Object.assign(wish, recalled(location.hash.slice(1), grid));
    update();
  });
  update();
}

// The members of a choice, with their marks.
function choiceName(data, members) {
  return members.flatMap(({ algorithm, count }, k) => [
    ...(k ? [el("span", { class: "plus" }, " + ")] : []),
    el(
      "span",
      { class: "marked" },
      swatch(data.looks[algorithm]),
      count > 1 ? el("span", { class: "times" }, `${count} × `) : null,
      named(data, algorithm),
    ),
  ]);
}

function showVerdict(place, data, belief, wish, found) {
  const [best, next] = found.candidates;
  const team = wish.machines > 1;
  const value = (number) => (team ? number.toFixed(3) : percent(number));
  const cell = (key, label, text) =>
    el("div", null, el("dt", null, label), el("dd", null, el("data", { value: best[key], "data-figure": key }, text)));
  const remarks = [];
  if (next) remarks.push(...["Next comes ", ...choiceName(data, next.members), ". "]);
  if (team && found.exhaustive && (wish.risk === "expected" || wish.risk === "best")) {
    remarks.push("When only the sum over the machines counts, copies of the best algorithm are the best team. ");
  }
  if (best.members.length > 1) {
    remarks.push("In hindsight copies of one algorithm would be best, but nobody knows which: a mixed team spreads that risk. ");
  }
  if (!found.exhaustive) remarks.push("There are too many teams to compare them all; this is the best that a search met. ");
  if (found.mass < 0.99) remarks.push(`Only ${percent(found.mass, 0)} of these budgets were observed; the others are left out. `);
  if (!data.diagnostics.reliable) remarks.push("The posterior is not reliable. ");
  const rows = found.candidates.map((each) => {
    const lowest = Math.min(...found.candidates.map(({ lower }) => lower));
    const highest = Math.max(...found.candidates.map(({ upper }) => upper));
    const at = (number) => `${(100 * (number - lowest)) / (highest - lowest || 1)}%`;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, ...choiceName(data, each.members)),
      el(
        "td",
        { class: "interval", "--from": at(each.lower), "--to": at(each.upper), "--mean": at(each.expected), "--c": data.looks[each.members[0].algorithm][0] },
        el("span", { class: "unseen" }, `${value(each.expected)}, from ${value(each.lower)} to ${value(each.upper)}`),
        el("span", { class: "range" }),
        el("span", { class: "mean" }),
      ),
      el("td", null, percent(each.probabilityBest, 0)),
    );
  });
  const code = inPython(wish, belief.grid, wish.everybody ? null : data.candidates.map((k) => data.names[k]));
  const open = place.querySelector("details")?.open ?? false;
  place.replaceChildren(
    el("p", { class: "eyebrow" }, "Choose"),
    el("p", { class: "choice" }, ...choiceName(data, best.members)),
    el("p", { class: "for" }, worded(wish, belief.grid, data.unit)),
    el(
      "dl",
      { class: "figures" },
      cell("probabilityBest", "probability of being the best choice", chance(best.probabilityBest)),
      cell("expected", team ? "strength of the team" : "chance of being first", value(best.expected)),
      cell("lower", `when things go badly (${percent(found.level, 0)})`, value(best.lower)),
      cell("regret", "regret", value(best.regret)),
    ),
    el("p", { class: "why" }, ...remarks),
    found.candidates.length > 1
      ? el(
          "table",
          { class: "ranking" },
          el("caption", null, found.compared > SHOWN ? `The best ${SHOWN} of ${WHOLE.format(found.compared)}` : `All ${found.compared}`),
          el(
            "thead",
            null,
            el("tr", null, el("th", { scope: "col" }, "choice"), el("th", { scope: "col" }, team ? "strength" : "chance of being first"), el("th", { scope: "col" }, "best")),
          ),
          el("tbody", null, ...rows),
        )
      : null,
    el("details", { open }, el("summary", null, "The same in Python"), el("code", { class: "python" }, code)),
  );
}
