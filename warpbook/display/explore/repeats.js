// Two kernels that are timed again and again: what a minimum, a median and a mean make of it.
kit.rules.repeats = ({ difference, scatter, outliers, drift, runs, order, seed }) => {
  const BASE = 24000, LEFT = 46, WIDE = 394, TOP = 38, HIGH = 170, turns = order === "turns";
  // A number of 32 bits that seems to have nothing to do with k, by whole numbers alone.
  const random = k => {
    for (const factor of [0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35]) {
      k = Math.imul(k, factor) >>> 0;
      k = (k ^ k >>> 15) >>> 0;
    }
    return k;
  };
  const decimal = (whole, digits) => `${floor(whole / 10 ** digits)}.`
    + `${whole % 10 ** digits}`.padStart(digits, "0");
  // The runs of A and of B: when, and how many ns without scatter, with it, with outliers.
  const series = [0, 1].map(who => span(0, runs).map(k => {
    const base = BASE - 24 * difference * who, when = turns ? 2 * k + who : who * runs + k;
    const truth = base + floor(base * drift * when / (1000 * (2 * runs - 1)));
    const [word, other] = [0, 1].map(j => random(seed * 1024 + who * 512 + 2 * k + j));
    // The sum of four bytes is nearly normal; its p20 and its p80 lie 256 apart.
    const off = (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >>> 24) - 510;
    const usual = truth + (48 * off * scatter + 256 >> 9);
    const late = other % 100 < outliers ? 2400 + (other >>> 8) % 12000 : 0;
    return [when, truth, usual, usual + late];
  }));
  const ranks = series.map(one => one.map(run => run[3]).sort((x, y) => x - y));
  const ranked = [
    ["minimum", ...ranks.map(r => r[0]), 1],
    ["median", ...ranks.map(r => r[floor((runs - 1) / 2)] + r[floor(runs / 2)]), 2],
    ["mean", ...ranks.map(r => r.reduce((x, y) => x + y)), runs],
  ];
  const bottom = TOP + HIGH;
  const texts = [[190, "A, µs"], [265, "B, µs"], [335, "faster"], [440, "times as fast"]].map(
    ([x, words]) => [x, bottom + 42, words, "w-end"]);
  const verdicts = ranked.map(([name, a, b, over], k) => {
    const y = bottom + 62 + 20 * k, less = min(a, b), more = max(a, b);
    const faster = b < a ? "B" : a < b ? "A" : "neither";
    const ratio = decimal(floor((2000 * more + less) / (2 * less)), 3);
    const mean = ns => decimal(floor((ns + 5 * over) / (10 * over)), 2);
    texts.push([LEFT, y, name, ""], [190, y, mean(a), "w-end"], [265, y, mean(b), "w-end"],
      [335, y, faster, "w-end w-bold"], [440, y, ratio, "w-end"]);
    return `by the ${name} ${faster} is ${a === b ? "faster" : `${ratio} times as fast`}`;
  });
  const said = `B takes ${difference ? `${difference / 10} % less time than` : "as long as"} A. `
    + `After ${several(runs, "run")} of ${turns ? "each in turns" : `A and then ${runs} of B`}, `
    + `${verdicts.join(", ")}.`;

  const usual = series.flat().flatMap(run => [run[1], run[2]]);
  const room = 60 + floor((max(...usual) - min(...usual)) / 12);
  const low = min(...usual) - room, high = max(...usual) + room;
  const across = when => LEFT + WIDE * (2 * when + 1) / (4 * runs);
  const down = ns => TOP + HIGH * (high - ns) / (high - low);
  const dots = ["", ""], middles = ["", ""];
  let ideal = "", above = 0, grid = "";
  series.forEach((one, who) => {
    for (const [when, , , ns] of one) {
      const x = across(when), y = ns > high ? TOP - 10 : down(ns);
      above += ns > high;
      dots[who] += who ? `M${at(x)} ${at(y - 4)}l4 4l-4 4l-4-4z` : box(x - 3, y - 3, 6, 6);
    }
    const [first, last] = [one[0], one[runs - 1]];
    ideal += line(across(first[0]), down(first[1]), across(last[0]), down(last[1]));
    const y = down(ranked[1][1 + who] / 2);
    middles[who] = line(across(first[0]) - 3, y, across(last[0]) + 3, y);
  });
  texts.push([LEFT - 5, 13, "µs", "w-end"], [440, bottom + 15, "time", "w-end"]);
  if (above) texts.push([440, 13, `${above} above the scale`, "w-end"]);
  const step = 10 * ladderOf((high - low) / 60);
  for (const ns of span(ceil(low / step) * step, high + 1, step)) {
    const y = at(down(ns));
    grid += `M${LEFT} ${y}h${WIDE}`;
    texts.push([LEFT - 5, at(y + 4.5), decimal(floor(ns / 10), 2), "w-end"]);
  }
  return {
    series, ranked: ranked.map(([name, a, b]) => [name, a, b]), above, said,
    height: bottom + 108,
    paths: [["w-grid", grid], ["w-frame", box(LEFT, TOP - 20, WIDE, HIGH + 20)],
      ["w-next", ideal], ["w-used", dots[0]], ["w-hot", dots[1]], ["w-blue", middles[0]],
      ["w-orange", middles[1]]],
    texts,
  };
};
