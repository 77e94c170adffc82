// What a matrix product in tiles reads: how often, how many bytes, in how many sectors.
kit.rules.tiles = ({ bm, bn, bk, n }) => {
  const SIDE = 196, GAP = 28, left = 4, top = 20, down = n / bm, across = n / bn;
  const blocks = down * across, loads = { a: n ** 3 / bn, b: n ** 3 / bm };
  // A request reads rows of a tile: neighbours, as many as a row has and a warp has lanes.
  const lanes = min(32, bm * bn);
  const sectors = loads.a / min(8, bk, lanes) + loads.b / min(8, bn, lanes);
  const bytes = 4 * (loads.a + loads.b), shared = 4 * (bm * bk + bk * bn);
  const intensity = bm * bn / (2 * (bm + bn));
  const note = shared > 227 * 1024 ? ", more than any SM gives a block"
    : shared > 48 * 1024 ? ", more than the 48 KB that a block has without asking" : "";
  const said = `${several(blocks, "block")}: every row of A is read ${several(across, "time")}, `
    + `every column of B ${several(down, "time")}. That is ${amount(bytes, "B")} in `
    + `${several(sectors, "sector")} of 32 bytes, of which ${short(100 * bytes / 32 / sectors)} % `
    + `is used: ${short(intensity)} flops for each byte. A block's two tiles take ${num(shared)} `
    + `bytes of shared memory${note}.`;

  const far = SIDE + GAP, scale = SIDE / n, x = left + far, y = top + far;
  const row = floor(down * 5 / 8) * bm, col = floor(across * 3 / 8) * bn;
  const step = floor(n / bk * 3 / 8) * bk;
  const zoom = min(16, (SIDE - 6) / (bk + max(bm, bn))), deep = bk * zoom + 6;
  let grid = "";
  if (min(bm, bn) * scale >= 4) {
    grid += span(1, across).map(k => `M${at(x + k * bn * scale)} ${y}v${SIDE}`).join("");
    grid += span(1, down).map(k => `M${x} ${at(y + k * bm * scale)}h${SIDE}`).join("");
  }
  if (bk * scale >= 4) {
    grid += span(1, n / bk).map(k =>
      `M${at(left + k * bk * scale)} ${at(y + row * scale)}v${at(bm * scale)}`
      + `M${at(x + col * scale)} ${at(top + k * bk * scale)}h${at(bn * scale)}`).join("");
  }
  const names = [["of A", 0, deep, bk, bm], ["of B", deep, 0, bn, bk], ["of C", deep, deep, bn, bm]]
    .filter(([, , , wide, high]) => wide * zoom >= 34 && high * zoom >= 18)
    .map(([name, dx, dy, wide, high]) => [at(left + dx + wide * zoom / 2),
      at(top + dy + high * zoom / 2 + 4.5), name, "w-mid"]);
  return {
    blocks, loads, sectors, bytes, shared, flops_a_byte: intensity, said,
    height: top + far + SIDE + 4,
    paths: [
      ["w-grid", grid],
      ["w-idle", box(left, y + row * scale, SIDE, bm * scale)
        + box(x + col * scale, top, bn * scale, SIDE)],
      ["w-used", box(left + step * scale, y + row * scale, bk * scale, bm * scale)
        + box(x + col * scale, top + step * scale, bn * scale, bk * scale)
        + box(left, top + deep, bk * zoom, bm * zoom) + box(left + deep, top, bn * zoom, bk * zoom)],
      ["w-hot", box(x + col * scale, y + row * scale, bn * scale, bm * scale)
        + box(left + deep, top + deep, bn * zoom, bm * zoom)],
      ["w-frame", box(left, y, SIDE, SIDE) + box(x, top, SIDE, SIDE) + box(x, y, SIDE, SIDE)],
    ],
    texts: [
      [left, 13, `a block: ${bm} × ${bn}, in steps of ${bk}`, ""],
      [x, 13, `B, read ${several(down, "time")}`, ""],
      [left, y - 7, `A, read ${several(across, "time")}`, ""],
      [x, y - 7, `C, ${several(blocks, "block")}`, ""],
      ...names,
    ],
  };
};
