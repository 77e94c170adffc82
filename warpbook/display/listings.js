// A button on each listing that copies its code: without line numbers, signs, costs and what a diff
// removed. Each output carries this script; a page of the book keeps the first one.
window.warpCopy ??= (() => {
  const code = body => [...body.querySelectorAll(".w-line:not(del, .w-cost)")].map(line =>
    line.matches(".w-gap") ? "" : line.textContent.slice(Number(body.dataset.cut ?? 0))
  ).join("\n").trimEnd() + "\n";

  // A page without https, or a frame that isolates its output, has no clipboard to write to.
  const write = async text => {
    try { await navigator.clipboard.writeText(text); return true; } catch {}
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    try { return document.execCommand("copy"); } catch { return false; } finally { area.remove(); }
  };

  const build = body => {
    const button = document.createElement("button"), name = body.getAttribute("aria-label") ?? "";
    const say = (words, label) => {
      button.textContent = words;
      button.setAttribute("aria-label", label);
    };
    const rest = () => say("Copy", `Copy the code: ${name}`);
    button.type = "button";
    button.className = "w-copy";
    button.setAttribute("aria-live", "polite");
    button.dataset.lmSuppressShortcuts = "true";
    button.addEventListener("click", async () => {
      const done = await write(code(body));
      done ? say("Copied", "Copied") : say("Not allowed", "Not allowed here: select the code");
      button.focus();
      clearTimeout(button.timer);
      button.timer = setTimeout(rest, 2000);
    });
    rest();
    body.before(button);
  };
  const scan = () => {
    for (const body of document.querySelectorAll(".warp-code .w-body")) {
      if (body.firstChild && !body.previousElementSibling?.matches(".w-copy")) build(body);
    }
  };
  addEventListener("DOMContentLoaded", scan);
  return { scan };
})();
window.warpCopy.scan();
