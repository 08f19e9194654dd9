// Formatting of numbers.

const DIGITS = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumSignificantDigits: 3 });

const PERCENT = "\u00a0%"; // no-break space: the sign stays with its number

// Format a budget or a cost: three significant digits, or all digits of a whole number.
function amount(value) {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? WHOLE.format(value) : DIGITS.format(value);
}

function brief(value) {
  return Math.abs(value) >= 10_000 ? SHORT.format(value).toLowerCase().replace("m", " M") : amount(value);
}

function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)}${PERCENT}`;
}

// Format a probability estimated from draws: 0 or 1 is not certain, so it becomes "< 0.1 %" or "> 99.9 %".
function chance(share) {
  if (share > 0.999) return `> 99.9${PERCENT}`;
  return share < 0.001 ? `< 0.1${PERCENT}` : percent(share);
}

function several(count, one, many) {
  return `${WHOLE.format(count)} ${count === 1 ? one : (many ?? `${one}s`)}`;
}

function shortened(text, letters) {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, Math.max(1, letters - 1)).join("").trimEnd()}…`;
}

function rounded(value, digits = 3) {
  return Number(value.toPrecision(digits));
}
