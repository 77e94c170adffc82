// Which lane of a warp holds which elements in a product of tensor cores: mma.sync and ldmatrix.
kit.rules.fragments = ({ product, matrix, lane }) => {
  // k, and the elements in a register of a and b.
  const [k, words] = { m16n8k16: [16, 2], m16n8k8: [8, 1], m16n8k32: [32, 4] }[product];
  const kind = { m16n8k16: "bf16 or f16", m16n8k8: "tf32", m16n8k32: "int8" }[product];
  const trans = matrix === "trans", loads = trans || matrix === "ldmatrix";
  // The elements, [row, column], in each register of a lane.
  const held = n => {
    const group = n >> 2, member = n % 4;
    if (matrix === "c") return span(0, 4).map(r => [[group + 8 * (r >> 1), 2 * member + r % 2]]);
    if (matrix === "a") return span(0, 4).map(r => span(0, words).map(e =>
      [group + 8 * (r % 2), words * (member + 4 * (r >> 1)) + e]));
    if (matrix === "b") return span(0, 2).map(r => span(0, words).map(e =>
      [words * (member + 4 * r) + e, group]));
    const pair = [0, 1].map(e => [group, 2 * member + e]);
    return [trans ? pair.map(([row, col]) => [col, row]) : pair];
  };
  const per = loads ? 2 : matrix === "c" ? 1 : words;
  const rows = loads ? 8 : matrix === "b" ? k : 16, cols = loads || matrix !== "a" ? 8 : k;
  const down = trans || matrix === "b", mine = held(lane);
  const numbers = (name, values) => {
    const low = values[0], high = values.at(-1);
    return low === high ? `${name} ${low}`
      : `${name}s ${low} ${high === low + 1 ? "and" : "to"} ${high}`;
  };
  const place = elements => {
    const parts = ["row", "column"].map((name, axis) => numbers(name, elements.map(e => e[axis])));
    return (down ? parts.reverse() : parts).join(", ");
  };
  const said = loads ? `ldmatrix${down ? ".trans" : ""}: of each 8 × 8 matrix of 16-bit elements, `
    + `lane ${lane} receives ${place(mine[0])}, in one register. With .x4, it gives the address of `
    + `row ${lane % 8} of matrix ${lane >> 3}.`
    : `${product}, ${kind}: lane ${lane} holds ${several(mine.length, "register")} of `
    + `${matrix.toUpperCase()}, ${several(per, "element")} in each: `
    + mine.map((e, r) => `r${r} ${place(e)}`).join("; ") + ".";

  // A box is a register of a lane. All are as wide as a register of A.
  const across = down ? 1 : per, high = down ? per : 1, left = 46, top = 20;
  const wide = 384 / (cols / across), tall = down && !loads ? 32 : 22, deep = rows / high * tall;
  const texts = [
    ...span(0, cols / across).map(c => [left + c * wide, 13, String(c * across), ""]),
    ...span(0, rows / high).map(r => [41, top + r * tall + 15, String(r * high), "w-end"]),
    [41, 13, "col", "w-end"],
  ];
  const lines = span(top + tall, top + deep, tall).map(y => `M${left} ${y}h384`).join("")
    + span(left + wide, left + 384, wide).map(x => `M${x} ${top}v${deep}`).join("");
  let hot = "";
  for (const n of span(0, 32)) held(n).forEach(([[row, col]], r) => {
    const x = left + col / across * wide, y = top + row / high * tall, here = n === lane;
    if (here) hot += box(x, y, wide, tall);
    texts.push([x + 4, y + 15, here ? `${n}: r${r}` : String(n), here ? "w-bold" : ""]);
  });
  const frames = box(left, top, 384, deep) + (loads ? "" : `M${left} ${top + deep / 2}h384`)
    + (matrix === "a" ? `M${left + 192} ${top}v${deep}` : "");
  return {
    registers: mine, said, height: top + deep + 2,
    paths: [["w-lines", lines], ["w-hot", hot], ["w-frame", frames]], texts,
  };
};
