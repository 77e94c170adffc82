// What a load of 32 lanes from shared memory waits for.
kit.rules.banks = ({ access, row, pad, swizzle, width }) => {
  const period = row & -row, words = width / 4;  // XOR below it stays inside a row
  const all = [...Array(32).keys()];
  const at = all.map(lane => {
    const r = access === "row" ? Math.floor(lane / row) : access === "pairs" ? lane >> 1 : lane;
    const c = access === "row" ? lane % row : 0;
    return words * (r * (row + pad) + (swizzle ? c ^ r % period : c));  // in words
  });
  // As shared memory does: half as many passes if lanes n and n ^ 1, or n and n ^ 2, read one address.
  const agree = bit => all.every(lane => at[lane] === at[lane ^ bit]);
  const passes = words > 1 && (agree(1) || agree(2)) ? words / 2 : words;
  const rows = [];
  let most = 0;
  for (let start = 0; start < 32; start += 32 / passes) {
    const group = all.slice(start, start + 32 / passes), queues = all.map(() => []);
    for (const lane of group) for (let word = at[lane]; word < at[lane] + words; word++) {
      if (!queues[word % 32].includes(word)) queues[word % 32].push(word);
    }
    const length = Math.max(...queues.map(queue => queue.length));
    most = Math.max(most, length);
    for (let k = 0; k < length; k++) {
      const runs = [];
      queues.forEach((queue, bank) => {
        if (k >= queue.length) return;
        const lane = who(group.filter(l => at[l] <= queue[k] && queue[k] < at[l] + words));
        const last = runs.at(-1);
        if (last && last[2] === lane && last[0] + last[1] === bank) last[1]++;
        else runs.push([bank, 1, lane]);
      });
      rows.push([rows.length + 1, [], runs]);
    }
  }
  const conflicts = rows.length - passes;
  const xor = swizzle ? `, its columns XORed with its number modulo ${period}` : "";
  const from = { column: "a column", row: "a row", pairs: "a column, two lanes an element" };
  return {
    wavefronts: rows.length, conflicts,
    said: `32 lanes read ${width}-byte elements of ${from[access]}; a row begins every `
      + `${several(row + pad, "element")}${xor}: ${several(rows.length, "wavefront")}, `
      + (most > 1 ? `${most}-way bank conflict, ${conflicts} more than without conflicts.`
        : "no bank conflict."),
    ...cells("bank", 4, 1, 17, rows, ""),
  };
};
