// A chapter as slides: of each step its picture, its question, its table and one sentence. They are
// the page's own elements in their own places; all others are hidden until the slides are left.
window.warpSlides = (() => {
  const STYLE = `
    .warp-slides, .warp-slides body { overflow: hidden; }
    .warp-slides body :not(.w-way, .w-on, .w-on *) { display: none !important; }
    .warp-slides .w-stage {
      position: fixed; inset: 0; z-index: 3000; box-sizing: border-box; margin: 0; overflow: auto;
      padding: 1.4rem 2.2rem 2.6rem; max-width: none; background: var(--pst-color-background);
      display: grid; grid-template-columns: minmax(0, 1fr); grid-auto-rows: max-content;
      gap: 0.7rem 2rem; align-content: start; }
    .warp-slides .w-stage .w-way { display: contents !important; }
    .warp-slides .w-stage .w-way[hidden] { display: none !important; }
    .warp-slides .w-stage .w-on { margin-block: 0 !important; grid-area: auto; min-width: 0; }
    .warp-slides .w-stage :is(h1, h2, h3).w-on { font-size: 1.6rem; padding: 0; border: 0; }
    .warp-slides .w-stage .headerlink { display: none; }
    .warp-slides .w-stage :is(figure, .output) { max-width: 100%; }
    .warp-slides .w-stage figure svg { max-height: 19rem; margin-inline: auto; }
    .warp-slides .w-stage .w-sentence { font-size: 1.15rem; }
    .warp-slides .w-bar {
      position: fixed; right: 1rem; bottom: 0.6rem; z-index: 3001; display: flex; gap: 0.3rem;
      align-items: center; font-size: 0.85rem; color: var(--pst-color-text-muted); outline: 0; }
    .warp-slides .w-bar span { padding-inline: 0.4rem; background: var(--pst-color-background); }
    .warp-slides .w-bar button {
      min-width: 1.9rem; padding: 0.15rem 0.5rem; border: 1px solid var(--warp-line);
      border-radius: 4px; background: var(--warp-head); color: var(--pst-color-text-base); }
    @media (min-width: 900px) {
      .warp-slides .w-stage.w-two { grid-template-columns: repeat(2, minmax(0, 1fr)); }
      .warp-slides .w-stage.w-two .w-on:not(.w-big) { grid-column: 1 / -1; }
      .warp-slides .w-stage.w-beside { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
      .warp-slides .w-stage.w-beside .w-on:not(.w-big, .warp-predict) { grid-column: 1 / -1; }
      .warp-slides .w-stage.w-beside figure svg { max-height: 21rem; } }`;
  const PICTURE = "figure.warp-explore, figure.warp-figure, img";
  const TABLE = "table.dataframe, table.table";
  const QUESTION = ".warp-predict[data-predict]", REVEAL = ".warp-predict[data-reveal]";
  const CLAIM = ".warp-claim";
  const LEFT_OUT = /^(Set-up|Exercises|Lab notes|Further reading|What this page does not know)/;
  const ZOOMS = [2, 1.8, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1, 0.9, 0.8, 0.7, 0.6];

  const article = document.querySelector("article.bd-article");
  const all = (selector, home) => [...home.querySelectorAll(selector)];
  const own = (selector, section) =>
    all(selector, section).filter(one => one.closest("section") === section);

  // What stands as one box on a slide: of a table what scrolls with it.
  const box = one => one.closest(".output, .pst-scrollable-table-container") && one.matches(TABLE)
    ? one.closest(".output, .pst-scrollable-table-container") : one;
  const kind = one => one.matches(PICTURE) || one.matches(TABLE) ? "big"
    : one.matches(QUESTION) ? "question" : one.matches(CLAIM) ? "claim" : "reveal";

  // A copy of a paragraph's first sentence, links and all; of a very short one the next as well.
  const sentence = paragraph => {
    const words = paragraph.textContent.trimEnd();
    const end = /^.{40,}?[.?!](?=\s+["“(]?[A-Z0-9])/s.exec(words);
    let left = end ? end[0].length : words.length;
    const range = document.createRange();
    range.setStart(paragraph, 0);
    const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const length = texts.currentNode.data.length;
      if (left <= length) { range.setEnd(texts.currentNode, left); break; }
      left -= length;
    }
    const copy = document.createElement("p");
    copy.className = "w-sentence";
    copy.append(range.cloneContents());
    all("[id]", copy).forEach(one => one.removeAttribute("id"));
    return copy;
  };

  // The slides of a section: lists of its elements. A question ends a slide; so does a third big box,
  // and a big box or a claim behind a claim.
  const cut = section => {
    const heading = own("h1, h2, h3", section)[0];  // folded, it stands in a box
    const title = heading?.firstChild.textContent ?? "";
    if (!heading || LEFT_OUT.test(title)) return [];
    const first = own("p", section)
      .find(p => p.parentElement.matches("section, .tag_answer") && p.textContent.trim());
    const said = first && sentence(first);
    if (said) heading.after(said);
    const start = [heading, said].filter(Boolean);
    if (title.startsWith("Exercise")) return [start];
    if (title.startsWith("Key points")) return [[heading, ...own("ul", section).slice(0, 1)]];
    const slides = [start];
    let has = { big: 0, claim: 0, question: 0, reveal: 0 };
    const parts = own([PICTURE, TABLE, QUESTION, REVEAL, CLAIM].join(), section)
      .filter(one => !one.closest("details") && !one.parentElement.closest(PICTURE));
    for (const one of heading.matches("h1") ? parts.filter(p => p.matches(PICTURE)).slice(0, 1) : parts) {
      const is = kind(one);
      if (has.question && is !== "question" || is === "big" && (has.big === 2 || has.claim)
          || is === "claim" && has.claim) {
        slides.push([heading]);
        has = { big: 0, claim: 0, question: 0, reveal: 0 };
      }
      has[is] += 1;
      slides.at(-1).push(box(one));
    }
    // A lone claim or a lone question goes with what stands before it.
    return slides.reduce((kept, slide) => {
      const lone = slide.length === 2 && slide[1].matches(CLAIM) && kept.length
        && !kept.at(-1).some(one => one.matches(QUESTION));
      if (lone) kept.at(-1).push(slide[1]); else if (slide.length > 1) kept.push(slide);
      return kept;
    }, []);
  };

  let slides = [], at = 0, bar;
  const way = one => { for (let n = one.parentElement; n; n = n.parentElement) n.classList.add("w-way"); };
  const clear = () => all(".w-on, .w-way, .w-big", document).forEach(one =>
    one.classList.remove("w-on", "w-way", "w-big"));

  // As large as fits the window.
  const fit = () => {
    for (const zoom of ZOOMS) {
      article.style.zoom = zoom;
      const boxes = [article, ...all(".w-big", article)];
      if (article.scrollHeight <= article.clientHeight
          && boxes.every(one => one.scrollWidth <= one.clientWidth)) return;
    }
    article.style.zoom = 1;  // then it scrolls
  };
  const show = number => {
    at = Math.max(0, Math.min(slides.length - 1, number));
    clear();
    for (const one of slides[at]) {
      one.closest(".warp-answer[hidden]")?.dispatchEvent(new Event("beforematch"));  // opens it
      one.classList.add("w-on");
      one.classList.toggle("w-big", one.matches(`${PICTURE}, .output, .pst-scrollable-table-container`));
      way(one);
    }
    bar.classList.add("w-on");
    way(bar);
    article.classList.add("w-stage");
    const big = all(".w-big", article);
    article.classList.toggle("w-two", big.length > 1);
    article.classList.toggle("w-beside", big.length === 1 && big[0].matches(".warp-explore")
      && slides[at].some(one => one.matches(QUESTION)));
    bar.querySelector("span").textContent = `${at + 1} of ${slides.length}`;
    fit();
    article.scrollTo(0, 0);
  };

  const KEYS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
    Home: -Infinity, End: Infinity };
  const press = event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const field = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape") field ? bar.focus() : close();
    else if (event.key in KEYS && !field) show(at + KEYS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const changed = () => requestAnimationFrame(fit);

  const open = () => {
    if (bar) return;
    slides = all("section", article).flatMap(cut);
    bar = document.createElement("div");
    bar.className = "w-bar";
    bar.tabIndex = -1;
    bar.innerHTML = `<button type="button" aria-label="Back">‹</button>
      <span role="status" aria-live="polite"></span>
      <button type="button" aria-label="On">›</button>
      <button type="button" aria-label="Leave the slides">×</button>`;
    const [back, on, leave] = all("button", bar);
    back.addEventListener("click", () => show(at - 1));
    on.addEventListener("click", () => show(at + 1));
    leave.addEventListener("click", close);
    document.body.append(bar);
    document.documentElement.classList.add("warp-slides");
    document.addEventListener("keydown", press, true);
    article.addEventListener("click", changed);
    article.addEventListener("input", changed);
    addEventListener("resize", changed);
    show(0);
    bar.focus();
  };
  const close = () => {
    const heading = slides[at][0];
    document.documentElement.classList.remove("warp-slides");
    document.removeEventListener("keydown", press, true);
    article.removeEventListener("click", changed);
    article.removeEventListener("input", changed);
    removeEventListener("resize", changed);
    clear();
    article.classList.remove("w-stage", "w-two", "w-beside");
    article.style.zoom = "";
    all(".w-sentence", article).forEach(one => one.remove());
    bar.remove();
    bar = undefined;
    document.getElementById("warp-slides").focus();
    heading.scrollIntoView();
  };

  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  open();
  return { open };
})();
