// The best choice at each budget within each group of instances, one row per group.

sections.groups = ({ groups, notes }, page) => {
  byId("groups-notes").hidden = notes.length === 0;
  byId("groups-notes").replaceChildren(...notes.map((text) => el("li", null, `Note: ${text}`)));
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
      for (const [algorithm, start, stop, choice, certainty] of group.ranges) {
        const [from, across] = rangeExtent(area, group.ranges, start, stop);
        const look = { x: from, y, width: across, height: row - 6, rx: 2, ...rangeLook(page, algorithm) };
        root.append(svg("rect", look, svg("title", null, `${choice}: ${certainty}`)));
      }
    });
    budgetAxis(root, area, page);
  });
  const ranges = groups.flatMap((group) => group.ranges);
  const leaders = new Set(ranges.map(([algorithm]) => algorithm));
  leaders.delete(null);
  byId("groups-legend").replaceChildren(...rangeLegend(page, [...leaders], ranges));
};

function groupLabel({ name, instances, note }) {
  return `${name} (${instances}${note && `, ${note}`})`;
}

function describeGroup({ name, basis, ranges }) {
  return `${name} (${basis}): ${ranges.map(([, , , choice]) => choice).join(", then ")}.`;
}
