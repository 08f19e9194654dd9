// The explorer: a query on one side, the recommendation on the other.

const NO_BUDGET = "No budget counts yet: draw some weight into the picture.";
const TOO_MANY =
  "The probability of being the best team needs all teams, and there are too many to compare. " +
  "Choose “On average” or “Play safe”, or fewer machines.";
const PAUSE = 300; // milliseconds without a change before the query is stored in the address and the answer is read out

function explorer(place, data, belief) {
  const { grid } = belief;
  const wish = recalled(location.hash.slice(1), grid);
  let waiting = false;
  let resting = 0;

  // Merge all changes between two frames into one update.
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  const desk = { wish, grid, unit: data.unit, changed, shows: [] };

  const picture = el("div", { class: "chart pickable", id: "explorer-chart" });
  const verdict = el("div", { class: "verdict" });
  const now = el("p", { class: "now", "aria-hidden": "true" }); // for small screens, where the recommendation is out of view
  const spoken = el("p", { class: "unseen", role: "status" });
  place.append(
    now,
    el(
      "div",
      { class: "controls" },
      choiceControl(desk, "What is the budget?", "kind", KIND_WORDS),
      picture,
      budgetControls(desk),
      choiceControl(desk, "What matters?", "risk", RISK_WORDS),
      levelControl(desk),
      choiceControl(desk, "How many machines run side by side?", "machines", MACHINE_WORDS, Number),
      ...(data.candidates.length < data.names.length ? [everybodyControl(desk)] : []),
    ),
    verdict,
    spoken,
  );
  const redraw = explorerChart(picture, data, belief, wish, changed);

  function update() {
    for (const show of desk.shows) show();
    redraw();
    const began = performance.now();
    const { found, problem } = answered(belief, wish, columnsOf(data, wish));
    place.dataset.milliseconds = (performance.now() - began).toFixed(2);
    if (found) {
      now.replaceChildren("Choose ", ...choiceName(data, found.candidates[0].members));
      showVerdict(verdict, data, belief, wish, found);
    } else {
      now.replaceChildren();
      verdict.replaceChildren(el("p", { class: "why" }, problem));
    }
    clearTimeout(resting);
    resting = setTimeout(rest, PAUSE);
  }

  function rest() {
    const said = [".choice", ".for"].map((part) => verdict.querySelector(part)?.textContent ?? "");
    spoken.textContent = said.join(" ");
    history.replaceState(null, "", `#${written(wish)}`);
  }

  addEventListener("hashchange", () => {
    if (!location.hash.includes("kind=")) return; // not a query, but a link within the page
    Object.assign(wish, recalled(location.hash.slice(1), grid));
    update();
  });
  update();
}

// Return the recommendation for a query, or the problem that prevents one.
function answered(belief, wish, columns) {
  const asked = { preference: preferenceOf(wish), risk: riskOf(wish), columns, machines: wish.machines };
  try {
    const found = choose(belief, asked, SHOWN);
    return found ? { found } : { problem: TOO_MANY };
  } catch (error) {
    if (error instanceof RangeError) return { problem: NO_BUDGET };
    throw error;
  }
}
