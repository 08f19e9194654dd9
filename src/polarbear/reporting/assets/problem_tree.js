// The tree of splits: one row per group, joined to the group that it is part of, with the choice at each budget at its right,
// or below its name where there is little room.

const INDENT = 22; // pixels per question
const WIDE = 600; // pixels from which the choices are beside the names

function drawTree(place, { rows }, page) {
  const label = () => `Tree of groups. ${rows.map(({ sentence }) => sentence).join(" ")}`;
  const rowHeight = (width) => (width < WIDE ? 62 : 44);
  const height = (width) => rows.length * rowHeight(width) + 48;
  const deepest = Math.max(...rows.map(({ depth }) => depth));
  chart(place, { height, label }, (root, width) => {
    const [wide, step] = [width >= WIDE, rowHeight(width)];
    const named = Math.max(...rows.map((row) => row.depth * INDENT + 22 + LETTER * 1.12 * rowLabel(row).length));
    const left = wide ? Math.min(named + 16, 0.45 * width) : deepest * INDENT + 20;
    const area = frame(width, height(width), { top: 6, left, bottom: 40 }, alongGrid(page.grid), (share) => share);
    const places = rows.map((row, number) => {
      const top = area.top + number * step;
      return { x: 8 + row.depth * INDENT, y: top + (wide ? 25 : 11), top };
    });
    rows.forEach((row, number) => joinToParent(root, places, row.parent, number));
    rows.forEach((row, number) => {
      const { x, y, top } = places[number];
      const letters = Math.floor(((wide ? area.left : width) - x - 26) / (1.12 * LETTER));
      const text = svg("text", { class: "label strong", x: x + 14, y: y + 4 }, shorten(row.condition, letters));
      if (row.condition.length < letters) text.append(svg("tspan", { class: "size" }, shorten(sizeText(row), letters - row.condition.length)));
      root.append(svg("circle", { class: row.parent === null || row.ranges.length === 0 ? "node split" : "node", cx: x, cy: y, r: 5 }), text);
      drawChoices(root, area, row.ranges, wide ? top : top + 18, page);
    });
    budgetAxis(root, area, page);
  });
}

function sizeText({ instances, note }) {
  return ` (${WHOLE.format(instances)}${note && `, ${note}`})`;
}

function rowLabel(row) {
  return row.condition + sizeText(row);
}

// Draw the branch from a group to the one that it is part of: down, and then to the right with a rounded corner.
function joinToParent(root, places, parent, number) {
  if (parent === null) return;
  const [from, to] = [places[parent], places[number]];
  const d = `M${from.x} ${from.y + 5}V${to.y - 6}Q${from.x} ${to.y} ${from.x + 6} ${to.y}H${to.x - 5}`;
  root.prepend(svg("path", { class: "branch", d }));
}

// Draw the choice at each budget as a band, with its name above it where there is room.
function drawChoices(root, area, ranges, top, page) {
  ranges.forEach(([algorithm, start, stop, share]) => {
    const [from, width] = rangeExtent(area, ranges, start, stop);
    const look = { x: from, y: top + 18, width, height: 14, rx: 2, ...rangeLook(page, algorithm) };
    const title = `${page.names[algorithm]}: wins on ${formatPercent(share)} of instances against its strongest rival`;
    root.append(svg("rect", look, svg("title", null, title)));
    const letters = Math.floor((width - 4) / (1.05 * LETTER));
    const name = page.names[algorithm].length <= letters ? page.names[algorithm] : page.short_names[algorithm];
    if (letters >= 4) root.append(svg("text", { class: "label", x: from, y: top + 13 }, shorten(name, letters)));
  });
}
