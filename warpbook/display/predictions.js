// Predictions: the field, the folded answers, the comparison, the score. predictions.py puts this
// into the output of every predict, for in a notebook each has to work alone; a page of the book
// keeps the first one. What runs already takes up what has come since.
window.warpPredict ??= (() => {
  const all = (selector, home = document) => [...home.querySelectorAll(selector)];
  const make = (html, parent) => {
    const holder = document.createElement("div");
    holder.innerHTML = html;
    return parent.appendChild(holder.firstElementChild);
  };

  // What was given is kept by question, where the browser allows it; else until the page is left.
  const SHOWN = "warp-answers-shown", SKIPPED = "-", kept = {};
  const read = key => {
    try { return localStorage.getItem(key) ?? kept[key] ?? null; } catch { return kept[key] ?? null; }
  };
  const write = (key, value) => {
    kept[key] = value;
    try { value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value); } catch {}
  };
  const given = name => read(`warp-predict-${name}`);
  const give = (name, said) => { write(`warp-predict-${name}`, said); refresh(); };
  const shown = () => read(SHOWN) === "yes";
  const show = on => { write(SHOWN, on ? "yes" : null); refresh(); };

  // '1.5', '1,5', '3,000', '15 %', '2 times', '1e9'; NaN for anything else.
  const number = text => {
    const found = /^([-+]?[\d.,]*\d[.,]?(?:e[-+]?\d+)?)[a-zµ%×/]*$/i.exec(
      text.replace(/\s/g, "").replace("−", "-"));
    if (!found) return NaN;
    const thousands = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(found[1]);
    return Number(thousands ? found[1].replaceAll(",", "") : found[1].replace(",", "."));
  };
  const factor = (said, value) => {
    if (said === value) return 1;
    return said * value > 0 ? Math.max(said / value, value / said) : Infinity;
  };
  const digits = x => x < 100 ? String(Number(x.toPrecision(3))) : Math.round(x).toLocaleString("en");
  const words = (text, reveal) => {
    const said = number(text), value = Number(reveal.dataset.value), times = factor(said, value);
    const verdict = digits(times) === "1" ? "right."
      : (said > value ? "too high" : "too low")
        + (times < Infinity ? ` by a factor of ${digits(times)}, ` : ", ")
        + (times <= 2 ? "within a factor of two." : "not within a factor of two.");
    return `You said ${text}, measured ${reveal.dataset.said}: ${verdict}`;
  };

  // Write only what has changed: a screen reader speaks what is written.
  const say = (place, text) => { if (place.textContent !== text) place.textContent = text; };

  let built = 0;
  const build = box => {
    const id = `warp-predict-${++built}`, name = box.dataset.predict;
    const question = box.querySelector("p"), page = box.closest(".cell_output");
    question.id = `${id}-question`;
    const form = make(`<div class="w-form" data-lm-suppress-shortcuts="true">
      <label for="${id}">Your prediction</label>
      <span><input id="${id}" inputmode="decimal" autocomplete="off" maxlength="20"
        aria-describedby="${id}-question ${id}-unit"> <span id="${id}-unit"></span></span>
      <button type="button"></button> <button type="button" hidden>Skip</button></div>`, box);
    form.querySelector(`#${id}-unit`).textContent = box.dataset.unit;
    make('<p role="status" aria-live="polite"></p>', box);
    const field = form.querySelector("input"), [answer, skip] = all("button", form);
    field.value = [null, SKIPPED].includes(given(name)) ? "" : given(name);
    if (page) add_switch(form);
    const take = () => {
      const wrong = Number.isNaN(number(field.value));
      field.setAttribute("aria-invalid", wrong);
      if (!wrong) return give(name, field.value.trim());
      say(box.querySelector("[role=status]"), "Type a number, such as 2.5.");
      field.focus();
    };
    answer.addEventListener("click", take);  // no form: a frame that isolates its output forbids it
    field.addEventListener("keydown", event => { if (event.key === "Enter") take(); });
    field.addEventListener("input", () => field.removeAttribute("aria-invalid"));
    skip.addEventListener("click", () => {
      give(name, SKIPPED);
      box.answer?.parts[0].focus({ preventScroll: true });
    });
  };
  const add_switch = home => {
    const input = make('<label><input type="checkbox"> Show all answers</label>', home).firstChild;
    input.addEventListener("change", () => show(input.checked));
  };

  // Fold what the page's builder has marked: it belongs to the question before it, or to the questions
  // if several stand in a row. What stands side by side goes into one box, so that it folds as one.
  const fold = () => {
    let boxes = [], answer;
    for (const place of all(".cell_output [data-predict], .tag_answer")) {
      if (place.matches("[data-predict]")) {
        if (answer) boxes = [];
        boxes.push(place);
        answer = undefined;
        continue;
      }
      if (!boxes.length) continue;
      if (!answer) {
        answer = { boxes, parts: [], open: false };
        for (const box of boxes) box.answer = answer;
      }
      let part = answer.parts.at(-1);
      if (!part || part !== place.previousElementSibling) {
        part = document.createElement("div");
        part.className = "warp-answer";
        part.tabIndex = -1;
        place.before(part);
        part.addEventListener("beforematch", () => open(part));
        part.answer = answer;
        answer.parts.push(part);
      }
      part.append(place);
    }
  };
  const open = part => { part.answer.open = true; refresh(); };
  const folded = answer =>
    !shown() && !answer.open && answer.boxes.some(box => !given(box.dataset.predict));
  const FINDABLE = "onbeforematch" in document ? "until-found" : "";

  // The address may lead into an answer, or to a figure whose state it holds (#banks.row=33).
  const follow = () => {
    let hash = "";
    try { hash = decodeURIComponent(location.hash.slice(1)); } catch {}
    const figure = /^[\w-]+(?=\.)/.exec(hash);
    const target = document.getElementById(hash)
      ?? (figure && document.querySelector(`[data-key="${figure[0]}"]`));
    const hides = part => part.contains(target)
      || part.parentElement === target && part.querySelector("h2,h3,h4");
    const parts = all(".warp-answer[hidden]").filter(hides);
    parts.forEach(open);
    if (parts.length) target.scrollIntoView();
  };

  const refresh = () => {
    for (const reveal of all("[data-reveal]")) {
      const said = given(reveal.dataset.reveal);
      if (said && !reveal.comparison) reveal.comparison = make("<p></p>", reveal);
      if (reveal.comparison) {
        say(reveal.comparison, !said || said === SKIPPED ? "" : words(said, reveal));
      }
    }
    for (const box of all("[data-predict]")) {
      const said = given(box.dataset.predict), status = box.querySelector("[role=status]");
      if (!status) continue;
      const closed = box.answer && folded(box.answer);
      const [answer, skip] = all("button", box);
      say(answer, closed && !said ? "Show the answer" : "Predict");
      skip.hidden = !closed || said;
      const what = !said ? "" : said === SKIPPED ? "Skipped. " : `You said ${said}. `;
      say(status, what + (!closed ? said ? "The answer is below." : ""
        : said ? "The answer is below the other question." : "The answer below is folded."));
    }
    for (const part of all(".warp-answer")) {
      folded(part.answer) ? part.setAttribute("hidden", FINDABLE) : part.removeAttribute("hidden");
    }
    for (const input of all(".warp-predict [type=checkbox]")) input.checked = shown();
    const score = document.querySelector(".warp-score");
    if (score) say(score.firstChild, summary());
  };

  const summary = () => {
    const asked = all("[data-predict]").map(box => box.dataset.predict);
    const answers = all("[data-reveal]").filter(reveal => asked.includes(reveal.dataset.reveal));
    const said = answers.filter(reveal => ![null, SKIPPED].includes(given(reveal.dataset.reveal)));
    const good = said.filter(reveal =>
      factor(number(given(reveal.dataset.reveal)), Number(reveal.dataset.value)) <= 2);
    const rest = asked.length - said.length;
    return !said.length ? `You have given none of the ${asked.length} predictions of this page.`
      : `${good.length} of ${said.length} predictions ${good.length === 1 ? "was" : "were"} within a `
        + `factor of two${rest ? `; ${rest} not given` : ""}.`;
  };
  const finish = () => {
    const boxes = all(".cell_output [data-predict]"), article = boxes[0]?.closest("article");
    if (!article || document.querySelector(".warp-score")) return;
    const home = all(":scope > section", article).pop() ?? article;
    const score = make('<div class="warp-predict warp-score"><p role="status" aria-live="polite"></p>'
      + "<div class=w-form></div></div>", home);
    add_switch(score.lastChild);
    make('<button type="button">Forget my predictions</button>', score.lastChild)
      .addEventListener("click", () => {
        for (const box of boxes) {
          write(`warp-predict-${box.dataset.predict}`, null);
          box.querySelector("input").value = "";
        }
        refresh();
      });
  };

  const page = () => {
    try {
      if (!document.querySelector(".warp-answer")) fold();
      finish();
    } finally {
      document.documentElement.classList.remove("warp-folding");
    }
    refresh();
    follow();
  };
  const scan = () => {
    // Colab isolates outputs: what is given in one cannot reach another.
    if (!window.google?.colab) {
      all("[data-predict]").filter(box => !box.querySelector("input")).forEach(build);
    }
    document.readyState === "loading" ? refresh() : page();
  };

  document.documentElement.classList.toggle(
    "warp-folding", document.readyState === "loading" && !shown());
  addEventListener("DOMContentLoaded", scan);
  addEventListener("hashchange", follow);
  addEventListener("storage", refresh);
  return { scan, show, number, factor };
})();
window.warpPredict.scan();
