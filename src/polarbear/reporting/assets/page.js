// Entry point: decode the data and fill every section of the page.

const page = JSON.parse(byId("contents").textContent);
page.grid = gridOf(page.grid.times, page.grid.axis);
for (const [name, data] of Object.entries(page.sections)) sections[name](data, page);
listContents();
openOnPaper();
if (page.live) {
  restoreScroll();
  reloadAfter(page.live);
}
document.documentElement.dataset.ready = "";
