// Risk attitudes; mirrors polarbear/selection/risk.py.
//
//   { kind: "best" } | { kind: "expected" } | { kind: "quantile", level } | { kind: "loss" }

function mean(values) {
  let sum = 0;
  for (let d = 0; d < values.length; d++) sum += values[d];
  return sum / values.length;
}

// Return a quantile as numpy.quantile defines it. Reorders the values.
function quantile(values, level) {
  const place = level * (values.length - 1);
  const below = Math.floor(place);
  const low = smallest(values, below);
  if (below === values.length - 1) return low;
  let high = Infinity;
  for (let d = below + 1; d < values.length; d++) if (values[d] < high) high = values[d];
  return low + (place - below) * (high - low);
}

// Return the value that sorting would put at a place. Reorders the values: smaller ones before it, larger ones after it
// (Hoare's quickselect).
function smallest(values, place) {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = values[(left + right) >> 1];
    let [i, j] = [left - 1, right + 1];
    for (;;) {
      do i++; while (values[i] < pivot);
      do j--; while (values[j] > pivot);
      if (i >= j) break;
      const held = values[i];
      values[i] = values[j];
      values[j] = held;
    }
    if (place <= j) right = j;
    else left = j + 1;
  }
  return values[place];
}
