// Two attentions over different keys become one over all: results, log-sum-exps, weights.
kit.rules.merge = ({ row, first, way }) => {
  const { exp, log } = Math, none = -Infinity;
  const scores = {
    mixed: [1, 0, 2, 1, 3, 0, 2, 4, 1, 0, 2, 1],
    equal: Array(12).fill(1),
    peak: [0, 1, 0, 7, 1, 0, 0, 1, 0, 1, 0, 1],
    large: [91, 90, 92, 91, 93, 90, 92, 94, 91, 90, 92, 91],
    masked: [1, 0, 2, 1, 3, 0, 2, 4, none, none, none, none],
  }[row];
  const values = [2, 4, 1, 3, 5, 2, 8, 6, 9, 7, 5, 8];  // of the keys, one element each
  // [log-sum-exp, result] of an attention over some keys; zero where there is none.
  const part = (from, end) => {
    const mine = scores.slice(from, end), top = max(none, ...mine);
    if (top === none) return [none, 0];
    let total = 0, out = 0;
    mine.forEach((s, k) => {
      total += exp(s - top);
      out += exp(s - top) * values[from + k];
    });
    return [top + log(total), out / total];
  };
  // [log-sum-exp, result, weight of a, weight of b] of two parts together.
  const merged = (a, b) => {
    const top = max(a[0], b[0]);
    if (top === none) return [top, 0, 0, 0];
    const lse = top + log(exp(a[0] - top) + exp(b[0] - top));
    const [m, n] = way === "mean" ? [.5, .5] : [exp(a[0] - lse), exp(b[0] - lse)];
    return [way === "max" ? top : lse, m * a[1] + n * b[1], m, n];
  };
  const words = v => v === 0 ? "0" : v === none ? "−∞" : v > 0 ? short(v) : "−" + short(-v);
  const percent = share => `${floor(100 * share + .5)} %`;
  const a = part(0, first), b = part(first, 12), whole = part(0, 12);
  const [lse, out, ofA, ofB] = merged(a, b);
  const how = kit.fields.merge.way[1][way];
  let said = `${how}. The first part has ${first} of 12 keys, log-sum-exp ${words(a[0])} and `
    + `result ${words(a[1])}, the second ${words(b[0])} and ${words(b[1])}. They weigh `
    + `${percent(ofA)} and ${percent(ofB)}: the result is ${words(out)}`;
  said += words(out) !== words(whole[1]) ? `, and ${words(whole[1])} would be right.`
    : ", as over all keys at once.";
  if (words(lse) !== words(whole[0])) {
    said += ` The log-sum-exp should be ${words(whole[0])}: the next merge will be wrong.`;
  }

  const finite = scores.filter(s => s > none), low = min(...finite);
  const high = max(...finite, low + 1);
  const y = s => s < low ? 78 : 64 - 56 * (s - low) / (high - low);
  const texts = [];
  let used = "", hot = "", frames = "";
  scores.forEach((score, n) => {
    const x = 34 + 34 * n, bar = box(x + 4, y(score), 26, 78 - y(score));
    if (n < first) used += bar;
    else hot += bar;
    texts.push([x + 17, 92, words(score), "w-mid"], [x + 17, 108, words(values[n]), "w-mid"]);
  });
  texts.push([30, 92, "s", "w-end"], [30, 108, "v", "w-end"]);
  for (const [left, [partLse, partOut], share] of [[34, a, ofA], [240, b, ofB]]) {
    frames += box(left + 2, 118, 198, 36);
    texts.push([left + 101, 132, `lse ${words(partLse)}, out ${words(partOut)}`, "w-mid"],
      [left + 101, 148, `weighs ${percent(share)}`, "w-mid"]);
  }
  frames += box(120, 164, 236, 22);
  texts.push([238, 179, `lse ${words(lse)}, out ${words(out)}`, "w-mid"]);
  return {
    parts: [a, b, [lse, out], whole].map(part => part.map(String)), said, height: 192,
    paths: [["w-used", used], ["w-hot", hot], ["w-frame", frames]], texts,
  };
};
