// The best choice at each budget within each group of instances, one row per group.

sections.groups = ({ groups }, page) => {
  const row = 24;
  const height = groups.length * row + 50;
  const longest = Math.max(...groups.map(({ name, instances }) => groupLabel(name, instances).length));
  const label = () => groups.map((group) => describeGroup(group)).join(" ");
  chart(byId("groups-chart"), { height, label }, (root, width) => {
    const letters = Math.min(longest, Math.floor((0.35 * width) / LETTER));
    const area = frame(width, height, { top: 8, left: letters * LETTER + 12 }, alongGrid(page.grid), (share) => share);
    groups.forEach((group, number) => {
      const y = area.top + number * row;
      const name = shorten(groupLabel(group.name, group.instances), letters);
      root.append(svg("text", { class: "label", x: area.left - 8, y: y + 13, "text-anchor": "end" }, name));
      for (const [algorithm, start, stop, choice, certainty] of group.stretches) {
        const [from, across] = stretchExtent(area, group.stretches, start, stop);
        const look = { x: from, y, width: across, height: row - 6, rx: 2, ...stretchLook(page, algorithm) };
        root.append(svg("rect", look, svg("title", null, `${choice}: ${certainty}`)));
      }
    });
    budgetAxis(root, area, page);
  });
  const stretches = groups.flatMap((group) => group.stretches);
  const leaders = new Set(stretches.map(([algorithm]) => algorithm));
  leaders.delete(null);
  byId("groups-legend").replaceChildren(...stretchLegend(page, [...leaders], stretches));
};

function groupLabel(name, instances) {
  return `${name} (${instances})`;
}

function describeGroup({ name, stretches }) {
  return `${name}: ${stretches.map(([, , , choice]) => choice).join(", then ")}.`;
}
