// Failed runs, grouped by their error.

sections.failures = ({ total, groups }) => {
  byId("failures-text").textContent =
    `${formatCount(total, "run")} failed. ` +
    "The setting “failure”, listed below, determines how a failed run is ranked after its failure.";
  byId("failures-list").replaceChildren(...groups.map(failureGroup));
};

// Build the failed runs with the same error, and the details of the first.
function failureGroup({ algorithm, status, instances, error, traceback, output }) {
  const some = instances.slice(0, 8).join(", ") + (instances.length > 8 ? ", …" : "");
  const summary = el(
    "summary",
    null,
    nameElement(algorithm),
    `: ${status} on ${formatCount(instances.length, "instance")} (${some}): `,
    nameElement(error),
  );
  const scroll = { class: "scroll", role: "region", tabindex: "0", "aria-label": "Details" };
  const details = [error, traceback, output && `Its last output:\n${output}`].filter(Boolean).join("\n\n");
  return el("details", { class: "summary-on-paper" }, summary, el("div", scroll, el("pre", null, details)));
}
