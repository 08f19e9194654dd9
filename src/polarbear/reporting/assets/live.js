// While a race runs, its page is rewritten after each round. The page reloads itself, but not while the reader uses it.

const QUIET = 3000; // milliseconds without input before the page may reload

function keepPlace() {
  const key = `polarbear:${location.pathname}`;
  try {
    const place = Number(sessionStorage.getItem(key));
    if (place) scrollTo({ top: place, behavior: "instant" });
    addEventListener("pagehide", () => sessionStorage.setItem(key, String(scrollY)));
  } catch {
    // A browser may deny local files its storage; the page then starts at the top.
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
