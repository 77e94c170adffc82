// The kit of the figures under the reader's hand. explore() puts it into every figure's output,
// before the figure's own script; it expects nothing of the page.
// A figure's rule, kit.rules.banks for instance, takes where the knobs stand and gives the sentence
// that is said, the drawing's height, its paths [class, d] and texts [x, y, words, class], and
// counts that tests compare. kit.fields has the knobs' labels, as figures.py declares them.
const kit = (window.warpExplore ??= { rules: {}, fields: {}, data: {} });
const { floor, ceil, min, max, log10 } = Math;
const num = value => value.toLocaleString("en-US");
const several = (number, thing) => `${num(number)} ${thing}${number === 1 ? "" : "s"}`;
// A positive number with three digits, or as a whole number: 0.25, 15.5, 683, 1,234.
const short = value => {
  if (value < .001) return "less than 0.001";
  if (value >= 100) return num(floor(value + .5));
  let scale = 1;
  while (value * scale < 99.95) scale *= 10;
  return String(floor(value * scale + .5) / scale);
};
// A coordinate, to a tenth of a pixel.
const at = x => floor(x * 10 + .5) / 10;
const box = (x, y, width, height) => `M${at(x)} ${at(y)}h${at(width)}v${at(height)}H${at(x)}z`;
const span = (from, end, step = 1) => {
  const all = [];
  for (let k = from; k < end; k += step) all.push(k);
  return all;
};

kit.model = (name, state) => kit.rules[name](state, kit.data[name]);

kit.paint = ({ said, height, paths, texts }) =>
  `<svg viewBox="0 0 444 ${height}" role="img" aria-label="${said}">`
  + paths.map(([name, d]) => d && `<path class="${name}" d="${d}"/>`).join("")
  + texts.map(([x, y, words, name]) =>
    `<text x="${x}" y="${y}"${name && ` class="${name}"`}>${words}</text>`).join("") + "</svg>";

// Give every figure of this name that has none its controls. Its state stands in the address as
// #banks.row=33&banks.pad=1; a second figure of a name on a page is banks-2.
kit.start = (name, fields, data) => {
  kit.fields[name] = fields;
  kit.data[name] = data;
  const make = ([field, [label, spec]]) => {
    if (!Array.isArray(spec)) {
      return `<p><label>${label}<select name="${field}">` + Object.entries(spec).map(
        ([value, words]) => `<option value="${value}">${words}</option>`).join("")
        + "</select></label></p>";
    }
    const [kind, low, high, step] = spec;
    const ends = kind === "slider" ? [low, high, 1] : kind === "powers"
      ? [Math.log2(low), Math.log2(high), 1] : step ? [ceil(low / step) * step, high, step]
      : [log10(low), log10(high), .05];
    return `<p><label>${label}<input type="range" min="${ends[0]}" max="${ends[1]}" `
      + `step="${ends[2]}" ` + (kind === "number"
        ? `></label><input type="number" required name="${field}" min="${low}" max="${high}" `
          + `aria-label="${label}"></p>`
        : `name="${field}"></label><b aria-hidden="true"></b></p>`);
  };
  for (const figure of document.querySelectorAll(
    `figure[data-explore="${name}"]:not([data-key])`)) {
    let key = name, number = 1;
    while (document.querySelector(`figure[data-key="${key}"]`)) key = `${name}-${++number}`;
    figure.dataset.key = key;
    const start = JSON.parse(figure.dataset.state), form = figure.querySelector("form");
    form.innerHTML = Object.entries(fields).map(make).join("")
      + "<p><button type=\"button\">Back to the start</button></p>";
    for (const c of form) c.dataset.lmSuppressShortcuts = true;  // JupyterLab leaves us the keys
    const controls = Object.keys(fields).map(field => form.elements[field]);
    const power = c => fields[c.name][1][0] === "powers";
    const slow = c => c.type === "number" && !fields[c.name][1][3];  // its slider is logarithmic
    const slider = c => c.closest("p").querySelector("[type=range]");
    const more = kit.extras?.[name]?.(figure, controls);  // what the figure adds of its own
    const value = c => isNaN(c.value) ? c.value : power(c) ? 2 ** c.value : +c.value;
    const set = values => controls.forEach(c => {
      const old = c.value, want = String(power(c) ? Math.log2(values[c.name]) : values[c.name]);
      c.value = want;
      if (c.value !== want || !c.validity.valid) c.value = old;
    });
    const state = () => Object.fromEntries(controls.map(c => [c.name, value(c)]));
    const parts = () => location.hash.slice(1).split("&").filter(part => part.includes("="));
    const mine = part => part.startsWith(`${key}.`);
    const linked = () => Object.fromEntries(parts().filter(mine).map(part =>
      part.slice(key.length + 1).split("=")));
    const draw = () => {
      const wrong = controls.find(c => !c.validity.valid);
      const found = !wrong && kit.model(name, state());
      const said = wrong ? `${fields[wrong.name][0]}: a whole number from ${num(+wrong.min)} to `
        + `${num(+wrong.max)}.` : found.said;
      for (const c of controls) {
        const bar = slider(c);
        if (!bar) continue;
        bar.ariaValueText = num(value(c));
        if (c === bar) c.closest("p").querySelector("b").textContent = value(c);
        else bar.value = slow(c) ? log10(value(c)) : value(c);
      }
      const status = figure.querySelector("[role=status]");
      if (status.textContent !== said) status.textContent = said;
      if (found) figure.querySelector("div").innerHTML = kit.paint(found);
      if (found) more?.();
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
    form.addEventListener("input", ({ target }) => {
      const c = controls.find(c => c !== target && slider(c) === target);
      if (c) c.value = slow(c) ? Math.round((10 ** target.value).toPrecision(2)) : target.value;
      draw();
      if (form.checkValidity()) save();
    });
    form.querySelector("button").addEventListener("click", () => { set(start); draw(); save(); });
    addEventListener("hashchange", load);
    form.hidden = false;
    set(start);
    load();
    if (parts().some(mine)) figure.scrollIntoView();
  }
};
