// A grid on the SMs over time: full waves of blocks, and the tail.
kit.rules.waves = ({ blocks, sms, places, slow }) => {
  const LEFT = 46, WIDE = 380, TOP = 20, LOW = 56;
  const room = sms * places, full = floor(blocks / room), rest = blocks % room;
  const count = ceil(blocks / room), last = rest || room, time = count - 1 + slow;
  // The share of the places' time that so many blocks use.
  const busy = b => (b - 1 + slow) / (room * (ceil(b / room) - 1 + slow));
  const share = short(100 * busy(blocks));
  const said = `${several(blocks, "block")} on ${several(sms, "SM")} with `
    + `${several(places, "place")} each: ceil(${num(blocks)} / (${sms} × ${places})) = `
    + `${several(count, "wave")}. The last wave has ${several(last, "block")} for `
    + `${several(room, "place")}. If a block takes 1 ms${slow > 1 ? `, the last one ${slow}` : ""}, `
    + `the grid takes ${num(time)} ms; ${share} % of the places' time is used.`;

  // The timeline: an SM is a band, a place a row in it.
  const row = min(264 / sms, 44), lane = row / places, unit = WIDE / time;
  const bottom = TOP + row * sms, X = t => LEFT + unit * t;
  const place = index => TOP + index % sms * row + floor(index / sms) * lane;
  const deep = floor(rest / sms), more = rest % sms;
  const tail = places === 1 ? more ? [[0, row * more]] : []
    : span(0, deep ? sms : more).map(k => [row * k, (deep + (k < more)) * lane]);
  let hot = tail.map(([down, high]) => box(X(full), TOP + down, unit, high)).join("");
  if (slow > 1) hot += box(X(count - 1), place(last - 1), unit * slow, lane);
  let grid = unit < 4 ? "" : span(0, time + 1).map(t => `M${at(X(t))} ${TOP}V${at(bottom)}`).join("");
  const across = (height, k) => `M${LEFT} ${at(TOP + height * k)}h${WIDE}`;
  if (lane >= 4 && places > 1) grid += span(0, room).map(k => across(lane, k)).join("");
  let frame = box(LEFT, TOP, WIDE, row * sms);
  if (row >= 4) frame += span(1, sms).map(k => across(row, k)).join("");
  const texts = [];
  for (const t of span(0, time + 1, ladderOf(38 / unit))) {
    texts.push([at(X(t)), 13, num(t), t ? "w-mid" : ""]);
  }
  texts.push([LEFT + WIDE, at(bottom + 15), "time, ms", "w-end"]);
  for (const k of span(0, sms, ladderOf(15 / row))) {
    texts.push([41, at(TOP + row * (k + .5) + 4.5), k ? String(k) : "SM 0", "w-end"]);
  }
  if (room * time <= 64 && lane >= 12 && unit >= 24) {
    for (const b of span(0, blocks)) {
      texts.push([at(X(floor(b / room)) + 4), at(place(b % room) + lane / 2 + 4.5), String(b), ""]);
    }
  }

  const low = max(0, count - 12), high = max(4, count + 3), base = at(bottom + 46 + LOW);
  const point = b => [at(LEFT + WIDE * (b - low * room) / ((high - low) * room)),
    at(base - LOW * busy(b))];
  const curve = "M" + span(low, high).flatMap(w => [w * room + 1, (w + 1) * room]).map(b =>
    point(b).join(" ")).join("L");
  texts.push([LEFT, at(bottom + 35), "share used, over the blocks of the grid", ""],
    [41, at(base - LOW + 9), "100 %", "w-end"], [41, base, "0 %", "w-end"]);
  for (const w of span(low, high + 1, ladderOf((high - low) / 6))) {
    if (w) texts.push([point(w * room)[0], at(base + 15), num(w * room), "w-mid"]);
  }
  return {
    waves: count, last, time, share, said, height: at(base + 20),
    paths: [
      ["w-used", full ? box(LEFT, TOP, unit * full, row * sms) : ""],
      ["w-idle", time > full ? box(X(full), TOP, unit * (time - full), row * sms) : ""],
      [lane < 3 ? "w-tail" : "w-hot", hot], ["w-grid", grid], ["w-frame", frame],
      ["w-grid", box(LEFT, base - LOW, WIDE, LOW)], ["w-blue", curve],
      ["w-dot", dot(...point(blocks))],
    ],
    texts,
  };
};
