// The best choice at each budget within each group of instances, one row per group.

sections.groups = ({ groups, remarks }, page) => {
  byId("groups-remarks").hidden = remarks.length === 0;
  byId("groups-remarks").replaceChildren(...remarks.map((text) => el("li", null, `Remark: ${text}`)));
  const row = 24;
  const height = groups.length * row + 50;
  const longest = Math.max(...groups.map((group) => groupLabel(group).length));
  const label = () => groups.map((group) => describeGroup(group)).join(" ");
  chart(byId("groups-chart"), { height, label }, (root, width) => {
    const letters = Math.min(longest, Math.floor((0.35 * width) / LETTER));
    const area = frame(width, height, { top: 8, left: letters * LETTER + 12 }, alongGrid(page.grid), (share) => share);
    groups.forEach((group, number) => {
      const y = area.top + number * row;
      const name = shorten(groupLabel(group), letters);
      const place = { class: "label", x: area.left - 8, y: y + 13, "text-anchor": "end" };
      root.append(svg("text", place, name));
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

function groupLabel({ name, instances, note }) {
  return `${name} (${instances}${note && `, ${note}`})`;
}

function describeGroup({ name, basis, stretches }) {
  return `${name} (${basis}): ${stretches.map(([, , , choice]) => choice).join(", then ")}.`;
}
