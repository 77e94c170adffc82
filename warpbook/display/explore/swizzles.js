// Where a tensor copy puts a tile's pieces of 16 bytes in shared memory, and what reads cost.
kit.rules.swizzles = ({ swizzle, access, row, column }) => {
  const LEFT = 46, WIDE = 48, TALL = 18, TOP = 34, LOW = TOP + 8 * TALL + 54;
  // Bytes of a box's row, bits of a line's number that are XORed.
  const [wide, bits] = { none: [128, 0], none64: [64, 0], none32: [32, 0], none16: [16, 0],
    "32B": [32, 1], "64B": [64, 2], "128B": [128, 3] }[swizzle];
  const place = (r, c) => {
    const at = floor(16 * c / wide) * 8 * wide + r * wide + 16 * c % wide;
    return at ^ (at >> 7 & (1 << bits) - 1) << 4;
  };
  const where = place(row, column), down = access === "row", eight = span(0, 8);
  const read = (r, c) => down ? r === row : c === column;
  const asked = eight.map(() => 0);
  for (const k of eight) asked[(down ? place(row, k) : place(k, column)) / 16 % 8]++;
  const wavefronts = max(...asked), bank = where / 4 % 32, boxes = 128 / wide;
  const said = (bits ? `Swizzle of ${wide} bytes` : "No swizzle")
    + `, ${boxes} box${boxes > 1 ? "es" : ""}: piece ${column} of row ${row} (columns `
    + `${8 * column} to ${8 * column + 7}) lies at byte ${where}, in line ${where >> 7}, banks `
    + `${bank} to ${bank + 3}. To read `
    + `${down ? `the 8 pieces of row ${row}` : `piece ${column} of all 8 rows`} takes `
    + `${several(wavefronts, "wavefront")}: `
    + `${wavefronts > 1 ? `${wavefronts}-way` : "no"} bank conflict.`;

  const X = k => LEFT + WIDE * k;
  let lines = "", frames = "", used = "", hot = "";
  for (const top of [TOP, LOW]) {
    for (const k of span(1, 8)) lines += `M${LEFT} ${top + TALL * k}h${8 * WIDE}`;
    for (const k of span(1, 8)) lines += `M${X(k)} ${top}v${8 * TALL}`;
    frames += box(LEFT, top, 8 * WIDE, 8 * TALL);
  }
  const ends = span(wide / 16, 8, wide / 16);
  for (const k of ends) frames += `M${X(k)} ${TOP}v${8 * TALL}`;
  for (const k of ends) frames += `M${LEFT} ${LOW + TALL * k}h${8 * WIDE}`;
  const texts = [[LEFT, 13, "the tile: 8 rows of 64 elements of 2 bytes", ""],
    [LEFT, LOW - 25, "shared memory: lines of 128 bytes", ""],
    [41, 29, "row", "w-end"], [41, LOW - 7, "bank", "w-end"]];
  for (const k of eight) {
    const y = TALL * k + 14;
    texts.push([X(k), 29, String(8 * k), ""], [X(k), LOW - 7, String(4 * k), ""],
      [41, TOP + y, String(k), "w-end"], [41, LOW + y, String(128 * k), "w-end"]);
  }
  for (const r of eight) for (const c of eight) {
    const there = place(r, c), x = X(there / 16 % 8), y = LOW + TALL * (there >> 7);
    const cells = box(X(c), TOP + TALL * r, WIDE, TALL) + box(x, y, WIDE, TALL);
    const mine = r === row && c === column;
    if (mine) hot += cells;
    else if (read(r, c)) used += cells;
    texts.push([x + 4, y + 14, `${r}, ${c}`, mine ? "w-bold" : ""]);
  }
  return {
    place: where, wavefronts, said, height: LOW + 8 * TALL + 2,
    paths: [["w-lines", lines], ["w-used", used], ["w-hot", hot], ["w-frame", frames]],
    texts,
  };
};
