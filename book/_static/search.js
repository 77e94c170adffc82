// The page of search results. Pagefind answers by section; a page that was opened from disk, where a
// browser fetches nothing, has the builder's own search, and so has one whose index is missing.
(() => {
  const root = new URL("..", document.currentScript.src), MOST = 20, SECTIONS = 4;
  const words = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  const make = (name, parent, text = "", className = "") => {
    const element = parent.appendChild(document.createElement(name));
    element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const load = name => new Promise((done, failed) => {
    const script = document.head.appendChild(document.createElement("script"));
    Object.assign(script, { src: new URL(name, root), onload: done, onerror: failed });
  });
  const own = async () => {
    for (const name of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
      await load(name);
    }
  };

  // For a word that no page has, Pagefind offers words that begin alike, down to one letter.
  const stems = words.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).map(word => word.slice(0, 4));
  const fits = page => {
    const holder = document.createElement("div");
    holder.innerHTML = page.excerpt + page.sub_results.map(part => part.excerpt).join(" ");
    return [...holder.querySelectorAll("mark")].some(mark =>
      stems.some(stem => mark.textContent.toLowerCase().includes(stem)));
  };

  // Where the words stand, for browsers that scroll to a text: the first hit and what comes after it.
  const place = excerpt => {
    const holder = document.createElement("div");
    holder.innerHTML = excerpt;
    const first = holder.querySelector("mark");
    if (!first) return "";
    const range = document.createRange();
    range.setStartBefore(first);
    range.setEndAfter(holder.lastChild);
    const words = range.toString().trim().split(/\s+/), end = words.findIndex(word => /[.?!:]$/.test(word));
    // Pagefind writes a full stop behind a heading
    const text = words.slice(0, end < 0 ? 4 : Math.min(end + 1, 4)).join(" ").replace(/[.?!:]$/, "");
    return `:~:text=${encodeURIComponent(text).replaceAll("-", "%2D")}`;
  };
  const link = (parent, title, url, excerpt) => {
    const [path, heading = ""] = url.split("#"), section = heading.replace(/-heading$/, "");
    make("a", parent, title).href = `${path}#${section}${place(excerpt)}`;
    make("p", parent, "", "context").innerHTML = excerpt;
  };
  const show = async () => {
    const pagefind = await import(new URL("pagefind/pagefind.js", root));
    await pagefind.options({ baseUrl: root.pathname, excerptLength: 24 });
    const found = (await pagefind.search(words)).results;
    const home = document.getElementById("search-results");
    document.querySelector(".bd-search-container input").value = words;
    make("h2", home, "Search Results");
    const summary = make("p", home, "", "search-summary");
    const list = make("ul", home, "", "search");
    const pages = (await Promise.all(found.slice(0, MOST).map(async one => {
      const data = await one.data();  // a chapter comes before its lab notes
      return { ...data, score: one.score * (data.url.includes("/lab/") ? 0.5 : 1) };
    }))).filter(fits);
    for (const page of pages.sort((one, other) => other.score - one.score)) {
      const item = make("li", list), sections = page.sub_results.slice(0, SECTIONS);
      link(item, page.meta.title, page.url, page.excerpt);
      const inner = make("ul", item);
      for (const part of sections) {
        if (part.title !== page.meta.title) link(make("li", inner), part.title, part.url, part.excerpt);
      }
    }
    summary.textContent = pages.length
      ? `${pages.length < MOST ? pages.length : `The first ${MOST}`} pages that have what you look for.` : `No page has all of these words: ${words}. Try fewer, or another form of one.`;
  };

  if (words) {
    addEventListener("DOMContentLoaded",
      () => location.protocol === "file:" ? own() : show().catch(own));
  }
})();
