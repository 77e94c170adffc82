// Online softmax, step by step: what a thread knows of its row after each element; the merge.
kit.rules.online = ({ row, way, threads, done }) => {
  const none = -Infinity, ways = kit.fields.online.way[1];
  const values = {
    mixed: [1, 3, 2, 0, 4, 2, -1, 3, 5, 1, 4, 0],
    rising: span(0, 12),
    falling: span(0, 12).reverse(),
    large: [84, 86, 85, 83, 88, 86, 89, 87, 90, 85, 88, 84],
    masked: [none, none, none, none, 2, 1, 3, 0, 2, 4, 1, 3],
    empty: Array(12).fill(none),
  }[row], each = 12 / threads;
  const { fround, abs } = Math, LOWEST = fround(-3.4028234663852886e38);
  const exp = value => fround(Math.exp(min(value, 700)));
  // [maximum, sum] of what a thread has seen, after one more element; of what two have seen.
  const meet = ([top, total], value) => {
    if (way !== "plain" && value > top) [total, top] = [fround(total * exp(top - value)), value];
    return [top, fround(total + exp(value - top))];
  };
  const merged = ([a, m], [b, n]) => {
    const top = way === "plain" ? a : max(a, b);
    return [top, fround(fround(m * exp(fround(a - top))) + fround(n * exp(fround(b - top))))];
  };
  const words = v => Number.isNaN(v) ? "NaN" : v === 0 ? "0"
    : abs(v) === Infinity ? (v > 0 ? "∞" : "−∞") : v === LOWEST ? "lowest"
      : abs(v) >= 1e10 ? v.toExponential(1).replace("+", "")
        : v > 0 ? short(v) : "−" + short(-v);
  const seen = min(done, each), last = each + Math.log2(threads), step = min(done, last);
  const start = { lowest: LOWEST, infinite: none, plain: 0 }[way];
  let parts = span(0, threads).map(() => [start, 0]), before = parts;
  const rescaled = new Set();
  for (const turn of span(0, seen)) {
    before = parts;
    parts = before.map((part, thread) => {
      const now = meet(part, values[thread * each + turn]);
      if (now[0] !== part[0]) rescaled.add(thread * each + turn);
      return now;
    });
  }
  for (let k = seen; k < step; k++) {
    before = parts;
    parts = span(0, before.length, 2).map(n => merged(before[n], before[n + 1]));
  }
  const finished = step === last, [top, total] = parts[0], [old, oldSum] = before[0];
  const results = finished ? values.map(v => exp(fround(v - top)) / total) : [];
  let said = `${ways[way]}. `;
  if (!step) said += `Nothing is read yet: the maximum is ${words(top)}, the sum 0.`;
  else if (step > each) {
    const [b, bSum] = before[1];
    said += `Step ${step} of ${last}, a merge: ${words(oldSum)} × exp(${words(old)} − ${words(top)})`
      + ` + ${words(bSum)} × exp(${words(b)} − ${words(top)}) = ${words(total)}, at the maximum `
      + `${words(top)}.`;
  } else {
    const value = words(values[step - 1]);
    said += `Step ${step} of ${last}: the first thread meets ${value}` + (top !== old
      ? `, greater than its maximum ${words(old)}. It rescales its sum: ${words(oldSum)} × exp(`
        + `${words(old)} − ${words(top)}) + 1 = ${words(total)}.`
      : `. The sum becomes ${words(oldSum)} + exp(${value} − ${words(top)}) = ${words(total)}.`);
  }
  if (finished) said += ` The results add up to ${words(results.reduce((a, b) => a + b))}.`;

  const finite = values.filter(v => v > none);
  const [low, high] = finite.length ? [min(...finite), max(...finite)] : [0, 1];
  const y = v => v < low ? 88 : 76 - 68 * (v - low) / (high - low);
  const texts = [];
  let idle = "", used = "", hot = "", frames = "", tops = "";
  values.forEach((value, n) => {
    const x = 34 + 34 * n, bar = box(x + 4, y(value), 26, 88 - y(value));
    if (n % each >= seen) idle += bar;
    else if (rescaled.has(n)) hot += bar;
    else used += bar;
    texts.push([x + 17, 102, words(value), "w-mid"]);
    if (!finished) return;
    const share = results[n];
    texts.push([x + 17, 160, Number.isFinite(share) ? String(floor(100 * share + .5)) : words(share),
      "w-mid"]);
  });
  const wide = 12 / parts.length * 34;
  parts.forEach(([top, total], n) => {
    const x = 34 + wide * n;
    frames += box(x + 2, 110, wide - 4, 34);
    texts.push([x + wide / 2, 124, `max ${words(top)}`, "w-mid"]);
    texts.push([x + wide / 2, 139, `sum ${words(total)}`, "w-mid"]);
    if (low <= top && top <= high && way !== "plain") {
      tops += `M${at(x + 2)} ${at(y(top))}L${at(x + wide - 2)} ${at(y(top))}`;
    }
  });
  texts.push([30, 102, "x", "w-end"]);
  if (finished) texts.push([30, 160, "%", "w-end"]);
  return {
    parts: parts.map(part => part.map(String)), said, height: 168,
    paths: [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-frame", frames],
      ["w-over", tops]],
    texts,
  };
};
