// A ring of stages over time: copies fill it, products empty it, and one of the two waits.
kit.rules.ring = ({ stages, latency, gap, product, tiles }) => {
  const LEFT = 66, WIDE = 374, TOP = 20, ROW = 22, asked = [], done = [];
  let waited = 0;
  for (const tile of span(0, tiles)) {
    const ready = tile ? asked[tile - 1] + gap : 0;
    asked.push(max(ready, done[tile - stages] ?? 0));
    waited += asked[tile] - ready;
    done.push(max(asked[tile] + latency, done[tile - 1] ?? 0) + product);
  }
  const time = done[tiles - 1], share = floor((200 * tiles * product + time) / (2 * time));
  // In the long run: what a tile takes, times the stages, so that all are whole numbers.
  const period = max(stages * product, stages * gap, latency + product);
  const need = ceil((latency + product) / max(gap, product));
  let said = `${several(stages, "stage")}, ${several(tiles, "tile")}: all are multiplied after `
    + `${several(time, "unit")} of time, of which products take ${share} %. In the long run a `
    + `tile takes ${short(period / stages)}: `;
  if (period === stages * product) {
    said += "its product takes that long, and the products wait for nothing. The producer "
      + (waited ? "waits for a free stage" : "has found a free stage every time so far")
      + (stages > need ? `, and ${several(need, "stage")} would do.` : ".");
  } else if (period === stages * gap) {
    said += "copies come no faster. The products wait for them, and more stages do not help.";
  } else {
    said += `each stage is taken for ${latency} + ${product} = ${latency + product}. The products `
      + `wait for copies, and the copies for free stages; with ${several(need, "stage")} the `
      + (product >= gap ? "products would not wait." : "stages would be enough.");
  }

  const unit = WIDE / time, bottom = TOP + ROW * stages + 10;
  const bar = (start, end, y) => box(LEFT + unit * start, y, unit * (end - start), ROW - 5);
  let used = "", hot = "", idle = "";
  const texts = [[LEFT - 5, 13, "stage", "w-end"]];
  for (const tile of span(0, tiles)) {
    const y = TOP + ROW * (tile % stages), landed = asked[tile] + latency;
    const start = done[tile] - product;
    used += bar(asked[tile], landed, y);
    if (start > landed) idle += bar(landed, start, y);
    hot += bar(start, done[tile], y) + bar(start, done[tile], bottom);
    if (unit * product >= 18) texts.push([at(LEFT + unit * start + 3), bottom + 13, `${tile}`, ""]);
    if (unit * latency >= 18) texts.push([at(LEFT + unit * asked[tile] + 3), y + 13, `${tile}`, ""]);
  }
  for (const k of span(0, stages)) texts.push([LEFT - 5, TOP + ROW * k + 13, `${k}`, "w-end"]);
  texts.push([LEFT - 5, bottom + 13, "products", "w-end"]);
  for (const moment of span(0, time + 1, ladderOf(38 / unit))) {
    texts.push([at(LEFT + unit * moment), 13, num(moment), moment ? "w-mid" : ""]);
  }
  return {
    asked, done, waited, share, need, said, height: bottom + ROW,
    paths: [["w-idle", idle], ["w-used", used], ["w-hot", hot],
      ["w-frame", box(LEFT, bottom, WIDE, ROW - 5)]],
    texts,
  };
};
