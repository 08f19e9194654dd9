// Entry point: decode the data and fill every section of the page.

const data = JSON.parse(byId("contents").textContent);
const belief = beliefFrom(data.draws);
answerSection(data, belief);
explorer(byId("explorer-place"), data, belief);
ratingsSection(data, belief);
eliminationsSection(data);
pairsSection(data, belief);
aoccSection(data);
costSection(data, belief);
trustSection(data);
failuresSection(data);
particularsSection(data, belief);
if (data.live) {
  keepPlace();
  stayLive(data.live);
}
document.documentElement.dataset.ready = "";
