// The kit of the figures under the reader's hand. warpbook/display/explore.py puts it into every
// figure's output, before the figure's own rules; it expects nothing of the page.
const kit = (window.warpExplore ??= { rules: {} });
const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
const who = lanes => lanes[0] + (lanes.length > 1 ? "+" : "");

kit.model = (name, state) => kit.rules[name](state);

// The drawing as SVG; paint() in explore.py draws the same for the still first frame.
kit.paint = ({ said, unit, every, step, pitch, rows, tail }) => {
  const X = x => 46 + 12 * x, Y = y => 20 + pitch * y;
  const box = (x, width, y) => `M${X(x)} ${Y(y)}h${12 * width}v15h${-12 * width}z`;
  const text = (x, y, words) => `<text x="${x}" y="${y}">${words}</text>`;
  let lines = "", moved = "", used = "", names = "", words = text(X(0), 13, "0");
  for (let x = every; x < 32; x += every) words += text(X(x), 13, step * x);
  rows.forEach(([name, boxes, runs], y) => {
    lines += box(0, 32, y);
    for (const [x, width] of boxes) moved += box(x, width, y);
    names += text(41, Y(y) + 12, name);
    let last = -4, end = -1;
    for (const [x, width, lane] of runs) {
      used += box(x, width, y);
      if (width > 1 || x >= last + 4 || (x >= last + 2 && x > end)) {
        words += text(X(x) + 2, Y(y) + 12, lane);
        last = x;
      }
      end = x + width;
    }
  });
  const bottom = Y(rows.length);
  for (let x = every; x < 32; x += every) lines += `M${X(x)} 20V${bottom - pitch + 15}`;
  if (tail) words += text(X(0), bottom + 10, tail);
  return `<svg viewBox="0 0 444 ${bottom + (tail ? 16 : 2)}" role="img" aria-label="${said}">`
    + `<path class="w-lines" d="${lines}"/><path class="w-moved" d="${moved}"/>`
    + `<path class="w-used" d="${used}"/>`
    + `<g text-anchor="end">${text(41, 13, unit)}${names}</g>${words}</svg>`;
};

// Give every figure of this name that has none its controls. Its state stands in the address as
// #banks.row=33&banks.pad=1; a second figure of a name on a page is banks-2.
kit.start = (name, fields) => {
  for (const figure of document.querySelectorAll(
    `figure[data-explore="${name}"]:not([data-key])`)) {
    let key = name, number = 1;
    while (document.querySelector(`figure[data-key="${key}"]`)) key = `${name}-${++number}`;
    figure.dataset.key = key;
    const start = JSON.parse(figure.dataset.state), form = figure.querySelector("form");
    form.innerHTML = Object.entries(fields).map(([field, [label, choices]]) =>
      `<p><label>${label}` + (Array.isArray(choices)
        ? `<input type="range" name="${field}" min="${choices[0]}" max="${choices[1]}">`
          + "</label><b aria-hidden=\"true\"></b></p>"
        : `<select name="${field}">` + Object.entries(choices).map(([value, words]) =>
          `<option value="${value}">${words}</option>`).join("") + "</select></label></p>")).join("")
      + "<p><button type=\"button\">Back to the start</button></p>";
    const controls = Object.keys(fields).map(field => form.elements[field]);
    const set = values => controls.forEach(c => {
      const old = c.value;
      c.value = values[c.name];
      if (c.value !== String(values[c.name])) c.value = old;
    });
    const state = () => Object.fromEntries(controls.map(c =>
      [c.name, isNaN(c.value) ? c.value : +c.value]));
    const parts = () => location.hash.slice(1).split("&").filter(part => part.includes("="));
    const mine = part => part.startsWith(`${key}.`);
    const linked = () => Object.fromEntries(parts().filter(mine).map(part =>
      part.slice(key.length + 1).split("=")));
    const draw = () => {
      const found = kit.model(name, state()), status = figure.querySelector("[role=status]");
      for (const c of controls) {
        if (c.type === "range") c.closest("p").querySelector("b").textContent = c.value;
      }
      if (status.textContent !== found.said) status.textContent = found.said;
      figure.querySelector("div").innerHTML = kit.paint(found);
    };
    const save = () => {
      const now = state();
      const own = Object.keys(now).filter(f => now[f] !== start[f]).map(f => `${key}.${f}=${now[f]}`);
      const home = location.pathname + location.search;
      const all = [...parts().filter(part => !mine(part)), ...own].join("&");
      // An output that a notebook isolates may not write its address.
      try { history.replaceState(null, "", all ? "#" + all : home); } catch {}
    };
    const load = () => { set({ ...start, ...linked() }); draw(); };
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", () => { draw(); save(); });
    form.querySelector("button").addEventListener("click", () => { set(start); draw(); save(); });
    addEventListener("hashchange", load);
    form.hidden = false;
    set(start);
    load();
    if (parts().some(mine)) figure.scrollIntoView();
  }
};
