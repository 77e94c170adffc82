// Attention on one SM over time: one producer, and groups that share the tensor cores and the units
// of their softmaxes. Tile 0 of the keys has no outputs before it: scores, softmax, nothing else.
kit.rules.pipeline = ({ wait, order, groups, head }, clocks) => {
  const LEFT = 74, WIDE = 366, TOP = 20, ROW = 24, SHOWN = 9000, TILES = 48, FROM = 16;
  const product = 4 * head, turns = order === "turns" && groups > 1;
  const { maxima, powers, rest, apart, beside, crowd, copy } = clocks;
  const seen = { qk: clocks.scores, pv: clocks.outputs };
  const soft = (name, time) => ["soft", name, time];
  const find = soft("maxima", maxima), all = soft("weights", powers + rest);
  const tile = [["turn"], ["start", "qk"], ...wait === "each" ? [["wait", "qk"]] : [],
    ["start", "pv"], ["give"], ...wait === "each" || wait === "both"
      ? [["wait", "qk"], ["wait", "pv"], find, all] : wait === "behind"
        ? [["wait", "qk"], find, soft("weights", powers), ["wait", "pv"], soft("rest", apart)]
        : [["wait", "qk"], find, ["wait", "pv"], all]];
  const first = [["start", "qk"], ["wait", "qk"], find, all];
  const members = span(0, groups).map(group => ({ group, tile: 0, step: 0, left: 0, open: {},
    done: [] }));
  const queue = [], products = [], softs = [];
  let now = 0, turn = 0, busy = 0, filled = 0;
  const advance = me => {
    for (;;) {
      const steps = me.tile ? tile : first, [what, name, time] = steps[me.step];
      if (what === "turn" && turns && turn !== me.group) return;
      if (what === "give" && turns) turn = (turn + 1) % groups;
      if (what === "start") {
        const made = { group: me.group, name, tile: me.tile - (name === "pv"), asked: now,
          left: product, start: -1, end: -1 };
        queue.push(made);
        products.push(made);
        me.open[name] = made;
      }
      if (what === "wait" && !(me.open[name].end >= 0 && me.open[name].end + seen[name] <= now)) return;
      if (what === "soft") {
        if (!me.soft) {
          me.soft = { group: me.group, name, tile: me.tile, start: now, left: time };
          softs.push(me.soft);
        }
        if (me.soft.left > 0) return;
        me.soft.end = now;
        me.soft = null;
      }
      if (++me.step < steps.length) continue;
      me.step = 0;
      me.tile++;
      me.done.push(now);
    }
  };
  for (;;) {
    let before;
    do {
      before = members.map(me => [me.tile, me.step, !!me.soft, turn].join()).join();
      for (const me of members) advance(me);
    } while (before !== members.map(me => [me.tile, me.step, !!me.soft, turn].join()).join());
    if (members[0].done.length === TILES) break;
    const working = members.filter(me => me.soft);
    const slow = (queue.length ? beside : 1) * (1 + crowd * (working.length - 1));
    const next = [];
    if (queue.length) {
      if (queue[0].start < 0) queue[0].start = now;
      next.push(queue[0].left);
    }
    for (const me of working) next.push(me.soft.left * slow);
    for (const made of products.slice(-4 * groups)) {
      const known = made.end + seen[made.name];
      if (made.end >= 0 && known > now) next.push(known - now);
    }
    const passed = min(...next);
    if (members[0].done.length >= FROM) {
      busy += queue.length ? passed : 0;
      filled += working.length ? passed : 0;
    }
    now += passed;
    for (const me of working) {
      me.soft.left -= passed / slow;
      if (me.soft.left < 1e-6) me.soft.left = 0;
    }
    if (queue.length) {
      queue[0].left -= passed;
      if (queue[0].left < 1e-6) queue.shift().end = now;
    }
  }
  const marks = members[0].done, period = (marks[TILES - 1] - marks[FROM - 1]) / (TILES - FROM);
  const part = time => floor(100 * time / (now - marks[FROM - 1]) + .5);
  const share = part(busy), softly = part(filled);
  const said = `${several(groups, "group")}, a head of ${head}: in the long run `
    + `${groups > 1 ? "each" : "it"} takes a tile of keys in ${short(period)} clocks. In `
    + `${share} % of them the tensor cores multiply, in ${softly} % `
    + `${groups > 1 ? "at least one group" : "the group"} has its softmax. `
    + (share > 98 ? "The tensor cores never wait."
      : softly > 98 ? "Some group always has its softmax: that is the limit."
        : "In the rest everybody waits for something.");

  const unit = WIDE / SHOWN, colour = ["w-used", "w-hot", "w-idle"], drawn = ["", "", ""];
  const bar = (start, end, y, high) => box(LEFT + unit * start, y,
    unit * (min(end, SHOWN) - start), high);
  const texts = [[LEFT - 5, 13, "clocks", "w-end"]], names = ["copies", "products",
    ...members.map(me => `softmax ${me.group}`)];
  names.forEach((name, k) => texts.push([LEFT - 5, TOP + ROW * k + 14, name, "w-end"]));
  for (const { group, name, start, end } of products) {
    if (start < 0 || start >= SHOWN) continue;
    drawn[group] += bar(start, end < 0 ? SHOWN : end, TOP + ROW, ROW - 5);
    if (unit * product > 18 && start + product < SHOWN) {
      texts.push([at(LEFT + unit * (start + product / 2)), TOP + ROW + 14, name, "w-mid"]);
    }
  }
  for (const { group, start, end } of softs) {
    if (start >= SHOWN || end - start < 1) continue;
    drawn[group] += bar(start, end ?? SHOWN, TOP + ROW * (2 + group), ROW - 5);
  }
  // Two stages: a tile is asked for when all groups are done with the one two before it.
  const asked = span(0, 2).map(() => []);
  for (const [row, name] of ["qk", "pv"].entries()) {
    for (const k of span(0, TILES - 2)) {
      const users = products.filter(made => made.name === name && made.tile === k - 2);
      asked[row].push(k < 2 ? 0 : max(...users.map(made => made.end < 0 ? SHOWN : made.end)));
    }
  }
  let copies = "";
  asked.forEach((times, row) => times.forEach((start, k) => {
    if (start >= SHOWN || (!start && k)) return;
    copies += bar(start, start + copy, TOP + row * 10, 8);
  }));
  for (const moment of span(0, SHOWN, 2000)) {
    texts.push([at(LEFT + unit * moment), 13, num(moment), moment ? "w-mid" : ""]);
  }
  return {
    period, share, softly, asked, said, done: marks,
    height: TOP + ROW * names.length,
    paths: [["w-frame", copies], ...drawn.map((path, k) => [colour[k], path])],
    texts,
  };
};
