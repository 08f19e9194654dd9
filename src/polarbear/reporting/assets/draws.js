// The embedded draws. Ratings are stored as square roots in sixteen bits, so that small ones keep their digits. The order is
// (time, algorithm, draw), so that the draws of one algorithm at one time are contiguous.

function beliefFrom({ times, axis, algorithms, draws, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const ratings = new Float64Array(bytes.length / 2);
  for (let i = 0; i < ratings.length; i++) {
    const root = view.getUint16(2 * i, true) / 65535;
    ratings[i] = root * root;
  }
  return { grid: gridOf(times, axis), algorithms, draws, ratings };
}

// Return the draws of the rating of one algorithm at one time.
function ratingsAt(belief, time, algorithm) {
  const start = (time * belief.algorithms + algorithm) * belief.draws;
  return belief.ratings.subarray(start, start + belief.draws);
}
