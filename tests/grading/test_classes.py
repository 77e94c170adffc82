"""A class: submissions of every kind are read, graded once, reported; nothing is lost."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import types
import zipfile

import pytest
from grading_helpers import SOLUTION, edited
from helpers import ROOT

from warpbook.__main__ import main
from warpbook.grading import classes, exercises, submissions

UNGUARDED = edited("if (i < n) {", "{")
SLOW = edited("if (i < n) {", "for (volatile int k = 1; k; k += 2) ; if (i < n) {")


def hand_in(folder, files):
    """Write a class's files: {"Ada/toy/double.cu": text, "Bo.zip": {path: text}}."""
    for place, text in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, dict):
            with zipfile.ZipFile(path, "w") as archive:
                for member, inside in text.items():
                    archive.writestr(member, inside)
        elif isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
    return folder


def journal(out):
    """The gradings that a journal holds, each of them once or the test fails."""
    entries = [
        json.loads(line)
        for line in (out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    keys = [(e["student"], e["name"], e["key"]) for e in entries if "key" in e]
    assert len(keys) == len(set(keys)), "graded twice"
    return keys


def table(out):
    """{student: {column: text}} of grades.csv."""
    with open(out / "grades.csv", encoding="utf-8", newline="") as file:
        return {row.pop("student"): row for row in csv.DictReader(file)}


# --- what is read -------------------------------------------------------------------------------

KNOWN = ["toy/double", "toy/neighbours", "two_words/double", "two_words/half"]


@pytest.mark.parametrize(
    "place, name",
    [
        ("toy/double.cu", "toy/double"),
        ("a folder/work/toy/double.cu", "toy/double"),
        ("toy_double.cu", "toy/double"),
        ("two_words_double.cu", "two_words/double"),
        ("my work/neighbours.cu", "toy/neighbours"),
        ("double.cu", None),  # two exercises are called so
        ("toy/half.cu", "two_words/half"),
        ("other.cu", None),
        ("toy.cu", None),
    ],
)
def test_a_file_is_known_by_its_name(place, name):
    assert submissions.exercise_of(place, KNOWN) == name


def test_folders_and_zips_are_read(tmp_path):
    hand_in(
        tmp_path,
        {
            "Ada Lovelace/work/toy/double.cu": "ada",
            "Ada Lovelace/notes.txt": "",
            "Ada Lovelace/work/toy/double_1.cu": "an earlier copy",
            "Ada Lovelace/half.cu": "half",
            "Bo/work.zip": {"work/toy/double.cu": "bo", "__MACOSX/work/toy/._double.cu": "x"},
            "Çelik, Deniz.zip": {"toy/double.cu": "deniz", "toy_double.cu": "again", "x.cu": "x"},
            "Fay.zip": {"work\\toy\\double.cu": "fay"},
            "Emil/readme.md": "",
            ".hidden/toy/double.cu": "",
            "a file.txt": "",
        },
    )
    read = {one.student: one for one in submissions.read(tmp_path, KNOWN)}
    assert sorted(read) == ["Ada Lovelace", "Bo", "Emil", "Fay", "Çelik, Deniz"]
    ada, bo, emil, fay, deniz = (read[name] for name in sorted(read))
    assert fay.copies["toy/double"].data == b"fay"
    assert {n: c.data for n, c in ada.copies.items()} == {
        "toy/double": b"ada",
        "two_words/half": b"half",
    }
    assert ada.remarks == []
    assert bo.copies["toy/double"].data == b"bo"
    assert bo.copies["toy/double"].place == "work.zip/work/toy/double.cu" and bo.remarks == []
    assert "There is no file for an exercise" in emil.remarks[0]
    assert deniz.copies["toy/double"].place == "toy_double.cu"  # nearest the top
    assert len(deniz.remarks) == 2 and "toy/double.cu was not graded" in deniz.remarks[1]


def link(archive):
    member = zipfile.ZipInfo("toy/double.cu")
    member.external_attr = 0o120777 << 16
    archive.writestr(member, "/etc/passwd")


BAD_ZIPS = {
    "broken": (b"PK\3\4 and nothing more", "cannot be read as a zip"),
    "empty": (b"", "cannot be read as a zip"),
    "up": ({"toy/double.cu": "", "../toy/double.cu": ""}, "leaves its folder, '../toy/double.cu'"),
    "up on Windows": ({"a\\..\\..\\b.cu": ""}, "leaves its folder"),
    "from the root": ({"/etc/x.cu": ""}, "leaves its folder, '/etc/x.cu'"),
    "a drive": ({"C:/x.cu": ""}, "leaves its folder"),
}


@pytest.mark.parametrize("kind", BAD_ZIPS)
def test_a_bad_zip_is_refused_and_the_others_are_read(tmp_path, kind):
    content, said = BAD_ZIPS[kind]
    hand_in(tmp_path, {"Ada/toy/double.cu": "ada", "Bo.zip": content})
    ada, bo = submissions.read(tmp_path, KNOWN)
    assert ada.copies and not ada.remarks
    assert not bo.copies and said in bo.remarks[0]


def test_links_and_large_files_are_not_read(tmp_path):
    large = "x" * (300 * 1024)
    hand_in(tmp_path, {"Bo/toy/double.cu": large, "Ci.zip": {"toy/double.cu": large}})
    (tmp_path / "Ada" / "toy").mkdir(parents=True)
    (tmp_path / "Ada" / "toy" / "double.cu").symlink_to(tmp_path / "Bo" / "toy" / "double.cu")
    (tmp_path / "Ada" / "up").symlink_to(tmp_path)
    with zipfile.ZipFile(tmp_path / "Di.zip", "w") as archive:
        link(archive)
    said = [one.copies["toy/double"] for one in submissions.read(tmp_path, KNOWN)]
    assert [copy.data for copy in said] == [b""] * 4
    assert ["symbolic link" in copy.refused for copy in said] == [True, False, False, True]


def test_folders_that_are_left_out_are_named(tmp_path):
    hand_in(
        tmp_path,
        {
            "Ada/.mine/double.cu": "1",
            "Ada/.git/double.cu": "1",
            "Bo.zip": {".mine/double.cu": "1", "__MACOSX/double.cu": "1", "half.cu": "1"},
            ".Ci/toy/double.cu": "1",
            "__MACOSX/double.cu": "1",
        },
    )
    (tmp_path / "Ada" / "up").symlink_to(tmp_path)
    (tmp_path / "Di").symlink_to(tmp_path / "Ada")
    ada, bo = submissions.read(tmp_path, KNOWN)
    assert ada.remarks == [
        ".mine was left out: its name begins with a dot.",
        "up was left out: it is a symbolic link.",
    ]
    assert bo.remarks == [".mine/double.cu was left out: a folder's name begins with a dot."]
    assert list(bo.copies) == ["two_words/half"]
    assert submissions.left_out(tmp_path) == [
        ".Ci was left out: its name begins with a dot.",
        "Di was left out: it is a symbolic link.",
    ]


def test_a_folder_that_holds_no_class_is_a_sentence(toy, capsys):
    assert main(["class", "grade", str(toy / "nowhere")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    (toy / "empty").mkdir()
    assert main(["class", "grade", str(toy / "empty")]) == 2
    assert "holds no submission" in capsys.readouterr().err
    hand_in(toy / "both", {"Ada/x.cu": "", "Ada.zip": {"x.cu": ""}})
    assert main(["class", "grade", str(toy / "both")]) == 2
    assert "has both Ada and Ada.zip. Keep one." in capsys.readouterr().err
    assert main(["class", "grade", str(toy / "both"), "--exercises", "toy/duble"]) == 2
    assert "Did you mean 'toy/double'?" in capsys.readouterr().err
    assert main(["class", "grade", str(toy / "both"), "--out", str(toy / "both" / "x")]) == 2
    assert "Name another folder" in capsys.readouterr().err
    assert not (toy / "both-grades").exists()


# --- what comes of it ---------------------------------------------------------------------------


def test_equal_copies_are_listed_and_canvas_gets_its_table(toy, capsys):
    skeleton = exercises.skeleton_path("toy/double").read_text(encoding="utf-8")
    files = {"Ada": SOLUTION, "Bo": "// mine\n\n" + SOLUTION, "Ci": UNGUARDED}
    files |= {"Di": skeleton, "Emil": skeleton}
    folder = hand_in(toy / "in", {f"{who}/toy/double.cu": text for who, text in files.items()})
    (folder / ".Fay").mkdir()
    assert main(["class", "grade", str(folder), "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert "1 group of equal copies" in said and ".Fay was left out" in said
    out = toy / "in-grades"
    whole = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    assert whole["equal_copies"] == [{"exercise": "toy/double", "students": ["Ada", "Bo"]}]
    page = (out / "overview.html").read_text(encoding="utf-8")
    assert "<td>Ada, Bo</td>" in page and ".Fay was left out" in page
    assert (out / "canvas.csv").read_text(encoding="utf-8").splitlines()[:4] == [
        "Student,ID,SIS User ID,SIS Login ID,Section,toy/double",
        "Points Possible,,,,,10",
        "Ada,,,Ada,,10",
        "Bo,,,Bo,,10",
    ]


def test_a_class_is_graded_once_and_reported(toy, capsys):
    folder = hand_in(
        toy / "hand in",
        {
            "Ada Lovelace/toy/double.cu": SOLUTION,
            "Bo <b>/toy/double.cu": UNGUARDED,
            "Bo <b>/x.cu": "",
            "=Ci.zip": {
                "double.cu": exercises.skeleton_path("toy/double").read_text(encoding="utf-8")
            },
            "Di/double.cu": b"\0",
            "Emil.zip": {"../x.cu": ""},
        },
    )
    out = toy / "hand in-grades"
    command = ["class", "grade", str(folder), "--seed", "3"]
    assert main(command) == 0
    assert "5 students, 1 exercise: 4 files graded." in capsys.readouterr().out
    points = {student: row["toy/double"] for student, row in table(out).items()}
    assert points == {"Ada Lovelace": "10", "Bo <b>": "0", "'=Ci": "0", "Di": "0", "Emil": ""}
    assert (out / "feedback" / "Bo <b>.html").is_file()
    bo = (out / "feedback" / "Bo <b>.html").read_text(encoding="utf-8")
    assert "First failure: right at 1" in bo and "Bo &lt;b&gt;" in bo and "Bo <b>" not in bo
    assert "x.cu is for no exercise that there is" in bo and "seed=3" in bo and "Hint 2" in bo
    assert "as it was handed out" in (out / "feedback" / "=Ci.html").read_text(encoding="utf-8")
    assert "is no text" in (out / "feedback" / "Di.html").read_text(encoding="utf-8")
    emil = (out / "feedback" / "Emil.html").read_text(encoding="utf-8")
    assert "leaves its folder" in emil and "Nothing was handed in" in emil
    page = (out / "overview.html").read_text(encoding="utf-8")
    assert "The most frequent first failures" in page and "<td>right at 1</td>" in page
    assert "<td>unchanged</td>" in page and "<td>✓</td>" in page
    whole = json.loads((out / "grades.json").read_text(encoding="utf-8"))
    assert whole["students"][1]["exercises"]["toy/double"]["points"] == 10
    # Again: nothing is graded twice, but what has changed.
    assert len(journal(out)) == 4
    assert main(command) == 0
    assert "0 files graded, 4 known from before" in capsys.readouterr().out
    (folder / "Bo <b>" / "toy" / "double.cu").write_text(SOLUTION, encoding="utf-8")
    assert main(["class", "grade", str(folder)]) == 0  # with the seed that it had
    assert "1 file graded, 3 known from before" in capsys.readouterr().out
    assert len(journal(out)) == 5 and table(out)["Bo <b>"]["toy/double"] == "10"


def test_time_is_limited_for_a_file_and_for_a_student(toy, capsys):
    folder = hand_in(
        toy / "in",
        {"Ada/toy/double.cu": SLOW, "Ada/toy/neighbours.cu": SLOW, "Bo/toy/double.cu": SOLUTION},
    )
    limits = ["--seconds", "0.5", "--total", "0.4", "--workers", "1"]
    assert main(["class", "grade", str(folder), *limits]) == 1
    assert "1 not graded, such as: toy/neighbours.cu was not" in capsys.readouterr().out
    out = toy / "in-grades"
    assert table(out)["Ada"] == {
        "toy/double": "0",
        "toy/neighbours": "",
        "total": "0",
        "out of": "20",
    }
    assert table(out)["Bo"]["toy/double"] == "10"
    assert "The same command takes these up again" in (out / "overview.html").read_text(
        encoding="utf-8"
    )
    # With more time, what was stopped and what was left out are graded, and nothing else.
    limits = ["--seconds", "0.6", "--total", "99"]
    assert main(["class", "grade", str(folder), *limits]) == 0
    assert "2 files graded, 1 known" in capsys.readouterr().out


def test_a_teachers_seed_is_shown_to_nobody(toy, monkeypatch):
    (toy / "secret.toml").write_text(
        'seed = "hidden words"\n[sizes]\n"toy/double" = [77]\n', encoding="utf-8"
    )
    monkeypatch.setenv("WARPBOOK_TEACHER", str(toy / "secret.toml"))
    folder = hand_in(toy / "in", {"Ada/toy/double.cu": SOLUTION})
    assert main(["class", "grade", str(folder)]) == 0
    page = (toy / "in-grades" / "feedback" / "Ada.html").read_text(encoding="utf-8")
    assert "right at 77" in page and "seed" not in page
    assert len(journal(toy / "in-grades")) == 1
    (toy / "secret.toml").write_text('seed = "others"', encoding="utf-8")
    assert main(["class", "grade", str(folder)]) == 0
    assert len(journal(toy / "in-grades")) == 2


def test_two_gradings_into_one_folder_do_not_mix(toy):
    folder = hand_in(toy / "in", {"Ada/toy/double.cu": SOLUTION})
    with classes._journal(toy / "out"), pytest.raises(RuntimeError, match="another grading"):
        classes.grade_class(folder, toy / "out")


# --- nothing is lost ----------------------------------------------------------------------------

STUDENTS, EASY = 12, ("vector_add/saxpy", "warps/place")


def book_class(folder):
    """A class that hands in two exercises of the book, all of them solved."""
    for number in range(STUDENTS):
        for name in EASY:
            text = exercises.solution_path(name).read_text(encoding="utf-8") + f"// {number}\n"
            hand_in(folder, {f"Student {number}/{name}.cu": text})
    return folder


def gradings(out):
    path = out / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def test_a_class_resumes_after_ctrl_c_and_after_a_kill(tmp_path):
    folder, out = book_class(tmp_path / "in"), tmp_path / "in-grades"
    command = [sys.executable, "-m", "warpbook", "class", "grade", str(folder), "--workers=2"]
    for end, status in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL), (None, 0)):
        before = gradings(out)
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # a run in the background is started with SIGINT ignored, and its children inherit that
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while end and process.poll() is None and gradings(out) < before + 3:
            time.sleep(0.01)
        if end:
            process.send_signal(end)
            process.send_signal(end)  # in a hurry
        said, complaint = process.communicate(timeout=60)
        assert process.returncode == status, complaint
        if end == signal.SIGINT:
            assert "files are graded and kept; the same command goes on" in complaint
            assert len(table(out)) == STUDENTS
            with open(
                out / "journal.jsonl", "a", encoding="utf-8"
            ) as file:  # as if the power had failed
                file.write('{"student": "Stu')
        assert len(journal_of_whole_lines(out)) < 2 * STUDENTS or end is None
    assert len(journal(out)) == 2 * STUDENTS and "known from before" in said
    assert {row["total"] for row in table(out).values()} == {"20"}


def journal_of_whole_lines(out):
    return [
        line
        for line in (out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        if line[-1] == "}"
    ]


def test_a_cluster_loses_a_worker_and_no_grading(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs the extra 'class'")
    folder, out, done = book_class(tmp_path / "in"), tmp_path / "out", []
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster:
        update = classes.Progress.update

        def and_kill(bar, *so_far):
            done.append(so_far)
            if len(done) == 3:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            update(bar, *so_far)

        monkeypatch.setattr(classes.Progress, "update", and_kill)
        course = classes.grade_class(folder, out, dask=cluster.scheduler_address)
    assert not course.missed and len(done) == len(journal(out)) == 2 * STUDENTS
    assert all(entry["points"] == 10 for entry in course.results.values())


def test_a_cluster_that_is_not_there_is_a_sentence(tmp_path, monkeypatch, capsys):
    hand_in(tmp_path / "in", {"Ada/vector_add/saxpy.cu": ""})
    command = ["class", "grade", str(tmp_path / "in"), "--dask"]
    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=None))
    assert main([*command, "somewhere"]) == 2
    assert "Write it as tcp://HOST:8786." in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*command, "tcp://127.0.0.1:9"]) == 2
    assert "pip install -c requirements.txt -e '.[class]'" in capsys.readouterr().err


def test_a_machine_with_another_edition_grades_nothing(toy):
    copy = (exercises.skeleton_path("toy/double").read_bytes(), classes.draws.Draw(1), 60.0)
    job = classes.Job("Ada", "toy/double", "double.cu", *copy, "another", "key")
    with pytest.raises(RuntimeError, match="another edition"):
        classes.judge(job)


def test_the_container_copies_what_is_there():
    text = (ROOT / "tools" / "grading.Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", text, re.M) for word in line.split()]
    assert len(copied) > 6 and all((ROOT / name).exists() for name in copied)
    assert "--network none" in text and "--memory" in text
    assert re.search(r'^ENTRYPOINT \["python", "-m", "warpbook", "class", "grade"\]$', text, re.M)
