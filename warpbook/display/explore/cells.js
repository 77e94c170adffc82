// Rows of 32 cells, each [name, thick frames, [first cell, cells, first lane]]. Cells are counted in
// quarters where what a lane reads is smaller than a cell.
const who = lanes => lanes[0] + (lanes.length > 1 ? "+" : "");
const cells = (unit, every, step, pitch, rows, tail) => {
  const X = x => 46 + 12 * x, Y = y => 20 + pitch * y, ticks = span(every, 32, every);
  const box = (x, width, y) => `M${X(x)} ${Y(y)}h${12 * width}v15H${X(x)}z`;
  const texts = [0, ...ticks].map(x => [X(x), 13, String(step * x), ""]);
  texts.push([41, 13, unit, "w-end"]);
  let lines = "", moved = "", used = "";
  rows.forEach(([name, boxes, runs], y) => {
    lines += box(0, 32, y);
    for (const [x, width] of boxes) moved += box(x, width, y);
    texts.push([41, Y(y) + 12, String(name), "w-end"]);
    let last = -4, end = -1;
    for (const [x, width, lane] of runs) {
      used += box(x, width, y);
      // A number may reach into the cells behind it, never into another number.
      if (width > 1 || x >= last + 4 || (x >= last + 2 && x > end)) {
        texts.push([X(x) + 2, Y(y) + 12, lane, ""]);
        last = x;
      }
      end = x + width;
    }
  });
  const bottom = Y(rows.length);
  for (const x of ticks) lines += `M${X(x)} 20V${bottom - pitch + 15}`;
  if (tail) texts.push([46, bottom + 10, tail, ""]);
  const paths = [["w-lines", lines], ["w-moved", moved], ["w-used", used]];
  return { height: bottom + (tail ? 16 : 2), paths, texts };
};
