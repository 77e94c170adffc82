// A ring of GPUs over time: who attends to whose keys, and who is idle meanwhile.
kit.rules.rotation = ({ attention, deal, gpus, transfer }) => {
  const LEFT = 66, WIDE = 326, TOP = 20, ROW = 22, all = span(0, gpus);
  const deals = kit.fields.rotation.deal[1];
  const sum = values => values.reduce((a, b) => a + b, 0);
  const keysOf = (gpu, step) => (gpu - step + gpus) % gpus;
  // What a GPU computes with the keys of another one, in percent of a whole block.
  const workOf = (gpu, keys) => attention === "full" ? 100
    : deal !== "plain" || keys === gpu ? 50 : keys < gpu ? 100 : 0;
  // Slanted lines through a box.
  const hatched = (x, y, width, height) => {
    const first = ceil(x), last = floor(x + width);
    return span(ceil((first - height) / 11) * 11, last, 11).map(foot => {
      const left = max(foot, first), right = min(foot + height, last);
      return right > left
        ? `M${left} ${y + height - left + foot}l${right - left}-${right - left}` : "";
    }).join("");
  };
  const work = all.map(step => all.map(gpu => workOf(gpu, keysOf(gpu, step))));
  const slowest = work.map(row => max(...row));
  const travels = all.map(step => step < gpus - 1 ? transfer : 0);
  const steps = all.map(step => max(slowest[step], travels[step]));
  const time = sum(steps), allWork = sum(work.flat());
  const share = floor((200 * allWork + gpus * time) / (2 * gpus * time));
  const uneven = work.filter(row => min(...row) < max(...row)).length;
  const late = all.filter(step => travels[step] > slowest[step]).length;
  let said = `A ${attention} ring of ${gpus} GPUs, dealt ${deals[deal]}: ${gpus} steps take as `
    + `long as ${short(time / 100)} whole blocks. A GPU works for `
    + `${short(allWork / gpus / 100)} of that on average, which is ${share} % of the ideal. `;
  if (uneven) {
    said += `In ${several(uneven, "step")} some wait for the GPU that has the most to do`
      + (late ? `, and in ${several(late, "step")} all for the transfer.` : ".");
  } else said += late ? `In ${several(late, "step")} all wait for the transfer.` : "Nobody waits.";
  if (late) said += ` It would hide up to ${min(...slowest)} % of a block.`;

  const unit = WIDE / time, bottom = TOP + ROW * gpus + 10;
  const texts = [[LEFT - 5, 13, "step", "w-end"], [440, 13, "idle", "w-end"]];
  let used = "", hot = "", idle = "", hatch = "", marks = "", begin = 0;
  steps.forEach((lasts, step) => {
    const x = LEFT + unit * begin;
    texts.push([at(x + unit * lasts / 2), 13, `${step}`, "w-mid"]);
    marks += `M${at(x)} ${TOP}V${bottom + ROW - 5}`;
    work[step].forEach((mine, gpu) => {
      const y = TOP + ROW * gpu;
      if (mine) {
        used += box(x, y, unit * mine, ROW - 5);
        texts.push([at(x + unit * mine / 2), y + 13, `${keysOf(gpu, step)}`, "w-mid"]);
      }
      if (mine < lasts) {
        const rest = [x + unit * mine, y, unit * (lasts - mine), ROW - 5];
        idle += box(...rest);
        hatch += hatched(...rest);
      }
    });
    if (travels[step]) hot += box(x, bottom, unit * travels[step], ROW - 5);
    begin += lasts;
  });
  for (const gpu of all) {
    texts.push([LEFT - 5, TOP + ROW * gpu + 13, `GPU ${gpu}`, "w-end"]);
    const lost = time - sum(work.map(row => row[gpu]));
    const percent = floor((200 * lost + time) / (2 * time));
    texts.push([440, TOP + ROW * gpu + 13, `${percent} %`, "w-end"]);
  }
  texts.push([LEFT - 5, bottom + 13, "transfer", "w-end"]);
  return {
    work, steps, share, said, height: bottom + ROW,
    paths: [["w-idle", idle], ["w-hatch", hatch], ["w-used", used], ["w-hot", hot],
      ["w-marks", marks]],
    texts,
  };
};
