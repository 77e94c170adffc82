// Attention tile by tile: which scores exist when, which never do, which the mask cuts.
kit.rules.scores = ({ n, rows, cols, attention, step }) => {
  const LEFT = 56, TOP = 20, SIDE = 384, causal = attention === "causal";
  const blocks = ceil(n / rows), wide = ceil(n / cols), all = span(0, blocks);
  const sum = values => values.reduce((a, b) => a + b, 0);
  // A block walks over the tiles up to the last key that its last query looks at. Whole are those
  // before the first key that its first query does not look at.
  const visited = all.map(k => causal ? ceil(min(n, rows * (k + 1)) / cols) : wide);
  const whole = all.map(k => floor((causal ? min(n, rows * k + 1) : n) / cols));
  const tiles = sum(visited), cut = tiles - sum(whole), computed = tiles * rows * cols;
  const counting = causal ? n * (n + 1) / 2 : n * n, most = max(...visited);
  const now = min(step, most + 1), working = now ? visited.filter(ends => now <= ends).length : 0;
  const held = 4 * working * rows * cols;
  const name = kit.fields.scores.attention[1][attention];
  let said = `${name} attention: ${several(blocks, "block")} of ${rows} queries `
    + `${blocks === 1 ? "visits" : "visit"} ${num(tiles)} of ${several(blocks * wide, "tile")}, `
    + `and ${num(cut)} of them ${cut === 1 ? "is" : "are"} cut by the mask or the end. That is `
    + `${several(computed, "score")}, ${short(computed / counting)} for each that counts. To `
    + `write all scores down takes ${amount(4 * n * n, "B")}. `;
  if (!now) said += "Before the first step there are none.";
  else if (!working) said += `After ${several(most, "step")} all are gone.`;
  else {
    said += `In step ${now} the ${several(working, "tile")} that `
      + `${working === 1 ? "exists takes" : "exist take"} ${amount(held, "B")}.`;
  }

  const scale = SIDE / max(blocks * rows, wide * cols), edge = n * scale;
  // Boxes for [first tile, tile behind the last] of each block; equal neighbours are one.
  const bands = runs => {
    let drawn = "", last = [0, 0], begin = 0;
    [...runs, [0, 0]].forEach((run, block) => {
      if (run[0] === last[0] && run[1] === last[1]) return;
      if (last[0] < last[1]) {
        drawn += box(LEFT + last[0] * cols * scale, TOP + begin * rows * scale,
          (last[1] - last[0]) * cols * scale, (block - begin) * rows * scale);
      }
      last = run;
      begin = block;
    });
    return drawn;
  };
  let lines = "";
  if (cols * scale >= 6) {
    for (const col of span(1, wide)) {
      const top = visited.findIndex(ends => ends > col);
      lines += `M${at(LEFT + col * cols * scale)} ${at(TOP + top * rows * scale)}`
        + `V${at(TOP + blocks * rows * scale)}`;
    }
  }
  if (rows * scale >= 6) {
    for (const k of span(1, blocks)) {
      lines += `M${LEFT} ${at(TOP + k * rows * scale)}h${at(visited[k] * cols * scale)}`;
    }
  }
  const diagonal = causal ? `M${LEFT} ${TOP}L${at(LEFT + edge)} ${at(TOP + edge)}` : "";
  return {
    visited, cut, computed, counting, held, said, height: TOP + SIDE + 4,
    paths: [
      ["w-idle", bands(visited.map(ends => [0, now ? min(now - 1, ends) : 0]))],
      ["w-lines", lines],
      ["w-lines", bands(visited.map(ends => [min(now, ends), ends]))],
      ["w-used", bands(visited.map(ends => now && now <= ends ? [now - 1, now] : [0, 0]))],
      ["w-over", bands(visited.map((ends, k) => [whole[k], ends]))],
      ["w-frame", box(LEFT, TOP, edge, edge) + diagonal],
    ],
    texts: [[LEFT, 13, `keys 0 to ${num(n - 1)}`, ""],
      [LEFT - 5, TOP + 12, "queries", "w-end"]],
  };
};
