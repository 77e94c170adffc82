// In which order the tiles of a product are computed, and what the tiles at one time share.
kit.rules.order = ({ order, group, n, bm, bn, sms, wave }) => {
  const LEFT = 4, TOP = 22, BAND = 84, SIDE = 320, down = n / bm, across = n / bn;
  const count = down * across, tiles = [];
  if (order === "hilbert") {
    const side = max(down, across);
    for (let d = 0; d < side * side; d++) {
      let row = 0, col = 0;
      for (let size = 1, left = d; size < side; size *= 2, left >>= 2) {
        const lower = left >> 1 & 1, right = (left ^ lower) & 1;
        if (!right) {
          if (lower) [row, col] = [size - 1 - row, size - 1 - col];
          [row, col] = [col, row];
        }
        row += size * lower;
        col += size * right;
      }
      if (row < down && col < across) tiles.push([row, col]);
    }
  } else for (let k = 0; k < count; k++) {
    const high = order === "rows" ? 1 : group, top = floor(k / (high * across)) * high;
    const deep = min(high, down - top), inside = k - top * across;
    tiles.push([top + inside % deep, floor(inside / deep)]);
  }
  const some = (from, axis) => new Set(tiles.slice(from, from + sms).map(tile => tile[axis]));
  const waves = ceil(count / sms), here = min(wave, waves), first = (here - 1) * sms;
  let total = 0;
  for (const k of span(0, waves)) {
    total += 2 * n * (bm * some(k * sms, 0).size + bn * some(k * sms, 1).size);
  }
  const mine = tiles.slice(first, first + sms);
  const sorted = values => [...values].sort((a, b) => a - b);
  const aRows = sorted(some(first, 0)), bCols = sorted(some(first, 1));
  const read = 2 * n * (bm * aRows.length + bn * bCols.length);
  const alone = 2 * n * (bm + bn) * mine.length;
  const name = { rows: "row after row", groups: `groups of ${several(group, "row")}`,
    hilbert: "Hilbert's curve" }[order];
  const said = `${several(count, "tile")} of ${bm} × ${bn}, ${name}, ${several(sms, "tile")} at `
    + `once: wave ${here} of ${waves} has ${several(mine.length, "tile")}, in `
    + `${several(aRows.length, "row")} and ${several(bCols.length, "column")} of tiles. What it `
    + `reads is ${amount(read, "B")} of A and B in bfloat16, and each byte is used `
    + `${short(alone / read)} times. All waves read ${amount(total, "B")}.`;

  const runs = values => values.reduce((found, value) => {
    const last = found.at(-1);
    if (last && last[0] + last[1] === value) last[1]++;
    else found.push([value, 1]);
    return found;
  }, []);
  const x = LEFT + BAND, y = TOP + BAND, high = SIDE / down, wide = SIDE / across;
  let hot = "", grid = "";
  for (const row of aRows) {
    const cols = sorted(mine.filter(tile => tile[0] === row).map(tile => tile[1]));
    for (const [k, many] of runs(cols)) hot += box(x + wide * k, y + high * row, wide * many, high);
  }
  if (min(high, wide) >= 4) {
    grid += span(1, across).map(k => `M${at(x + wide * k)} ${y}v${SIDE}`).join("");
    grid += span(1, down).map(k => `M${x} ${at(y + high * k)}h${SIDE}`).join("");
  }
  const path = "M" + mine.map(([row, col]) =>
    `${at(x + wide * (col + .5))} ${at(y + high * (row + .5))}`).join("L");
  return {
    read, alone, total, waves, tiles: mine, said, height: y + SIDE + 22,
    paths: [
      ["w-grid", grid],
      ["w-used", runs(aRows).map(([k, many]) => box(LEFT, y + high * k, BAND - 8, high * many))
        .join("") + runs(bCols).map(([k, many]) => box(x + wide * k, TOP, wide * many, BAND - 8))
        .join("")],
      ["w-hot", hot],
      ["w-frame", box(LEFT, y, BAND - 8, SIDE) + box(x, TOP, SIDE, BAND - 8)
        + box(x, y, SIDE, SIDE)],
      ["w-frame", mine.length > 1 ? path : ""],
    ],
    texts: [
      [x, 14, `B: ${several(bCols.length, "column")} of ${across}`, ""],
      [LEFT, y - 22, `A: ${several(aRows.length, "row")}`, ""],
      [LEFT, y - 7, `of ${down}`, ""],
      [x, y + SIDE + 17, `C: wave ${here} of ${waves}`, ""],
    ],
  };
};
