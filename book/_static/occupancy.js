/* The occupancy calculator of the chapter on occupancy; it fills <div id="occupancy-calculator">.
   The tables and the calculation are those of warpbook/occupancy.py, where their sources stand;
   tests/gpu/test_occupancy.py compares the two. */
(() => {
  const REGISTERS = 65536, REGISTER_UNIT = 256, KB = 1024;
  const AMPERE = [0, 8, 16, 32, 64, 100, 132, 164];
  const HOPPER = [...AMPERE, 196, 228];
  const SMALL = [0, 8, 16, 32, 64, 100];
  const sm = (threads, blocks, levels, blockKb, unit = 128, reserved = 1024, partitions = 4) =>
    ({ threads, blocks, levels, blockKb, unit, reserved, partitions });
  const TABLE = {
    "6.0": sm(2048, 32, [64], 48, 256, 0, 2),
    "6.1": sm(2048, 32, [96], 48, 256, 0),
    "7.0": sm(2048, 32, [0, 8, 16, 32, 64, 96], 96, 256, 0),
    "7.5": sm(1024, 16, [32, 64], 64, 256, 0),
    "8.0": sm(2048, 32, AMPERE, 163),
    "8.6": sm(1536, 16, SMALL, 99),
    "8.7": sm(1536, 16, AMPERE, 163),
    "8.9": sm(1536, 24, SMALL, 99),
    "9.0": sm(2048, 32, HOPPER, 227),
    "10.0": sm(2048, 32, HOPPER, 227),
    "10.3": sm(2048, 32, HOPPER, 227),
    "11.0": sm(1536, 24, HOPPER, 227),
    "12.0": sm(1536, 24, SMALL, 99),
    "12.1": sm(1536, 24, SMALL, 99),
  };
  const up = (value, unit) => Math.ceil(value / unit) * unit;

  function byRegisters(at, warps, registers) {
    const perWarp = up(32 * registers, REGISTER_UNIT);
    const fit = partitions => perWarp * up(warps, partitions) > REGISTERS ? 0
      : Math.floor(Math.floor(REGISTERS / partitions / perWarp) * partitions / warps);
    return fit(4) ? fit(at.partitions) : 0;
  }

  function byShared(at, sharedBytes, carveout) {
    const taken = up(sharedBytes + at.reserved, at.unit);
    if (!taken) return Infinity;
    if (sharedBytes > at.blockKb * KB) return 0;
    const level = carveout ?? at.levels.at(-1);
    return Math.floor(at.levels.find(kb => kb >= level && kb * KB >= taken) * KB / taken);
  }

  function occupancy(threads, registers, sharedBytes, capability, carveout) {
    const at = TABLE[capability], warps = Math.ceil(threads / 32);
    const limits = {
      "threads": Math.floor(at.threads / 32 / warps), "blocks": at.blocks,
      "registers": byRegisters(at, warps, registers),
      "shared memory": byShared(at, sharedBytes, carveout),
    };
    const blocks = Math.min(...Object.values(limits));
    const binding = Object.keys(limits).filter(name => limits[name] === blocks);
    const share = 32 * blocks * warps / at.threads;
    return { blocks, warps: blocks * warps, share, limits, binding };
  }

  const NUMBERS = [  // id, label, the start, the least, the most
    ["threads", "Threads per block", 256, 1, 1024],
    ["registers", "Registers per thread", 32, 1, 255],
    ["shared", "Shared memory per block, bytes", 8192, 0, 262144],
  ];

  function sentence(found, most) {
    const names = found.binding.join(" and "), plural = found.blocks > 1 ? "s" : "";
    return found.blocks === 0
      ? `No block fits: too much of ${names}. The launch would be refused.`
      : `Occupancy ${+(100 * found.share).toFixed(1)} %: ${found.blocks} block${plural}, `
        + `${found.warps} of ${most} warps, limited by ${names}.`;
  }

  function build(home) {
    const options = Object.keys(TABLE).map(cc =>
      `<option${cc === "9.0" ? " selected" : ""}>${cc}</option>`).join("");
    const field = (id, label, input) =>
      `<p><label for="occupancy-${id}">${label}</label>${input}</p>`;
    const numbers = NUMBERS.map(([id, label, start, least, most]) => field(id, label,
      `<input id="occupancy-${id}" type="number" inputmode="numeric" required step="1"
        value="${start}" min="${least}" max="${most}">`)).join("");
    home.innerHTML = `<form>
      ${field("capability", "Compute capability",
        `<select id="occupancy-capability">${options}</select>`)}${numbers}
      ${field("carveout", "Shared memory set aside per SM",
        `<select id="occupancy-carveout"></select>`)}
      </form><div class="occupancy-meter" aria-hidden="true"><span></span></div>
      <p role="status" aria-live="polite" id="occupancy-result"></p>
      <table class="table"><caption>Blocks that each allows</caption>
      <thead><tr><th scope="col">Resource</th><th scope="col">Blocks</th></tr></thead>
      <tbody></tbody></table>`;
    const get = id => home.querySelector(`#occupancy-${id}`);

    function levels() {
      const all = TABLE[get("capability").value].levels.filter(kb => kb);
      get("carveout").innerHTML = all.reverse().map((kb, i) =>
        `<option value="${kb}">${kb} KB${i ? "" : " (the most)"}</option>`).join("");
    }

    function wrong() {
      for (const [id, label, , least, most] of NUMBERS) {
        get(id).setAttribute("aria-invalid", !get(id).validity.valid);
      }
      const bad = NUMBERS.find(([id]) => !get(id).validity.valid);
      return bad && `${bad[1]}: give a whole number from ${bad[3]} to ${bad[4]}.`;
    }

    function update() {
      const message = wrong(), rows = home.querySelector("tbody");
      const found = message ? null : occupancy(...NUMBERS.map(([id]) => Number(get(id).value)),
        get("capability").value, Number(get("carveout").value));
      const most = TABLE[get("capability").value].threads / 32;
      get("result").textContent = message ?? sentence(found, most);
      home.querySelector(".occupancy-meter span").style.width = `${100 * (found?.share ?? 0)}%`;
      const row = ([name, blocks]) => `<tr><th scope="row">${name}</th>`
        + `<td>${blocks === Infinity ? "any number" : blocks}</td></tr>`;
      rows.innerHTML = Object.entries(found?.limits ?? {}).map(row).join("");
    }

    home.querySelector("form").addEventListener("submit", event => event.preventDefault());
    home.addEventListener("input", event => {
      if (event.target.id === "occupancy-capability") levels();
      update();
    });
    levels();
    update();
  }

  globalThis.warpOccupancy = { occupancy, TABLE };
  globalThis.document?.addEventListener("DOMContentLoaded", () => {
    const home = document.getElementById("occupancy-calculator");
    if (home) build(home);
  });
})();
