// Which algorithm the area over the convergence curve (AOCC) would have chosen.

function aoccSection(data) {
  if (!data.aocc) {
    byId("aocc").remove();
    return;
  }
  const { sentence, means } = data.aocc;
  byId("aocc-text").textContent = sentence;
  const compared = means.flatMap((mean, k) => (mean === null ? [] : [[k, mean, mean.toFixed(3)]]));
  compared.sort(([, a], [, b]) => b - a);
  if (compared.length) byId("aocc-bars").replaceChildren(bars(data, "Mean AOCC by algorithm", compared));
}
