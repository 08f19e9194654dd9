// Elements of the page. Text is always inserted as text, so that no name can inject markup.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Build a short line in the style of an algorithm.
function swatch([colour, dashes]) {
  const line = svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, "stroke-dasharray": dashes || null });
  return svg("svg", { class: "swatch", width: 24, height: 10, "aria-hidden": "true", "--c": colour }, line);
}

// Build the name of an algorithm, isolated from the direction of the surrounding text.
function named(data, algorithm) {
  return el("bdi", { class: "name" }, data.names[algorithm]);
}

function marked(data, algorithm) {
  return el("span", { class: "marked" }, swatch(data.looks[algorithm]), named(data, algorithm));
}

// Build one bar per algorithm, filled to its share of the full length, with the number.
function bars(data, label, rows) {
  const items = rows.map(([algorithm, share, figure]) =>
    el(
      "li",
      null,
      marked(data, algorithm),
      el("span", { class: "bar", "--c": data.looks[algorithm][0], "--share": `${100 * share}%` }, el("span")),
      el("span", { class: "figure" }, figure),
    ),
  );
  return el("ul", { class: "bars", "aria-label": label }, ...items);
}

// Build a legend of buttons that highlight one algorithm of a chart.
function legend(place, data, algorithms, figure) {
  let held = null;
  const show = (algorithm) => {
    figure.classList.toggle("dimmed", algorithm !== null);
    for (const line of figure.querySelectorAll("[data-algorithm]")) {
      line.classList.toggle("front", line.getAttribute("data-algorithm") === String(algorithm));
    }
  };
  const buttons = algorithms.map((algorithm) => {
    const button = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onpointerenter: () => show(algorithm),
        onpointerleave: () => show(held),
        onclick: () => {
          held = held === algorithm ? null : algorithm;
          buttons.forEach((each, i) => each.setAttribute("aria-pressed", String(algorithms[i] === held)));
          show(held);
        },
      },
      swatch(data.looks[algorithm]),
      named(data, algorithm),
    );
    return button;
  });
  place.replaceChildren(...buttons.map((button) => el("li", null, button)));
  return () => show(held);
}
