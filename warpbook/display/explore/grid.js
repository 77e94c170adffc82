// Which thread of a grid takes which element: one element a thread, or a loop that strides.
kit.rules.grid = ({ kernel, n, threads, blocks, follow }) => {
  const ACROSS = 16, CELL = 25, HIGH = 22, ROW = 42, LEFT = 42, MOST = 128;
  const loops = kernel === "stride", total = threads * blocks, turns = loops ? ceil(n / total) : 1;
  const spare = max(0, turns * total - n), left = loops ? 0 : max(0, n - total);
  let said = `${several(blocks, "block")} of ${several(threads, "thread")}: `
    + `${several(total, "thread")} for ${several(n, "element")}. `;
  if (loops && turns > 1) {
    said += `A thread takes at most ${turns} turns`;
    if (spare) said += `, and ${several(spare, "thread")} one fewer`;
  } else {
    said += spare ? `${several(spare, "thread")} ${spare === 1 ? "finds" : "find"} nothing to do`
      : "Each thread takes one element";
  }
  said += `${left ? `. Nobody takes the last ${several(left, "element")}` : ""}. `;

  const turn = loops ? floor(follow / total) : 0, first = loops ? follow % total : follow;
  const block = floor(first / threads), thread = first % threads;
  const who = `thread ${thread} of block ${block}`;
  const there = `There is no element ${follow}`;
  if (follow >= max(n, turns * total)) said += `${there}, and no thread for it.`;
  else if (follow >= n) {
    said += `${there}: ${loops ? `the loop of ${who} ends` : `the guard sends ${who} away`}.`;
  } else if (follow >= n - left) {
    said += `Element ${follow} is for ${who}, which was not launched.`;
  } else said += `Element ${follow} belongs to ${who}${turn ? `, in turn ${turn + 1}` : ""}.`;

  const numbers = [first, "=", block, "*", threads, "+", thread];
  const names = [[10, "i"], [30, "="], [76, "blockIdx.x"], [120, "*"], [166, "blockDim.x"],
    [212, "+"], [260, "threadIdx.x"]];
  const texts = names.map(([x, word]) => [x, 13, word, "w-mid"]);
  names.forEach(([x], k) => texts.push([x, 31, `${numbers[k]}`, "w-mid w-bold"]));
  const own = loops && first < n ? span(first, n, total) : [first];
  if (loops) {
    texts.push([5, 51, `then i += gridDim.x * blockDim.x, which is ${total}:`, ""],
      [5, 69, own.slice(0, 8).join(", ") + (own.length > 8 ? ", ..." : ""), "w-bold"]);
  }
  const high = loops ? 96 : 58;
  const X = k => LEFT + k % ACROSS * CELL, Y = k => high + floor(k / ACROSS) * ROW;
  const cell = (k, inset = 0) =>
    box(X(k) + inset, Y(k) + inset, CELL - 2 * inset, HIGH - 2 * inset);

  const drawn = min(MOST, max(n, turns * total)), paths = ["", "", "", ""];
  // Where the last block's name stands, and which it is.
  let last = -3, named = -1;
  for (const k of span(0, drawn)) {
    const here = loops ? k % total : k, thread = here % threads, block = floor(here / threads);
    if (k % ACROSS === 0) {
      texts.push([LEFT - 5, Y(k) + 16, `${k}`, "w-end"]);
      last = -3;
      named = -1;
    }
    if (n - left <= k && k < n) {
      paths[3] += cell(k);
      continue;
    }
    paths[k < n ? block % 2 : 2] += cell(k);
    texts.push([X(k) + (thread < 10 ? 9 : 5), Y(k) + 16, `${thread}`, ""]);
    if (!thread && block !== named && last + 3 <= k % ACROSS && k % ACROSS < 14) {
      texts.push([X(k), Y(k) - 4, `block ${block}`, ""]);
      last = k % ACROSS;
      named = block;
    }
  }
  let frames = own.filter(k => k < drawn).map(k => cell(k)).join("");
  if (follow < drawn) frames += cell(follow, 2.5) + cell(follow);
  const bottom = high + ceil(drawn / ACROSS) * ROW;
  if (turns * total > drawn) {
    const more = several(turns * total - drawn, "thread");
    texts.push([LEFT, bottom - 4, `and ${more} more, with nothing to do`, ""]);
  }
  return {
    spare, left, turns, said, height: bottom,
    paths: [...["w-used", "w-hot", "w-idle", "w-over"].map((name, k) => [name, paths[k]]),
      ["w-frame", frames]],
    texts,
  };
};
