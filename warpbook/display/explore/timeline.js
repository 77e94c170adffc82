// Copies and kernels of several streams over time: what overlaps, for every order of issue.
// Time counts in ms / chunks, so that all moments are whole numbers.
kit.rules.timeline = ({ streams, chunks, order, copy, kernel, engines, takes }) => {
  const LEFT = 78, WIDE = 362, TOP = 20, ROW = 22;
  const lasts = [copy, kernel, copy], engineOf = engines === 2 ? [0, 1, 2] : [0, 1, 0];
  const depth = order === "depth", all = span(0, 3 * chunks);
  const left = all.map(k => depth ? [k % 3, floor(k / 3)] : [floor(k / chunks), k % chunks]);
  const free = [0, 0, 0], ends = span(0, streams).map(() => 0), begins = [];
  while (left.length) {
    let best = 0, first = null;
    const known = new Set();
    // known: streams of which an earlier operation is still to come.
    for (const [k, [step, chunk]] of left.entries()) {
      if (known.has(chunk % streams)) continue;
      known.add(chunk % streams);
      const start = max(free[engineOf[step]], ends[chunk % streams]);
      if (first === null || start < first) [best, first] = [k, start];
      if (takes === "issue") break;
    }
    const [[step, chunk]] = left.splice(best, 1);
    begins.push([step, chunk, first]);
    free[engineOf[step]] = ends[chunk % streams] = first + lasts[step];
  }
  const time = max(...ends), serial = 2 * copy + kernel, copies = copy * (3 - engines);
  const bound = max(copies, kernel);
  let said = `${several(streams, "stream")}, ${several(chunks, "chunk")}, issued `
    + `${depth ? "chunk by chunk" : "step by step"}: all is back after `
    + `${short(time / chunks)} ms. One after the other it takes ${serial} ms, so this is `
    + `${short(serial * chunks / time)} times as fast. `;
  let busiest = kernel === bound ? "The kernel" : "The copy engine";
  if (kernel === bound && copies === bound) {
    busiest = engines === 2 ? "Each engine" : "The kernel, and the copy engine too,";
  } else if (engines === 2 && kernel !== bound) busiest = "Each copy engine";
  said += `${busiest} is busy for ${bound} ms, which is the bound`;
  said += time < serial * chunks
    ? `: ${floor((200 * bound * chunks + time) / (2 * time))} % of it is reached.`
    : serial > bound ? ": nothing overlaps." : ".";

  const unit = WIDE / time, paths = ["", "", ""], texts = [];
  const names = engines === 2 ? ["copies in", "kernels", "copies out"] : ["copies", "kernels"];
  const bottom = TOP + ROW * names.length + 8;
  for (const [step, chunk, start] of begins) {
    const x = LEFT + unit * start, width = unit * lasts[step];
    for (const y of [TOP + ROW * engineOf[step], bottom + ROW * (chunk % streams)]) {
      paths[step] += box(x, y, width, ROW - 5);
      if (width >= 16) texts.push([at(x + width / 2), y + 13, `${chunk}`, "w-mid"]);
    }
  }
  for (const [k, name] of names.entries()) texts.push([LEFT - 5, TOP + ROW * k + 13, name, "w-end"]);
  for (const k of span(0, streams)) {
    texts.push([LEFT - 5, bottom + ROW * k + 13, `stream ${k}`, "w-end"]);
  }
  texts.push([LEFT - 5, 13, "ms", "w-end"]);
  for (const ms of span(0, floor(time / chunks) + 1, ladderOf(30 / (unit * chunks)))) {
    texts.push([at(LEFT + unit * chunks * ms), 13, `${ms}`, ms ? "w-mid" : ""]);
  }
  return {
    begins, time, serial, bound, said, height: bottom + ROW * streams,
    paths: [["w-used", paths[0]], ["w-hot", paths[1]], ["w-moved", paths[2]],
      ["w-frame", box(LEFT, TOP - 3, WIDE, ROW * names.length + 1)]],
    texts,
  };
};
