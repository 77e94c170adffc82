// Words and shapes of plots.
// A number with a prefix: amount(4.2e9, "B") is "4.2 GB".
const amount = (value, unit) => {
  for (const [factor, prefix] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= .9995 * factor) return `${short(value / factor)} ${prefix}${unit}`;
  }
  return `${short(value)} ${unit}`;
};
const line = (x, y, toX, toY) => `M${at(x)} ${at(y)}L${at(toX)} ${at(toY)}`;
const dot = (x, y) => `M${at(x - 5)} ${at(y)}a5 5 0 1 0 10 0a5 5 0 1 0-10 0`;
// The smallest of 1, 2, 5, 10, 20, 50 ... that is not below a number.
const ladderOf = least => {
  let step = 1;
  for (let turn = 0; step < least; turn++) step *= turn % 3 === 1 ? 2.5 : 2;
  return step;
};
