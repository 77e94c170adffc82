// How blocks fill an SM: occupancy(), drawn, and what to change.
kit.rules.sm = ({ gpu, threads, registers, shared, carveout }, known) => {
  const LEFT = 2, WIDE = 340, ROOM = 100, PITCH = 44, CURVE = 70, KB = 1024, ALL = 65536;
  const [most, slots, levels, blockKb, unit, reserved, partitions] = known[gpu];
  const up = (value, piece) => ceil(value / piece) * piece;
  const level = levels.find(kb => carveout && kb >= carveout) ?? levels.at(-1);
  const from = taken => levels.find(kb => kb >= level && kb * KB >= taken) ?? levels.at(-1);
  // What an SM holds of such blocks, as occupancy() of the package says.
  const hold = change => {  // occupancy() of warpbook
    const [t, r, s] = Object.values({ threads, registers, shared, ...change });
    const warps = ceil(t / 32), each = up(32 * r, 256), taken = up(s + reserved, unit);
    const fit = parts => each * up(warps, parts) > ALL ? 0
      : floor(floor(ALL / parts / each) * parts / warps);
    const limits = { threads: floor(most / 32 / warps), blocks: slots,
      registers: fit(4) && fit(partitions) };
    if (taken) {
      limits["shared memory"] = s > blockKb * KB ? 0 : floor(from(taken) * KB / taken);
    }
    const blocks = min(...Object.values(limits));
    return { blocks, warps: blocks * warps, share: 32 * blocks * warps / most, limits,
      binding: Object.keys(limits).filter(key => limits[key] === blocks) };
  };
  const now = hold(), sizes = span(32, 1025, 32);
  const curve = sizes.map(size => hold({ threads: size }).share);
  const names = { threads: "warp slots", blocks: "block slots" };
  const limit = now.binding.map(key => names[key] ?? key).join(" and ");
  const warps = ceil(threads / 32);

  const fits = other => `${several(other.blocks, "block")} fit${other.blocks === 1 ? "s" : ""}`;
  const advice = [];
  for (let r = floor((registers - 1) / 8) * 8; r > 0; r -= 8) {
    const other = hold({ registers: r });
    if (other.blocks <= now.blocks) continue;
    advice.push(`With ${several(r, "register")} a thread, ${fits(other)}.`);
    break;
  }
  const tries = levels.filter(kb => kb >= level).map(kb =>
    floor(kb * KB / (now.blocks + 1) / unit) * unit - reserved).filter(s => s >= 0);
  for (const s of tries.map(s => min(s, blockKb * KB)).sort((x, y) => y - x)) {
    const other = hold({ shared: s });
    if (s >= shared || other.blocks <= now.blocks) continue;
    advice.push(`With ${num(s)} bytes of shared memory a block, ${fits(other)}.`);
    break;
  }
  const best = max(...curve);
  if (best > now.share && !advice.length) {
    const [size] = sizes.filter((_, k) => curve[k] === best).sort((x, y) =>
      Math.abs(x - threads) - Math.abs(y - threads) || x - y);
    advice.push(`Blocks of ${size} threads would reach ${short(100 * best)} %.`);
  }
  const said = `${kit.fields.sm.gpu[1][gpu]}: ` + (now.blocks
    ? `${several(now.blocks, "block")} of ${several(threads, "thread")} on an SM: ${now.warps} of `
      + `${most / 32} warps, an occupancy of ${short(100 * now.share)} %, limited by ${limit}. `
    : `Not one block of ${several(threads, "thread")} fits on an SM: too much of ${limit}. The `
      + "launch would be refused. ")
    + (now.share === 1 ? "It is full." : advice.join(" ") || "No one change brings more.");

  const each = up(32 * registers, 256), usable = floor(ALL / partitions / each) * partitions * each;
  const taken = up(shared + reserved, unit), bank = from(taken) * KB;
  let used = "", idle = "", frame = "", after = "", over = "", cuts = "";
  const texts = [];
  // A bar: its name, what it is called, a block's, the next block's, what blocks can use, all there
  // is. The hardware checks a launch as though the warps of its block were a multiple of four.
  [["threads", "Warp slots", warps, warps, most / 32, most / 32],
    ["blocks", "Block slots", 1, 1, slots, slots],
    ["registers", "Registers", each * warps, each * (now.limits.registers ? warps : up(warps, 4)),
      usable, ALL],
    ["shared memory", "Shared memory", taken, taken, bank, bank],
  ].forEach(([key, label, size, more, whole, all], k) => {
    const top = 20 + PITCH * k, scale = WIDE / all, binding = now.binding.includes(key);
    texts.push([LEFT, top - 6, `${label}: ${num(now.blocks * size)} of ${num(all)}`
      + (key === "shared memory" ? " bytes" : "") + (binding ? ": the limit" : ""), binding ? "w-bold" : ""]);
    frame += box(LEFT, top, WIDE, 18);
    if (whole < all) idle += box(LEFT + whole * scale, top, (all - whole) * scale, 18);
    if (!size) return;
    const end = now.blocks * size * scale;
    if (end) used += box(LEFT, top, end, 18);
    cuts += span(1, now.blocks).map(i => `M${at(LEFT + i * size * scale)} ${top}v18`).join("");
    const one = box(LEFT + end, top + 2, min(more * scale, WIDE + ROOM - end), 14);
    if (binding) over += one;
    else after += one;
  });

  const base = 20 + 4 * PITCH + 14 + CURVE;
  texts.push([LEFT, base - CURVE - 8, "Occupancy over the threads of a block", ""],
    [41, base - CURVE + 10, "100 %", "w-end"], [41, base, "0 %", "w-end"]);
  const columns = curve.map((share, k) =>
    share ? box(46 + 12 * k, base - CURVE * share, 10, CURVE * share) : "");
  for (const size of [32, 256, 512, 768, 1024]) {
    texts.push([51 + 12 * (size / 32 - 1), base + 15, String(size), "w-mid"]);
  }
  return {
    blocks: now.blocks, binding: now.binding, curve, said, height: base + 20,
    paths: [
      ["w-idle", idle], ["w-next", after], ["w-used", used], ["w-cuts", cuts], ["w-frame", frame],
      ["w-over", over], ["w-used", columns.filter((_, k) => k !== warps - 1).join("")],
      ["w-hot", columns[warps - 1]], ["w-grid", `M46 ${base}h382M46 ${base - CURVE}h382`],
    ],
    texts,
  };
};
