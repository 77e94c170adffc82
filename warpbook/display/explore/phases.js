// A barrier in memory and its phases: arrivals, bytes on their way, waits for a parity.
kit.rules.phases = ({ threads, arrived, expected, landed, phase, parity }) => {
  // current: the phase that the barrier is in; passes: does a wait for the parity go on at once?
  const came = min(arrived, threads), there = min(landed, expected);
  const over = came === threads && there === expected, current = phase + over;
  const passes = current % 2 !== parity, now = `Phase ${current} (parity ${current % 2})`;
  const lacks = [];
  if (came < threads) lacks.push(several(threads - came, "arrival"));
  if (there < expected) lacks.push(`${expected - there} KiB`);
  const said = (over ? `Phase ${phase} is over: ${several(threads, "arrival")} came`
    + (expected ? ` and ${expected} KiB landed` : "")
    + `. ${now} has begun and lacks all of its arrivals.` : `${now} lacks ${lacks.join(" and ")}.`)
    + ` A wait for parity ${parity} ` + (!passes ? `stands still until phase ${current} is over.`
      : current ? `goes on at once: phase ${current - 1} is over.`
        : "goes on at once, as if a phase before the first were over.");

  const LEFT = 46, WIDE = 392, texts = [], first = max(0, current - 2);
  let used = "", hot = "", idle = "", frame = "", step = WIDE / 5;
  for (const k of span(0, 5)) {
    const number = first + k, x = LEFT + step * k, cell = box(x, 20, step - 6, 34);
    if (number < current) used += cell;
    else if (number === current) hot += cell;
    else idle += cell;
    texts.push([at(x + 5), 34, `phase ${number}`, number === current ? "w-bold" : ""]);
    texts.push([at(x + 5), 49, `parity ${number % 2}`, ""]);
  }
  step = WIDE / threads;
  for (const k of span(0, threads)) {
    const cell = box(LEFT + step * k, 78, step - 4, 20);
    if (k < came) used += cell;
    else idle += cell;
    texts.push([at(LEFT + step * k + 4), 93, k < came ? "✓" : "…", ""]);
  }
  texts.push([LEFT, 72, `arrivals: ${came} of ${threads}`, ""]);
  texts.push([LEFT, 120, `bytes landed: ${there} of ${expected} KiB`, ""]);
  for (const k of span(0, expected)) {
    const cell = box(LEFT + WIDE / 8 * k, 126, WIDE / 8 - 2, 14);
    if (k < there) used += cell;
    else idle += cell;
  }
  for (const q of span(0, 2)) {
    const goes = current % 2 !== q, x = LEFT + WIDE / 2 * q;
    const cell = box(x, 156, WIDE / 2 - 6, 22);
    if (goes) used += cell;
    else hot += cell;
    if (q === parity) frame += cell;
    texts.push([at(x + 6), 172, `wait(${q}) ${goes ? "goes on" : "stands still"}`, ""]);
  }
  return {
    current, passes, said, height: 182,
    paths: [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-frame", frame]],
    texts,
  };
};
