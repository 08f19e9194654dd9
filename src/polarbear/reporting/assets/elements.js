// Elements of the page. Text is always inserted as text, so that no name can inject markup.

// Functions (data, page) that fill the sections, by the name of the section. The script of each section adds its own.
const sections = {};

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Build a name, isolated from the direction of the surrounding text.
function nameElement(name) {
  return el("bdi", { class: "name" }, name);
}

// Build a short line in the style of an algorithm.
function swatch([colour, dashes]) {
  const line = svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, "stroke-dasharray": dashes || null });
  return svg("svg", { class: "swatch", width: 24, height: 10, "aria-hidden": "true", "--c": colour }, line);
}

// Build the name of an algorithm with its line style before it.
function algorithmLabel(page, algorithm, copies = 1) {
  return el(
    "span",
    { class: "algorithm" },
    swatch(page.looks[algorithm]),
    copies > 1 ? el("span", { class: "copies" }, `${copies} × `) : null,
    nameElement(page.names[algorithm]),
  );
}

// Build the short name of an algorithm with its line style before it, for tables and places without room for a long name.
function shortLabel(page, algorithm, copies = 1) {
  const label = algorithmLabel(page, algorithm, copies);
  label.title = page.names[algorithm];
  label.lastElementChild.textContent = page.short_names[algorithm];
  return label;
}

// Build one bar per algorithm, filled to its share of the full length, with the number.
function bars(page, label, rows) {
  const items = rows.map(([algorithm, share, figure]) =>
    el(
      "li",
      null,
      algorithmLabel(page, algorithm),
      el("span", { class: "bar", "--c": page.looks[algorithm][0], "--share": `${100 * share}%` }, el("span")),
      el("span", { class: "figure" }, figure),
    ),
  );
  return el("ul", { class: "bars", "aria-label": label }, ...items);
}

// Build a legend of buttons that highlight one algorithm of a chart. Return a function that highlights it again after the
// chart was redrawn.
function legend(place, page, algorithms, figure) {
  let pinned = null;
  const highlight = (algorithm) => {
    figure.classList.toggle("dimmed", algorithm !== null);
    for (const line of figure.querySelectorAll("[data-algorithm]")) {
      line.classList.toggle("highlighted", line.getAttribute("data-algorithm") === String(algorithm));
    }
  };
  const buttons = algorithms.map((algorithm) => {
    const button = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onpointerenter: () => highlight(algorithm),
        onpointerleave: () => highlight(pinned),
        onclick: () => {
          pinned = pinned === algorithm ? null : algorithm;
          buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(algorithms[i] === pinned)));
          highlight(pinned);
        },
      },
      swatch(page.looks[algorithm]),
      nameElement(page.names[algorithm]),
    );
    return button;
  });
  place.replaceChildren(...buttons.map((button) => el("li", null, button)));
  return () => highlight(pinned);
}
