// A scan in one pass over time: tiles that load, publish, look back and store.
// A tile begins when a place is free, loads, publishes its own sum, and looks back until it knows
// what stands before it; then it publishes the sum of all up to it, and stores. A look shows what
// was published when it began. Tiles that wait for later ones act as if the last were the first.
kit.rules.lookback = ({ tiles, places, window, load, look, late, waits }) => {
  const LEFT = 46, WIDE = 380, TOP = 20, later = waits === "later";
  const hangs = later && places < tiles, third = min(2, tiles - 1);
  const slow = later ? tiles - 1 - third : third;
  const free = span(0, later ? tiles : places).map(() => 0);
  let done = [], looks = 0;
  for (const tile of span(0, tiles)) {
    free.sort((a, b) => a - b);
    const begin = free[0], alone = begin + load * (tile === slow ? late : 1);
    let now = alone, end = tile, count = 0;
    while (end > 0) {
      const began = now;
      now += look;
      count++;
      let back = 1;
      while (back <= window) {
        if (end - back < 0 || done[end - back].all <= began) { end = 0; break; }
        if (done[end - back].alone > began) break;
        back++;
      }
      if (back > window) end -= window;
    }
    looks += count;
    free[0] = now + load;
    done.push({ begin, alone, all: now, end: free[0], looks: count });
  }
  if (later) done.reverse();
  let time = max(...done.map(tile => tile.end));
  if (hangs) {
    done = done.slice(0, places).map(({ alone }) => ({ begin: 0, alone, all: 0, end: 0, looks: 0 }));
    time = max(...done.map(tile => tile.alone)) + 8 * look;
    looks = 0;
  }
  const sum = of => done.reduce((total, tile) => total + of(tile), 0);
  const waited = sum(tile => tile.all - tile.alone), spent = sum(tile => tile.end - tile.begin);
  const share = hangs ? 0 : floor((200 * waited + spent) / (2 * spent));
  let said = `${several(tiles, "tile")}, ${several(places, "block")} at once; a look shows `
    + `${several(window, "tile")}. `;
  if (hangs) {
    said += places > 1
      ? `Each waits for later tiles, and tile ${places} gets no place before one of tiles 0 `
        + `to ${places - 1} has ended. None ever does: the grid hangs.`
      : "Tile 0 waits for later tiles, and tile 1 gets no place before tile 0 has ended, "
        + "which it never does: the grid hangs.";
  } else {
    said += `All is done after ${num(time)} units of time, with ${several(looks, "look")}, at most `
      + `${max(...done.map(tile => tile.looks))} of one tile. Blocks spend ${share} % of their `
      + `time looking.`;
  }

  const row = min(264 / tiles, 22), unit = WIDE / time, X = moment => LEFT + unit * moment;
  let used = "", hot = "", idle = "", grid = "";
  done.forEach((tile, k) => {
    const y = TOP + row * k, high = row * .86, until = hangs ? time : tile.all;
    used += box(X(tile.begin), y, unit * (tile.alone - tile.begin), high);
    if (until > tile.alone) hot += box(X(tile.alone), y, unit * (until - tile.alone), high);
    if (!hangs) idle += box(X(tile.all), y, unit * (tile.end - tile.all), high);
    if (looks <= 120 && unit * look >= 4) {
      for (const n of span(1, tile.looks)) grid += `M${at(X(tile.alone + look * n))} ${at(y)}v${at(high)}`;
    }
  });
  const front = hangs ? "" : "M" + done.map((tile, k) =>
    `${at(X(tile.all))} ${at(TOP + row * (k + .43))}`).join("L");
  const bottom = TOP + row * tiles, texts = [[41, 13, "tile", "w-end"]];
  for (const moment of span(0, time + 1, ladderOf(38 / unit))) {
    texts.push([at(X(moment)), 13, num(moment), moment ? "w-mid" : ""]);
  }
  for (const k of span(0, tiles, ladderOf(15 / row))) {
    texts.push([41, at(TOP + row * (k + .43) + 4.5), String(k), "w-end"]);
  }
  texts.push([LEFT + WIDE, at(bottom + 15), "time", "w-end"]);
  return {
    time: hangs ? 0 : time, looks, share, hangs, said, height: at(bottom + 20),
    paths: [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-grid", grid],
      ["w-frame", front]],
    texts,
  };
};
