// Formatting and rounding of numbers, as in polarbear/wording.py.

const DIGITS = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumSignificantDigits: 3 });

const PERCENT = "\u00a0%"; // no-break space: the sign stays with its number

function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

function round(value, digits = 3) {
  return Number(value.toPrecision(digits));
}

// Format a budget: three significant digits, or all digits of a whole number.
function formatAmount(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? WHOLE.format(value) : DIGITS.format(value);
}

// Format a cost: three significant digits.
function formatCost(value) {
  return DIGITS.format(value);
}

// Format a budget for an axis, where there is little space: 10k, 1.5 M.
function formatTick(value) {
  return Math.abs(value) >= 10_000 ? COMPACT.format(value).toLowerCase().replace("m", " M") : formatAmount(value);
}

// Format a share as a whole percentage.
function formatPercent(share) {
  return `${(100 * share).toFixed(0)}${PERCENT}`;
}

// Format a probability that was estimated from draws: it is never certain.
function formatProbability(share) {
  if (share > 0.995) return `over 99${PERCENT}`;
  return share < 0.005 ? `below 1${PERCENT}` : formatPercent(share);
}

// Format a probability, rounded down where rounding would hide that it is below a limit.
function formatBelow(share, limit) {
  const hidden = share < limit && Math.round(100 * share) >= 100 * limit;
  return formatProbability(hidden ? Math.floor(100 * share) / 100 : share);
}

function formatCount(count, singular, plural = `${singular}s`) {
  return `${WHOLE.format(count)} ${count === 1 ? singular : plural}`;
}

function shorten(text, letters) {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, Math.max(1, letters - 1)).join("").trimEnd()}…`;
}
