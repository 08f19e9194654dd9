// Which algorithm the area over the convergence curve (AOCC) would have chosen.

sections.aocc = ({ sentence, means }, page) => {
  byId("aocc-text").textContent = sentence;
  const compared = means.flatMap((mean, algorithm) => (mean === null ? [] : [[algorithm, mean, mean.toFixed(3)]]));
  compared.sort(([, a], [, b]) => b - a);
  if (compared.length) byId("aocc-bars").replaceChildren(bars(page, "Mean AOCC by algorithm", compared));
};
