// A small cache that gives up its oldest line, and an array that is read through it in some order.
// No rule of the emulator stands behind it, which has no caches: real ones are neither so simple.
kit.rules.cache = ({ order, rows, line, lines, stay, step }) => {
  const orders = kit.fields.cache.order[1];
  const COLS = 16, ROUNDS = 4, LEFT = 6, TOP = 20, WIDE = 27, HIGH = 15, DEEP = 48;
  const wide = +order.match(/\d/) || COLS, high = order.startsWith("tile") ? wide : rows;
  const walk = [];
  for (let top = 0; top < rows; top += high) {
    for (let left = 0; left < COLS; left += wide) {
      const part = span(top, min(top + high, rows)).flatMap(row =>
        span(left, left + wide).map(col => COLS * row + col));
      if (order === "columns") part.sort((x, y) => x % COLS - y % COLS || x - y);
      for (const turn of span(0, ROUNDS)) {
        walk.push(...(order === "back" && turn % 2 ? [...part].reverse() : part));
      }
    }
  }
  // Boxes [x, y, width, height] that cover all places of a value, each place once.
  const areas = (grid, value) => {
    const width = grid[0].length, left = grid.map(row => row.map(cell => cell === value));
    const found = [];
    left.forEach((row, y) => span(0, width).forEach(x => {
      if (!row[x]) return;
      let end = x, low = y;
      while (end < width && row[end]) end++;
      while (low < left.length && left[low].slice(x, end).every(cell => cell)) {
        left[low++].fill(false, x, end);
      }
      found.push([x, y, end - x, low - y]);
    }));
    return found;
  };
  // kept: lines, the oldest first. last, of each element's last read: 1 a hit, 2 a miss.
  const total = walk.length, size = COLS * rows / line;
  const staying = ceil(stay * size / 8), done = floor(step * rows / 4), kept = new Set();
  const last = span(0, rows).map(() => Array(COLS).fill(0));
  const missed = Array(64).fill(0);
  let passing = -1;
  walk.slice(0, done).forEach((element, k) => {
    const here = floor(element / line), hit = kept.has(here) || here === passing;
    passing = here < staying ? -1 : here;
    if (here < staying) {
      kept.delete(here);
      kept.add(here);
      if (kept.size > lines) kept.delete(kept.values().next().value);
    }
    missed[floor(k / rows)] += +!hit;
    last[floor(element / COLS)][element % COLS] = 2 - hit;
  });
  const misses = missed.reduce((x, y) => x + y), hits = done - misses;

  const part = [...new Set(span(0, min(high, rows)).flatMap(row =>
    span(0, wide).map(col => floor((COLS * row + col) / line))))];
  const inside = part.filter(number => number < staying).length, fits = inside <= lines;
  const name = wide === COLS ? "The whole array" : high === wide && order.startsWith("tile")
    ? `A tile of ${wide} × ${wide}` : `A strip of ${wide} columns`;
  let said = `${name} is read four times, `
    + (wide === COLS ? orders[order] : `${orders.rows}, before the next one`)
    + `. It takes ${several(part.length, "line")} of ${several(line, "element")}`;
  if (stay < 8) said += `, of which ${inside} may stay`;
  said += `, and the cache has room for ${lines}, which is ${fits ? "enough" : "too little"}`;
  if (order === "columns" && !fits && stay === 8) {
    said += `; a column takes ${several(rows, "line")}, and `
      + (rows <= lines ? "fits" : "does not fit either");
  }
  said += `. After ${done === total ? "all " : `${num(done)} of `}${num(total)} reads: `
    + `${several(hits, "hit")} and ${num(misses)} ${misses === 1 ? "miss" : "misses"}`;
  said += done === total ? `, ${short(misses / size)} for each line.` : ".";

  const bottom = TOP + HIGH * rows + 26 + DEEP;
  const element = (x, y, width, height) =>
    box(LEFT + WIDE * x, TOP + HIGH * y, WIDE * width, HIGH * height);
  const red = areas(last, 2);
  const bars = red.map(([x, y, width, height]) => span(x, x + width).map(col =>
    `M${LEFT + WIDE * col + 5} ${TOP + HIGH * y + 2}v${HIGH * height - 4}`).join("")).join("");
  const grid = span(0, COLS + 1).map(x => `M${LEFT + WIDE * x} ${TOP}v${HIGH * rows}`).join("")
    + span(0, rows + 1).map(y => `M${LEFT} ${TOP + HIGH * y}h${COLS * WIDE}`).join("")
    + [1, 2, 3].map(x => `M${LEFT + x * COLS * WIDE / 4} ${bottom}v${-DEEP}`).join("")
    + box(LEFT, bottom - DEEP, COLS * WIDE, DEEP);
  let curve = `M${LEFT} ${bottom}`, level = 0;
  for (const [k, count] of [...missed, 0].entries()) {
    if (count !== level) curve += `H${at(LEFT + 6.75 * k)}V${at(bottom - DEEP * count / rows)}`;
    level = count;
  }
  const outline = number => box(LEFT + WIDE * (number * line % COLS) + 1.5,
    TOP + HIGH * floor(number * line / COLS) + 1.5, WIDE * line - 3, HIGH - 3);
  const held = [...kept], full = held.length === lines, now = walk[done - 1];
  const dots = done ? box(LEFT + WIDE * (now % COLS) + 12, TOP + HIGH * floor(now / COLS) + 4, 7, 7)
    + box(LEFT + 6.75 * done / rows - 1, bottom - DEEP, 2, DEEP) : "";
  return {
    hits, misses, missed, kept: held, said, height: bottom + 2,
    paths: [
      ["w-lines", grid], ["w-used", areas(last, 1).map(area => element(...area)).join("")],
      ["w-hot", red.map(area => element(...area)).join("") + curve + "z"], ["w-orange", bars],
      ["w-frame", held.slice(+full).sort((x, y) => x - y).map(outline).join("")],
      ["w-over", full ? outline(held[0]) : ""], ["w-dot", dots],
    ],
    texts: [
      [LEFT, 13, "The array, and the lines that are in the cache now", ""],
      [LEFT, bottom - DEEP - 7, "Misses over time (at the top: every read misses)", ""],
    ],
  };
};
