// What the lanes of a warp want of a, b and c in one step of a product.
kit.rules.lanes = ({ wide, mapping, layout, step, lane }) => {
  const N = 32, CELL = 6, SIDE = N * CELL, LEFT = 4, TOP = 20, FAR = SIDE + 28;
  const all = span(0, 32), place = k => [k % wide, floor(k / wide)];
  const row = all.map(k => place(k)[mapping === "row" ? 0 : 1]);
  const col = all.map(k => place(k)[mapping === "row" ? 1 : 0]);
  const distinct = numbers => [...new Set(numbers)].sort((x, y) => x - y);
  const lines = {}, sectors = {}, touch = {};
  let grey = "", blue = "", orange = "", frame = "";
  for (const [name, down, across] of [
    ["a", k => row[k], () => step], ["b", () => step, k => col[k]], ["c", k => row[k], k => col[k]],
  ]) {
    const left = LEFT + (name === "a" ? 0 : FAR), top = TOP + (name === "b" ? 0 : FAR);
    const turned = name === "b" && layout === "columns";
    const run = (line, first, count) => turned
      ? box(left + line * CELL, top + first * CELL, CELL, count * CELL)
      : box(left + first * CELL, top + line * CELL, count * CELL, CELL);
    const floats = all.map(k => turned ? across(k) * N + down(k) : down(k) * N + across(k));
    const hit = { line: distinct(floats.map(f => f >> 5)), sector: distinct(floats.map(f => f >> 3)) };
    grey += hit.line.map(line => run(line, 0, N)).join("");
    blue += hit.sector.map(s => run(s >> 2, s % 4 * 8, 8)).join("");
    orange += distinct(floats).map(f => run(f >> 5, f % N, 1)).join("");
    frame += box(left, top, SIDE, SIDE) + run(floats[lane] >> 5, floats[lane] % N, 1);
    lines[name] = hit.line.length;
    sectors[name] = hit.sector.length;
    touch[name] = `${several(lines[name], "line")} and ${several(sectors[name], "sector")}`;
  }
  const rows = row[31] + 1, cols = col[31] + 1;
  const zoom = min(24, floor((SIDE - 32) / max(rows, cols))), high = TOP + 24;
  const near = k => box(LEFT + col[k] * zoom, high + row[k] * zoom, zoom, zoom);
  const grid = span(1, 4).map(k =>
    `M${LEFT + FAR + 48 * k} ${TOP + FAR}v${SIDE}M${LEFT + 48 * k} ${TOP + FAR}v${SIDE}`
    + (layout === "columns" ? `M${LEFT + FAR} ${TOP + 48 * k}h${SIDE}`
      : `M${LEFT + FAR + 48 * k} ${TOP}v${SIDE}`)).join("");
  return {
    lines, sectors, height: TOP + FAR + SIDE + 4,
    said: `A warp covers ${several(rows, "row")} and ${several(cols, "column")} of c. In step `
      + `${step} its load of a touches ${touch.a}, its load of b ${touch.b}: ${lines.a + lines.b} `
      + `lines for 32 multiply-adds. At the end its store to c touches ${touch.c}. Lane ${lane} `
      + `multiplies a[${row[lane]}, ${step}] by b[${step}, ${col[lane]}].`,
    paths: [["w-idle", grey], ["w-lines", grid], ["w-used", blue],
      ["w-hot", orange + all.map(near).join("")], ["w-frame", frame + near(lane)]],
    texts: [
      [LEFT, 13, "the warp, lane by lane", ""],
      [LEFT + FAR, 13, `b, stored ${kit.fields.lanes.layout[1][layout]}`, ""],
      [LEFT, TOP + FAR - 7, "a", ""], [LEFT + FAR, TOP + FAR - 7, "c", ""],
      ...(zoom < 20 ? [] : all.map(k => [LEFT + col[k] * zoom + floor(zoom / 2),
        high + row[k] * zoom + 16, String(k), "w-mid"])),
    ],
  };
};
