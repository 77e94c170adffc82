"""The reference pages: what a program can know of them, it writes when the book is built.

questions.md     % claim coalescing: A stride      how a claim's sentence begins: what was measured
glossary.md      behind each entry, the sections that link to it, of chapters and of lab notes
bibliography.md  behind each work, the chapters and lab notes whose 'Further reading' names it
map.md           % the map comes here, % all chapters come here, % path: first_kernel measure ...
checklist.md     {claim coalescing: A stride}    the same inside a table's cell
how_to_run.md    % what each chapter needs comes here

A link on these pages to a page that this edition lacks becomes plain text.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from html import escape

import gpus

from warpbook.display.figures import COLOURS, DARK
from warpbook.launch import header

FRONT = re.compile(r"^\*Reading: (\d+) minutes\. Exercises: (\d+) minutes(.*)\*$", re.M)
PAGE_LINK = re.compile(r"\[([^\]]*)\]\(((?:lab/)?\w+)\.(?:ipynb|md)(#[\w-]+)?\)")
CHAPTER_LINK = re.compile(r"\[([^\]]*)\]\(((?:lab/)?\d\d_\w+)\.ipynb(#[\w-]+)?\)")
TERM = re.compile(r"\]\((?:\.\./)?glossary\.md#([\w-]+)\)")
TITLES = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)|\[([^\]]+)\]\(https?:[^)]+\)")
CLAIM = re.compile(r"^% claim ([\w/]+): (.+)$", re.M)
CLAIMED = re.compile(r"\{claim ([\w/]+): ([^}]+)\}")
LAB = "lab/"  # the folder of the lab notes
ADDRESS = re.compile(r"\]\((https?:[^)\s]+)\)")


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page in PAGES:
        there = app.env.found_docs
        found = [c for c in pages(app.srcdir) if c.page in there]
        source[0] = without_lost_links(PAGES[page](source[0], found, app.srcdir), there)


def without_lost_links(text, there):
    """Links to pages that are not there become plain text."""
    return PAGE_LINK.sub(lambda m: m[0] if m[2] in there else m[1], text)


# The chapters, as their notebooks say.


@dataclass(frozen=True)
class Chapter:
    """A notebook of the book: its page's name, its Markdown cells, its code, the GPU it shows.

    Lab notes are one as well, of the page 'lab/05_coalescing'; they have a chapter's number, and no
    line of times.
    """

    page: str
    cells: tuple
    code: str
    gpu: str = ""

    @property
    def number(self):
        return int(self.page.removeprefix(LAB)[:2])

    @property
    def slug(self):
        return LAB * self.is_lab + self.page.removeprefix(LAB)[3:]

    @property
    def is_lab(self):
        return self.page.startswith(LAB)

    @property
    def short(self):
        """What a link to it says in a list of numbers: '5', or '5, lab notes'."""
        return f"{self.number}{', lab notes' * self.is_lab}"

    @cached_property
    def title(self):
        return re.search(r"^# (.+)$", self.text, re.M)[1]

    @property
    def name(self):
        """A short name for the map: 'matmul on CPU'."""
        return re.sub(r"\b[cg]pu\b", lambda m: m[0].upper(), self.slug.replace("_", " "))

    @cached_property
    def text(self):
        return "\n\n".join(self.cells)

    @cached_property
    def front(self):
        """(minutes of reading, minutes of exercises, what else the line says)."""
        reading, exercises, rest = FRONT.search(self.text).groups()
        return int(reading), int(exercises), rest

    @cached_property
    def before(self):
        """(numbers of the chapters that it builds on, numbers of those that help as well).

        The first sentence behind 'Before' names the ones, further sentences the others.
        """
        said = self.front[2].partition("Before")[2]
        first, *rest = re.split(r"\.(?= [A-Z])", said)
        needed = numbers(first)
        if re.search(r"\bfrom \[[^\]]+\]\([^)]+\) to \[", first):
            needed = list(range(needed[0], needed[-1] + 1))
        return needed, [n for n in numbers(" ".join(rest)) if n not in needed]

    @cached_property
    def reading(self):
        """The items of 'Further reading'."""
        part = self.text.partition("\n## Further reading\n")[2].partition("\n## ")[0]
        return re.findall(r"^- (.+(?:\n(?!- |\n).+)*)", part, re.M)

    @cached_property
    def terms(self):
        """{entry of the glossary: the section that links to it first}, in the page's order."""
        found, section, known = {}, "", Counter(headings(self.text))
        for line in lines_outside_code(self.text):
            heading = re.match(r"(#{2,3}) (.+)", line)
            if heading and known[heading[2]] == 1:
                section = heading[2]
            for term in TERM.findall(line):
                found.setdefault(term, section)
        return found

    def link(self, section=""):
        """A Markdown link to the chapter, or to one of its sections."""
        if not section:
            words = f"{self.number}. {self.title}"
            return f"[{self.short if self.is_lab else words}]({self.page}.ipynb)"
        words = unlinked(section)  # a link inside a link is none
        return f"[chapter {self.short}, {words}]({self.page}.ipynb#{anchor(section)})"


def chapters(book):
    """Every chapter in the folder, in order."""
    return [read(path) for path in sorted(book.glob("[0-9][0-9]_*.ipynb"))]


def pages(book):
    """Every chapter in the folder, and behind it its lab notes."""
    notes = [read(path, LAB) for path in sorted(book.glob(f"{LAB}[0-9][0-9]_*.ipynb"))]
    return sorted([*chapters(book), *notes], key=lambda c: (c.number, c.is_lab))


def read(path, folder=""):
    notebook = json.loads(path.read_text(encoding="utf-8"))

    def sources(kind):
        return tuple("".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind)

    gpu = notebook["metadata"].get("warpbook", {}).get("gpu", "")
    return Chapter(folder + path.stem, sources("markdown"), "\n".join(sources("code")), gpu)


def numbers(text):
    linked = [found[2] for found in CHAPTER_LINK.finditer(text)]
    return [int(page[:2]) for page in linked if not page.startswith(LAB)]


def lines_outside_code(text):
    return re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S).splitlines()


def headings(text):
    """The words of the headings that have anchors."""
    return [m[1] for line in lines_outside_code(text) if (m := re.match(r"#{1,3} (.+)", line))]


def anchor(heading):
    """The anchor that the builder gives a heading."""
    plain = unlinked(heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower().replace(" ", "-"))


def unlinked(text):
    """A text with the words of its links alone."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def hours(minutes):
    """'45 min', '5 h 15 min'."""
    whole, rest = divmod(minutes, 60)
    return " ".join([f"{whole} h"] * bool(whole) + [f"{rest} min"] * bool(rest)) or "0 min"


# Questions of the source documents.


def questions(text, found, book):
    """Each line '% claim CHAPTER: words' becomes the claim that begins so, as it was measured."""
    gpu = gpus.read(book / "results")
    return CLAIM.sub(lambda m: proof(gpu, found, m[1], m[2]), text)


def proof(gpu, found, slug, words):
    """A quotation: the claim as it was measured, on which GPU, in which chapter."""
    chapter = next((c for c in found if c.slug == slug), None)
    row, name = claim(gpu, slug, words, chapter.gpu if chapter else "")
    where = f"[chapter {chapter.short}]({chapter.page}.ipynb)" if chapter else slug
    if row is None:
        return f"> *Not yet recorded:* {words} … ({where})\n"
    return f"> {gpus.MARKS[row.status]} {gpus.escape(row.measured)} *({name}, {where})*\n"


def claim(gpu, slug, words, page=""):
    """(the row of claims.csv, the GPU's name), or (None, '') before the chapter's recording.

    page: the GPU that the chapter's page was recorded on. Raises ValueError unless exactly one
    claim of the chapter begins with the words.
    """
    recorded = [one for one in gpu if not gpus.of_chapter(one["claims"], slug).empty]
    for one in sorted(recorded, key=lambda one: one["name"] != page)[:1]:
        rows = gpus.of_chapter(one["claims"], slug)
        fits = [row for row in rows.itertuples() if row.sentence.startswith(words)]
        if len(fits) != 1:
            raise ValueError(
                f"{len(fits)} claims of {slug} begin with '{words}'. Write how one "
                f"sentence in results/*/claims.csv begins."
            )
        return fits[0], one["name"]
    return None, ""


# The checklist.


def checklist(text, found, book):
    """Each {claim CHAPTER: words} becomes what was measured, and on what GPU."""
    gpu = gpus.read(book / "results")
    model = {c.slug: c.gpu for c in found}

    def measured(match):
        row, name = claim(gpu, match[1], match[2], model.get(match[1], ""))
        return "not yet recorded" if row is None else f"{gpus.escape(row.measured)} *({name})*"

    return CLAIMED.sub(measured, text)


# The glossary.


def glossary(text, found, book):
    """Each entry ends with the sections that bring it in."""

    def where(entry):
        term = anchor(entry[1])
        links = [c.link(c.terms[term]) for c in found if term in c.terms]
        return f"{entry[0]} *See {', '.join(links)}.*" if links else entry[0]

    return re.sub(r"^### (.+)\n\n(?:(?!#).+\n)*(?!#).+$", where, text, flags=re.M)


# The bibliography.


def bibliography(text, found, book):
    """Behind each work stand the chapters that name it."""
    items = works(text)
    named = {item: [] for item in items}
    for chapter in found:
        for title in cited(chapter):
            for item in matching(title, items):
                if chapter not in named[item]:
                    named[item].append(chapter)
    for item, where in named.items():
        links = ", ".join(f"[{c.short}]({c.page}.ipynb#further-reading)" for c in where)
        if where:
            word = "Chapter" if len(where) == 1 else "Chapters"
            text = text.replace(item, f"{item} {word} {links}.", 1)
    return text


def works(text):
    """The items of the bibliography, as they stand."""
    return [m[0].rstrip("\n") for m in re.finditer(r"^- .+\n(?:  .+\n)*", text + "\n", re.M)]


def titles(text):
    """The titles that a text has in italics or as links to other sites."""
    return [a or b.strip("*") for a, b in TITLES.findall(text)]


def cited(chapter):
    """The titles that a chapter's 'Further reading' names."""
    return [title for item in chapter.reading for title in titles(item)]


def matching(title, items):
    """The items with this title; if there are none, those with a title that begins alike.

    What begins with a small letter, as a stressed word does, has to be the title itself.
    """
    known = {item: [plain(t) for t in titles(item)] for item in items}
    same = [item for item, names in known.items() if plain(title) in names]
    if same or title[:1].islower():
        return same
    return [
        item
        for item, names in known.items()
        if any(name.startswith(plain(title)) or plain(title).startswith(name) for name in names)
    ]


def plain(title):
    return " ".join(re.findall(r"\w+", title.lower()))


# The map.


def chart(text, found, book):
    """The picture of what needs what, the same as a list, and the paths with their times."""
    found = [c for c in found if not c.is_lab]
    text = text.replace("% the map comes here", drawing(found))
    text = text.replace("% all chapters come here", listing(found))
    return re.sub(r"^% path: (.+)$", lambda m: path(m[1].split(), found), text, flags=re.M)


def earlier(chapter, found):
    """The numbers of all chapters that a chapter builds on, directly or not."""
    known = {c.number: c for c in found}
    seen, open_ = set(), list(chapter.before[0])
    while open_:
        number = open_.pop()
        if number not in seen and number in known:
            seen.add(number)
            open_ += known[number].before[0]
    return seen


def listing(found):
    """A table: each chapter, its times, what it builds on, and how long that is altogether."""
    known = {c.number: c for c in found}
    rows = [
        "| Chapter | Reading | Exercises | Builds on | With all before it |",
        "| --- | --- | --- | --- | --- |",
    ]
    for chapter in found:
        reading, exercises, _ = chapter.front
        needed, helping = ([known[n] for n in part if n in known] for part in chapter.before)
        said = ", ".join(f"[{c.number}]({c.page}.ipynb)" for c in needed) or "nothing"
        if helping:
            said += "; also of use: " + ", ".join(f"[{c.number}]({c.page}.ipynb)" for c in helping)
        before = earlier(chapter, found)
        whole = reading + sum(known[n].front[0] for n in before)
        chain = f"{len(before)} chapter{'s' * (len(before) != 1)}, {hours(whole)}" if before else ""
        rows.append(
            f"| {chapter.link()} | {hours(reading)} | {hours(exercises)} | {said} | {chain} |"
        )
    reading, exercises = (sum(c.front[i] for c in found) for i in (0, 1))
    rows.append(f"| **All {len(found)}** | {hours(reading)} | {hours(exercises)} | | |")
    return "\n".join(rows) + "\n"


def path(slugs, found):
    """A numbered list of chapters, the sum of their times, and what the path leaves out."""
    known = {c.slug: c for c in found}
    on = [known[slug] for slug in slugs if slug in known]
    items = [
        f"1. {c.link()}: {hours(c.front[0])} to read, {hours(c.front[1])} of exercises" for c in on
    ]
    reading, exercises = (sum(c.front[i] for c in on) for i in (0, 1))
    total = f"**{hours(reading)} of reading, and {hours(exercises)} of exercises:**"
    return f"{total}\n\n" + "\n".join(items) + "\n"


def lacking(slugs, found):
    """{a chapter of a path: the numbers of what it builds on that do not come before it}."""
    known, seen, lost = {c.slug: c for c in found}, set(), {}
    for slug in slugs:
        chapter = known[slug]
        if missing := [n for n in chapter.before[0] if n not in seen]:
            lost[slug] = missing
        seen.add(chapter.number)
    return lost


LOOK = """\
.warp-map{margin:.8em 0;max-width:620px}
.warp-map svg{display:block;width:100%;height:auto}
.warp-map a{text-decoration:none}
.warp-map .lines path{fill:none;stroke-width:2}
.warp-map .lines .case{stroke:var(--pst-color-background);stroke-width:6}
.warp-map rect{fill:var(--warp-head);stroke-width:2}
.warp-map a:hover rect,.warp-map a:focus-visible rect{stroke-width:4}
.warp-map text{fill:var(--pst-color-text-base);font-size:12px;text-anchor:middle}
.warp-map .number{font-weight:700}
"""
COLUMNS, STEP, ROW, BOX, TALL = 5, 88, 76, 72, 48  # of the drawing, in its own units
MARGIN = 10
PALETTE = [
    f"var(--map-{number})" for number in range(len(COLOURS))
]  # of boxes, and lines from them
LOOK += "".join(
    f"{theme}.warp-map{{{';'.join(f'--map-{n}:{hue}' for n, hue in enumerate(hues))}}}\n"
    for theme, hues in (("", COLOURS), ('html[data-theme="dark"] ', DARK))
)
LANES = (0, -4, 4, -7, 7)  # where lines run side by side between two columns


def places(found):
    """{a chapter's number: (column, row)}: each stands below all that it builds on."""
    known = {c.number: c for c in found}
    needs = {n: direct(c, found) for n, c in known.items()}
    below = Counter(n for needed in needs.values() for n in needed)
    at, taken, waiting, row = {}, set(), list(known), 0
    while waiting:
        ready = [n for n in waiting if all(m in at and at[m][1] < row for m in needs[n])]
        ready.sort(key=lambda n: (-height(n, needs), -below[n], n))
        for n in ready[:COLUMNS]:
            wish = sum(at[m][0] for m in needs[n]) / len(needs[n]) if needs[n] else COLUMNS // 2
            free = [c for c in range(COLUMNS) if (c, row) not in taken]
            column = min(free, key=lambda c: (abs(c - wish), c))
            at[n] = column, row
            taken.add((column, row))
            waiting.remove(n)
        row += 1
    return at


def direct(chapter, found):
    """What a chapter builds on, without what those build on themselves."""
    known = {c.number: c for c in found}
    needed = [n for n in chapter.before[0] if n in known]
    return [n for n in needed if not any(n in earlier(known[m], found) for m in needed if m != n)]


def height(number, needs):
    """How long a chain of chapters builds on this one."""
    return 1 + max((height(n, needs) for n, on in needs.items() if number in on), default=0)


def drawing(found):
    """The map as SVG: a box a chapter, a line from each to those that build on it."""
    at, known = places(found), {c.number: c for c in found}
    wide = COLUMNS * STEP - (STEP - BOX) + 2 * MARGIN
    high = (1 + max(row for _, row in at.values())) * ROW - (ROW - TALL) + 8

    def corner(number):
        column, row = at[number]
        return MARGIN + column * STEP, 4 + row * ROW

    lines, used, colour = [], set(), coloured(at, found)
    for number, chapter in known.items():
        x, y = corner(number)
        for other in direct(chapter, found):
            a, b = corner(other)
            lane = between(at[other], at[number], used)
            way = line(a + BOX / 2, b + TALL, x + BOX / 2, y, lane)
            kind = f"from{other} to{number}"
            lines.append(f'<path class="case {kind}" d="{way}"/>')
            lines.append(f'<path d="{way}" class="{kind}" stroke="{colour[other]}"/>')
    boxes = [box(known[number], *corner(number), colour[number]) for number in known]
    said = f"A map of the {len(found)} chapters. The table below says the same in words."
    look = f"<style>{LOOK}{chains(found)}</style>"
    return (
        f'```{{raw}} html\n<figure class="warp-figure warp-map">{look}'
        f'<svg viewBox="0 0 {wide:g} {high:g}" role="group" aria-label="{said}">'
        f'<g class="lines">{"".join(lines)}</g>{"".join(boxes)}</svg></figure>\n```'
    )


def coloured(at, found):
    """{a chapter's number: its colour}: another one than that of lines on the same rows, if any."""
    ends = {}  # how far down the lines out of a box go
    for chapter in found:
        for other in direct(chapter, found):
            ends[other] = max(ends.get(other, 0), at[chapter.number][1])
    colour = dict.fromkeys(at, "var(--pst-color-text-muted)")
    done = []
    for number in sorted(ends, key=lambda n: at[n][::-1]):
        beside = [colour[n] for n in done if ends[n] >= at[number][1]]
        turned = PALETTE[len(done) % len(PALETTE) :] + PALETTE[: len(done) % len(PALETTE)]
        colour[number] = min(turned, key=beside.count)
        done.append(number)
    return colour


def chains(found):
    """CSS: under the pointer, and in the keyboard's focus, a chapter's way from the first one."""
    known, rules = {c.number: c for c in found}, []
    for chapter in found:
        on = {chapter.number, *earlier(chapter, found)}
        boxes = [f".c{n}" for n in sorted(on)]
        lines = [f".from{m}.to{n}" for n in sorted(on) for m in direct(known[n], found)]
        for state in (":hover", ":focus-visible"):
            svg = f".warp-map svg:has(.c{chapter.number}{state})"
            rules.append(f"{svg} :is(a:not({','.join(boxes)}))" + "{opacity:.25}")
            rest = f":not({','.join(lines)})" * bool(lines)
            rules.append(f"{svg} .lines path{rest}" + "{opacity:.12}")
    return "\n".join(rules)


def between(upper, lower, used):
    """Where a line between two boxes passes those between them; None for neighbouring rows.

    It runs in the gap of columns nearest to its end, in a lane that no other line has there.
    """
    (column, row), (end, last) = upper, lower
    rows = range(row + 1, last)
    if not rows:
        return None
    gaps = [end, end + 1] if column <= end else [end + 1, end]
    gap, lane = next(
        (gap, lane)
        for lane in LANES
        for gap in gaps
        if not any((gap, lane, row) in used for row in rows)
    )
    used.update((gap, lane, row) for row in rows)
    return MARGIN + gap * STEP - (STEP - BOX) / 2 + lane


def line(x, y, end, bottom, lane):
    """The way from the foot of one box to the head of another; lane: x in between, or None."""
    half = ROW - TALL
    bend = half * 0.9
    if lane is None:
        curve = f"C{x:g} {y + bend:g} {end:g} {bottom - bend:g} {end:g} {bottom:g}"
    else:
        curve = (
            f"C{x:g} {y + bend:g} {lane:g} {y + half - bend:g} {lane:g} {y + half:g}"
            f"V{bottom - half:g}"
            f"C{lane:g} {bottom - half + bend:g} {end:g} {bottom - bend:g} {end:g} {bottom:g}"
        )
    return f"M{x:g} {y:g}{curve}"


def box(chapter, x, y, colour):
    """A chapter's box with its border: its number, and its name on one line or two."""
    words = [f"{chapter.number}", *folded(chapter.name)]
    top = y + TALL / 2 - 7.5 * (len(words) - 1) + 4
    lines = "".join(
        f'<text x="{x + BOX / 2:g}" y="{top + 15 * i:g}"{" class=number" if i == 0 else ""}>'
        f"{escape(word)}</text>"
        for i, word in enumerate(words)
    )
    name = f"Chapter {chapter.number}: {escape(chapter.title)}"
    return (
        f'<a class="c{chapter.number}" href="{chapter.page}.html" aria-label="{name}">'
        f'<rect x="{x:g}" y="{y:g}" width="{BOX}" height="{TALL}" rx="7" stroke="{colour}"/>'
        f"{lines}</a>"
    )


def folded(name):
    """A name in one line or two, whichever is narrower."""
    words = name.split()
    cuts = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
    if len(name) <= 11 or not cuts:
        return [name]
    return list(min(cuts, key=lambda pair: max(map(len, pair))))


# How to run it.

OLDEST = 75  # the compute capability that the page asks for
GPUS = {  # what a header's 'Assumes:' names: the GPUs that run it
    "sm_80": "A100, RTX 30 (8.0) and newer",
    "sm_90": "H100, H200 (9.0) and newer",
    "sm_90a": "H100, H200, GH200 (9.0) alone",
}


def how_to_run(text, found, book):
    return text.replace("% what each chapter needs comes here", capabilities(found, book.parent))


def kernels(chapter, root):
    """The files of the kernels that a chapter's code names."""
    return [
        path
        for path in sorted(root.glob("kernels/*/[0-9]*.cu"))
        if path.stem in chapter.code and f"{path.parent.name}/" in chapter.code
    ]


def capabilities(found, root):
    """A table of the chapters with kernels that need more than OLDEST: how many, and which GPU."""
    rows = ["| Chapter | Kernels | Of these need |", "| --- | --- | --- |"]
    for chapter in found:
        texts = [path.read_text(encoding="utf-8") for path in kernels(chapter, root)]
        needs = Counter(header.read(text).architecture for text in texts)
        some = sorted(name for name in needs if name and int(name[3:5]) > OLDEST)
        said = "; ".join(f"{needs[name]}: {GPUS.get(name, name)}" for name in some)
        rows += [f"| {chapter.link()} | {len(texts)} | {said} |"] * bool(said)
    return "\n".join(rows) + "\n"


PAGES = {
    "questions": questions,
    "checklist": checklist,
    "glossary": glossary,
    "bibliography": bibliography,
    "map": chart,
    "how_to_run": how_to_run,
}
