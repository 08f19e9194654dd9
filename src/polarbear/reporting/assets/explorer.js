// The explorer: a wish on one side, the recommendation on the other.

const PAUSE = 300; // milliseconds of rest after which the wish is remembered and the answer read out

function explorer(place, data, belief) {
  const { grid } = belief;
  const wish = recalled(location.hash.slice(1), grid);
  let waiting = false;
  let resting = 0;

  // Many changes between two frames are one.
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
  const now = el("p", { class: "now", "aria-hidden": "true" }); // for small screens, where the verdict is out of sight
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
    const found = answered(belief, wish, columnsOf(data, wish));
    place.dataset.milliseconds = (performance.now() - began).toFixed(2);
    if (found) {
      now.replaceChildren("Choose ", ...choiceName(data, found.candidates[0].members));
      showVerdict(verdict, data, belief, wish, found);
    } else {
      now.replaceChildren();
      verdict.replaceChildren(el("p", { class: "why" }, "No budget counts yet: draw some weight into the picture."));
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
    if (!location.hash.includes("kind=")) return; // a link within the page
    Object.assign(wish, recalled(location.hash.slice(1), grid));
    update();
  });
  update();
}

// The choice that a wish leads to; null where no budget counts.
function answered(belief, wish, columns) {
  const asked = { preference: preferenceOf(wish), risk: riskOf(wish), columns, machines: wish.machines };
  try {
    return choose(belief, asked, SHOWN);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
