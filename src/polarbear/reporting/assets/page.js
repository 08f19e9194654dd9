// Entry point: decode the data and fill every section of the page.

const page = JSON.parse(byId("contents").textContent);
page.grid = gridOf(page.grid.budgets, page.grid.axis);
page.pairs = unpackPairs(page);
for (const text of document.querySelectorAll(page.by_pairs ? ".by-ratings" : ".by-pairs")) text.remove();
for (const [name, data] of Object.entries(page.sections)) sections[name](data, page);
listContents();
openOnPaper();
if (page.live) {
  restoreScroll();
  reloadAfter(page.live);
}
document.documentElement.dataset.ready = "";
