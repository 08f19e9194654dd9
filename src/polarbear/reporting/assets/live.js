// While a race runs, its page is rewritten after each round. The page reloads itself, but not while the reader uses it.

const QUIET = 3000; // milliseconds without input before the page may reload

// Scroll to where the reader was before the page reloaded itself.
function restoreScroll() {
  const key = `polarbear:${location.pathname}`;
  try {
    const top = Number(sessionStorage.getItem(key));
    if (top) scrollTo({ top, behavior: "instant" });
    addEventListener("pagehide", () => sessionStorage.setItem(key, String(scrollY)));
  } catch {
    // A browser may deny local files its storage; the page then starts at the top.
  }
}

function reloadAfter(seconds) {
  const note = byId("live");
  note.hidden = false;
  note.textContent = "The race is running. This page updates itself after each round.";
  let lastInput = -Infinity;
  for (const kind of ["pointerdown", "pointermove", "keydown", "input"]) {
    addEventListener(kind, () => (lastInput = performance.now()), { passive: true });
  }
  const reload = () => {
    if (performance.now() - lastInput > QUIET) location.reload();
    else setTimeout(reload, 500);
  };
  setTimeout(reload, 1000 * seconds);
}
