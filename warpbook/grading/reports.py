"""What a teacher gets of a graded class: a table, all of it as JSON, a page a student, an overview.

grades.csv            a row a student, a column an exercise; empty where nothing was handed in
canvas.csv            the same as Canvas imports it into its gradebook
grades.json           the same with every check, for other programs
feedback/NAME.html    a student's own page: each check, the first failure in full, the hints
overview.html         who passed what, and which checks fail first
"""

import csv
import html
import json
from pathlib import Path

from warpbook.grading.classes import Course, equal_copies, first_failures
from warpbook.grading.grade import POINTS, visible
from warpbook.launch.wording import counted

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 72rem; }}
body {{ padding: 0 1rem; }}
table {{ border-collapse: collapse; margin-bottom: 1.5rem; }}
caption {{ text-align: left; font-weight: 600; padding: .3rem 0; }}
th, td {{ border: 1px solid; padding: .2rem .5rem; text-align: left; vertical-align: top; }}
.wide {{ overflow-x: auto; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
</style></head><body>
<h1>{title}</h1>
"""
END = "</body></html>\n"


def write(course: Course, out: Path) -> None:
    """Write all reports of a course to a folder; those of an earlier run are replaced."""
    out = Path(out)
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    _replace(out / "grades.csv", _table(course))
    _replace(out / "canvas.csv", _canvas(course))
    _replace(out / "grades.json", json.dumps(_whole(course), indent=1, ensure_ascii=False) + "\n")
    for one in course.submissions:
        _replace(out / "feedback" / f"{one.student}.html", feedback(course, one))
    _replace(out / "overview.html", overview(course))


def _replace(path, text):
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)


def _total(course, student):
    return sum(filter(None, (course.points(student, name) for name in course.exercises)))


def _table(course):
    lines = _Lines()
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow(["student", *course.exercises, "total", "out of"])
    for one in course.submissions:
        most, shown = POINTS * len(course.exercises), _points(course, one.student)
        name = _no_formula(one.student)
        rows.writerow([name, *shown, f"{_total(course, one.student):g}", f"{most:g}"])
    return "".join(lines)


def _points(course, student):
    points = [course.points(student, name) for name in course.exercises]
    return ["" if p is None else f"{p:g}" for p in points]


def _no_formula(name):
    """A name for a spreadsheet, which takes what begins with one of these for a formula."""
    return "'" + name if name[0] in "=+-@\t" else name


def _canvas(course):
    """The table that Canvas imports: it looks for a student by the login, then by the name.

    The columns and the row of points possible are those that its importer asks for:
    lib/gradebook_importer.rb of instructure/canvas-lms.
    """
    lines, possible = _Lines(), [f"{POINTS:g}"] * len(course.exercises)
    rows = csv.writer(lines, lineterminator="\n")
    known = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows.writerow([*known, *course.exercises])
    rows.writerow(["Points Possible", "", "", "", "", *possible])
    for one in course.submissions:
        name = _no_formula(one.student)
        rows.writerow([name, "", "", name, "", *_points(course, one.student)])
    return "".join(lines)


class _Lines(list):
    write = list.append


def _whole(course):
    students = [
        {
            "student": one.student,
            "total": round(_total(course, one.student), 2),
            "remarks": one.remarks,
            "exercises": {
                name: {
                    key: entry[key]
                    for key in ("place", "points", "begun", "refused", "seconds", "rows")
                }
                for name in course.exercises
                if (entry := course.results.get((one.student, name)))
            },
            "not_graded": [said for (who, _), said in course.missed.items() if who == one.student],
        }
        for one in course.submissions
    ]
    out_of = POINTS * len(course.exercises)
    equal = [{"exercise": name, "students": same} for name, same in equal_copies(course)]
    return {
        "exercises": course.exercises,
        "out_of": out_of,
        "students": students,
        "equal_copies": equal,
        "left_out": course.left_out,
    }


def feedback(course: Course, one) -> str:
    """Return a student's page."""
    asked = len(course.exercises)
    handed = [name for name in course.exercises if name in one.copies]
    said = f"{_total(course, one.student):g} of {POINTS * asked:g} points"
    parts = [HEAD.format(title=html.escape(visible(one.student, keep="")))]
    these = f"{len(handed)} of {counted(len(course.exercises), 'exercise')} handed in."
    parts += [f"<p><strong>{said}</strong>: {these}</p>"]
    remarks = [*one.remarks, *(s for (who, _), s in course.missed.items() if who == one.student)]
    if remarks:
        items = "".join(f"<li>{html.escape(visible(remark))}</li>" for remark in remarks)
        parts += [f"<h2>Please note</h2><ul>{items}</ul>"]
    for name in course.exercises:
        parts.append(f"<h2>{html.escape(name)}</h2>")
        result, entry = course.grade(one.student, name), course.results.get((one.student, name))
        if result:
            parts.append(f'<div class="wide">{result._repr_html_()}</div>')
        elif entry:
            parts.append(f"<p>0 of {POINTS:g} points. {html.escape(visible(entry['refused']))}</p>")
        elif (one.student, name) in course.missed:
            parts.append("<p>Not graded: see above.</p>")
        else:
            parts.append("<p>Nothing was handed in.</p>")
    return "".join(parts) + END


def overview(course: Course) -> str:
    """Return the teacher's page: who passed what, and the most frequent first failures."""
    students, names = course.submissions, course.exercises
    title = f"{counted(len(students), 'student')}, {counted(len(names), 'exercise')}"
    parts = [HEAD.format(title=title)]
    parts += [_by_exercise(course)]
    if course.missed:
        items = "".join(
            f"<li>{html.escape(visible(f'{who}, {name}: {said}'))}</li>"
            for (who, name), said in course.missed.items()
        )
        parts += [
            f"<h2>Not graded</h2><p>The same command takes these up again.</p><ul>{items}</ul>"
        ]
    remarks = [(one.student, remark) for one in students for remark in one.remarks]
    said = [*course.left_out, *(f"{who}: {remark}" for who, remark in remarks)]
    if said:
        items = "".join(f"<li>{html.escape(visible(each))}</li>" for each in said)
        parts += [f"<h2>Files that were left out</h2><ul>{items}</ul>"]
    same = [[name, ", ".join(students)] for name, students in equal_copies(course)]
    if same:
        title = "Equal copies, but for comments and blanks"
        parts += [_rows(title, ["Exercise", "Students"], same)]
        parts += ["<p>A short exercise may have but one good answer: look before you judge.</p>"]
    parts += [_failures(course), _who(course)]
    return "".join(parts) + END


def _by_exercise(course):
    rows = []
    for name in course.exercises:
        points = [course.points(one.student, name) for one in course.submissions]
        handed = [p for p in points if p is not None]
        mean = f"{sum(handed) / len(handed):.1f}" if handed else "–"
        full = sum(p == POINTS for p in handed)
        rows.append([name, len(handed), full, mean])
    return _rows("By exercise", ["Exercise", "Handed in", "All points", "Mean"], rows)


def _failures(course):
    rows = [
        [name, check, count, said]
        for name in course.exercises
        for check, count, said in first_failures(course, name)[:3]
    ]
    rows.sort(key=lambda row: -row[2])
    if not rows:
        return ""
    heads = ["Exercise", "Check that failed first", "Students", "What was said most often"]
    return _rows("The most frequent first failures", heads, rows)


def _who(course):
    rows = []
    for one in course.submissions:
        marks = [_mark(course, one.student, name) for name in course.exercises]
        rows.append([one.student, f"{_total(course, one.student):g}", *marks])
    key = "✓ all points; a number: some; unchanged: as it was handed out; –: nothing handed in."
    table = _rows("Who passed what", ["Student", "Points", *course.exercises], rows)
    return f"{table}<p>{key}</p>"


def _mark(course, student, name):
    entry = course.results.get((student, name))
    if entry is None:
        return "not graded" if (student, name) in course.missed else "–"
    if not entry["begun"]:
        return "unchanged"
    return "✓" if entry["points"] == POINTS else f"{entry['points']:g}"


def _rows(title, heads, rows):
    def cell(text):
        return html.escape(visible(str(text), keep=""))

    head = "".join(f'<th scope="col">{cell(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{cell(first)}</th>{"".join(f"<td>{cell(c)}</td>" for c in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><caption>{html.escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
