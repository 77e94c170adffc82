// A tree of additions over the 32 lanes of a warp: who adds what, level by level.
kit.rules.tree = ({ tree, levels, lane }) => {
  const shuffle = tree === "down" || tree === "xor", all = span(0, 32);
  const apart = level => 1 << (tree === "interleaved" ? level - 1 : 5 - level);
  // Whose value a lane adds at a level, from 1 to 5. A shuffle that reaches past the last lane gives
  // a lane its own value.
  const source = (level, n) => {  // undefined: adds nothing
    const d = apart(level);
    if (tree === "interleaved") return n % (2 * d) ? undefined : n + d;
    if (tree === "sequential") return n < d ? n + d : undefined;
    if (tree === "xor") return n ^ d;
    return n + d < 32 ? n + d : n;
  };
  let sums = all.map(n => all.map(of => +(n === of)));
  for (const level of span(1, levels + 1)) {
    const before = sums;
    sums = before.map((mine, n) => {
      const other = source(level, n);
      return other === undefined ? mine : mine.map((count, of) => count + before[other][of]);
    });
  }
  const counts = sums[lane], values = counts.filter(count => count).length;
  const often = max(...counts);
  const working = levels ? all.filter(n => source(levels, n) !== undefined).length : 0;
  const said = (shuffle ? `__shfl_${tree}_sync, 16 to 1`
    : `Shared memory, ${tree === "interleaved" ? "1 to 16" : "16 to 1"} apart`)
    + `: after ${several(levels, "level")} of 5, lane ${lane} holds `
    + (values === 1 ? "its own value" + (often > 1 ? `, ${often} times` : "")
      : `the sum of ${values} values` + (often > 1 ? ", some of them more than once" : "")) + "."
    + (levels ? ` At level ${levels}, ${several(working, "lane")} of 32 add${working > 1 ? "" : "s"}, `
      + (shuffle ? "each with one shuffle, and no barrier."
        : "each with two loads and a store, and then all wait at a barrier.") : "");

  const X = n => 46 + 12 * n, Y = level => 20 + 38 * level;
  const line = (x, y, u, v) => `M${x} ${y}L${u} ${v}`;
  const texts = span(0, 32, 4).map(n => [X(n), 13, String(n), ""]);
  texts.push([41, 13, "lane", "w-end"]);
  let used = new Set([lane]), grey = "", blue = "", idle = "", hot = "", full = "";
  for (let level = levels; level >= 0; level--) {
    const wanted = new Set(used);
    for (const n of all) {
      const cell = box(X(n), Y(level), 12, 15), other = level ? source(level, n) : undefined;
      if (used.has(n)) full += cell;
      else if (other !== undefined) hot += cell;
      else idle += cell;
      if (other === undefined) continue;
      const top = Y(level - 1) + 15, edge = line(X(other) + 6, top, X(n) + 6, Y(level));
      if (used.has(n)) {
        blue += edge + line(X(n) + 6, top, X(n) + 6, Y(level));
        wanted.add(other);
      } else grey += edge;
    }
    used = wanted;
    texts.push([41, Y(level) + 12, level ? `+${apart(level)}` : "start", "w-end"]);
  }
  return {
    values, working, counts, said, height: Y(levels) + 17,
    paths: [["w-grid", grey], ["w-lines", idle], ["w-hot", hot], ["w-used", full], ["w-blue", blue],
      ["w-frame", box(X(lane), Y(levels), 12, 15)]],
    texts,
  };
};
