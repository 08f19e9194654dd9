// While a race runs the page is written anew after each round and loads itself again, but not under the reader's hand.

const QUIET = 3000; // milliseconds without a touch before the page may be loaded again

function keepPlace() {
  const key = `polarbear:${location.pathname}`;
  try {
    const place = Number(sessionStorage.getItem(key));
    if (place) scrollTo({ top: place, behavior: "instant" });
    addEventListener("pagehide", () => sessionStorage.setItem(key, String(scrollY)));
  } catch {
    // A browser may refuse to remember anything for files; the page then begins at its top.
  }
}

function stayLive(seconds) {
  const note = byId("live");
  note.hidden = false;
  note.textContent = "The race is running. This page renews itself after each round.";
  let touched = -Infinity;
  for (const kind of ["pointerdown", "pointermove", "keydown", "input"]) {
    addEventListener(kind, () => (touched = performance.now()), { passive: true });
  }
  const reload = () => {
    if (performance.now() - touched > QUIET) location.reload();
    else setTimeout(reload, 500);
  };
  setTimeout(reload, 1000 * seconds);
}
