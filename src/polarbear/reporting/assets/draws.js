// The embedded draws. Ratings are stored as square roots in sixteen bits, so that small ones keep their digits, in the
// order (time, algorithm, draw): what one preference adds up lies side by side.

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

// The drawn ratings of one algorithm at one time.
function ratingsAt(belief, time, algorithm) {
  const start = (time * belief.algorithms + algorithm) * belief.draws;
  return belief.ratings.subarray(start, start + belief.draws);
}
