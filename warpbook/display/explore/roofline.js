// The least time of a kernel: what memory takes, what arithmetic takes, and the larger of them.
kit.rules.roofline = ({ flops, bytes, gpu }, rates) => {
  const LEFT = 52, WIDE = 364, TOP = 22, HIGH = 200;
  const [copy, fma, source] = rates[gpu], ridge = fma / copy, intensity = flops / bytes;
  const memory = bytes / (copy * 1e9), arithmetic = flops / (fma * 1e9);
  const least = max(memory, arithmetic), rate = flops / least / 1e9;
  const limit = arithmetic >= memory ? "arithmetic" : "memory";
  const seconds = value => {
    for (const [factor, unit] of [[1, "s"], [1e3, "ms"], [1e6, "µs"]]) {
      if (value * factor >= .9995) return `${short(value * factor)} ${unit}`;
    }
    return `${short(value * 1e9)} ns`;
  };
  const said = `${amount(flops, "FLOP")} and ${amount(bytes, "B")}: ${short(intensity)} flops a `
    + `byte. The ridge of this ${gpu} (${source}: ${num(copy)} GB/s, ${short(fma / 1000)} TFLOP/s) `
    + `is at ${short(ridge)}, so ${limit} limits. T = max(${seconds(arithmetic)} of arithmetic, `
    + `${seconds(memory)} of memory) = ${seconds(least)} at least, ${amount(rate * 1e9, "FLOP/s")} `
    + "at most.";

  // Both axes are logarithmic; a decade begins at a whole power of ten.
  let low = -2, high = 4, top = 1, foot = 0;
  while (flops * 10 ** -low < bytes) low--;
  while (bytes * 10 ** high < flops) high++;
  while (10 ** top < fma * 1.1) top++;
  while (10 ** foot > copy * intensity || 10 ** (foot - low) > copy) foot--;
  const bottom = TOP + HIGH;
  const x = value => LEFT + WIDE * (log10(value) - low) / (high - low);
  const y = value => TOP + HIGH * (top - log10(value)) / (top - foot);
  const corner = (value, height) => `${at(x(value))} ${at(y(height))}`;
  const start = 10 ** low, end = 10 ** high, knee = corner(ridge, fma);
  const here = [x(intensity), y(rate)];
  const slope = `M${corner(start, copy * start)}L${knee}`, roof = `M${knee}L${corner(end, fma)}`;
  const texts = [[47, 13, "FLOP/s", "w-end"]];
  for (const k of span(low, high + 1, ladderOf((high - low) / 7))) {
    texts.push([at(LEFT + WIDE * (k - low) / (high - low)), bottom + 18,
      k >= -3 && k <= 5 ? short(10 ** k) : `1e${k}`, "w-mid"]);
  }
  for (const k of span(foot, top + 1, ladderOf((top - foot) / 7))) {
    texts.push([47, at(y(10 ** k) + 4.5), amount(10 ** (k + 9), "").trim(), "w-end"]);
  }
  texts.push([LEFT + WIDE / 2, bottom + 34, "flops a byte", "w-mid"]);
  texts.push([LEFT + WIDE - 6, at(y(fma) - 7), `${short(fma / 1000)} TFLOP/s`, "w-end"]);
  const middle = Math.sqrt(start * ridge);
  texts.push([at(x(middle) - 9), at(y(copy * middle) - 4), `${num(copy)} GB/s`, "w-end"]);
  const right = here[0] > LEFT + WIDE * .6;
  const side = at(here[0] + (right ? -9 : 9)), bold = right ? "w-end w-bold" : "w-bold";
  if (limit === "memory") texts.push([side, at(min(here[1] + 19, bottom - 25)), amount(rate * 1e9, "FLOP/s"), bold]);
  texts.push([side, bottom - 7, short(intensity), bold]);
  const bars = {};
  [["Arithmetic", "orange", arithmetic], ["Memory", "blue", memory]].forEach(
    ([name, colour, time], k) => {
      const height = bottom + 46 + 24 * k, wide = 250 * time / least;
      bars[colour] = box(86, height, max(wide, .5), 16);
      texts.push([80, height + 13, name, "w-end"]);
      texts.push([at(92 + wide), height + 13, seconds(time), time === least ? "w-bold" : ""]);
    });
  return {
    intensity, ridge, limit, memory, arithmetic, least, said, height: bottom + 92,
    paths: [
      ["w-used", `${slope}V${bottom}H${LEFT}z`],
      ["w-hot", `${roof}V${bottom}H${at(x(ridge))}V${at(y(fma))}z`],
      ["w-grid", `M${LEFT} ${TOP}V${bottom}h${WIDE}`],
      ["w-next", line(...here, here[0], bottom) + line(LEFT, here[1], ...here)],
      ["w-blue", slope], ["w-orange", roof], ["w-dot", dot(...here)],
      ["w-used", bars.blue], ["w-hot", bars.orange],
    ],
    texts,
  };
};
