"""Attacks on the grader: files, environment, orphans, forgery, endless work, links, answers."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import planted
import pytest
from grading_helpers import GRADING, edited, graded
from helpers import ROOT, TESTS

from warpbook.grading import forks, intake
from warpbook.grading.draws import Draw
from warpbook.grading.exercises import skeleton_path, solution_path, specification
from warpbook.grading.grade import grade

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
SECRET = "swordfish"


# --- files of the host --------------------------------------------------------------------------

READS = {
    "quoted": '#include "{secret}"',
    "in angle brackets": "#include <{secret}>",
    "the environment": '#include "/proc/self/environ"',
    "one folder up": '#include "../secret.h"',
    "down and up": "#include <cuda/../../../../../../../../../../{secret}>",
    "indented": '  #  include\t"{secret}"',
    "a digraph": '%:include "{secret}"',
    "a splice in the word": '#inc\\\nlude "{secret}"',
    "a splice in the name": '#include "/\\\n{secret}"',
    "comments between": '/* a */ # /* b\n */ include /* c */ "{secret}"',
    "white space of other kinds": '\f\v#\finclude\v"{secret}"',
    "computed": '#define FILE "{secret}"\n#include FILE',
    "made a string": "#define S(x) #x\n#include S({secret})",
    "the file's own name": '#line 1 "{secret}"\n#include __FILE__',
    "behind a digit separator": "constexpr int a = 1'0; // ' /*\n#include \"{secret}\"\n//*/",
    "behind a raw string": 'static constexpr char s[] = R"(\n/*)";\n#include "{secret}"\n//*/',
    "a file beside the copy": '#include "beside.h"',
    "a link beside the copy": '#include "link.h"',
    "next": '#include_next "{secret}"',
    "asked for": '#if __has_include("{secret}")\n#error swordfish\n#endif',
    "asked for by another name": "#define H __has_include\n#if H(</etc/hosts>)\n#error swordfish\n"
    "#endif",
    "embedded": '__constant__ char s[] = {{\n#embed "{secret}"\n}};',
    "imported": '#import "{secret}"',
    "by the assembler": '__device__ void f() {{ asm(".incbin \\"{secret}\\""); }}',
}


@pytest.mark.parametrize("way", READS)
def test_a_kernel_reads_no_other_file(toy, way):
    secret = toy / "secret.h"
    secret.write_text(f"#error {SECRET}\n", encoding="utf-8")
    (toy / "beside.h").write_text(f"#error {SECRET}\n", encoding="utf-8")
    (toy / "link.h").symlink_to(secret)
    text = READS[way].format(secret=secret)
    result = graded(toy, "extern", f"{text}\nextern")
    assert result.points == 0 and result.first_failure.name == "compiles"
    assert "is refused: a file is graded alone" in result.first_failure.detail, result
    assert SECRET not in repr(result)


def test_the_refusal_names_the_line(toy):
    result = graded(toy, "extern", '\\\n\n#include "/etc/hostname"\nextern')
    said = 'copy.cu:7: #include "/etc/hostname" is refused'
    assert result.first_failure.detail.startswith(said), result


@pytest.mark.parametrize(
    "text",
    [
        "#include <cuda_fp16.h>  // half",
        '#include "cuda_fp16.h"',
        "#include <cuda/std/limits>",
        "#  include /* here */ <math_constants.h>",
        "// with no includes",
        "#ifdef __has_include\n#if __has_include(<cuda_fp16.h>)\n#endif\n#endif",
    ],
)
def test_the_compilers_own_headers_are_let_in(toy, text):
    assert graded(toy, "extern", f"{text}\nextern").full


def test_every_kernel_of_the_book_is_let_in(tmp_path):
    given = [one.write(tmp_path) for name in planted.names() for one in planted.planted(name)]
    for number, path in enumerate([*(ROOT / "kernels").rglob("*.cu"), *given]):
        path = shutil.copy(path, tmp_path / f"{number}.cu")  # beside no other file
        intake.check_file(path)
        intake.check_includes(path)


def test_many_comments_take_no_time(toy):
    path = toy / "copy.cu"
    path.write_text("#" + "/**/" * 60_000 + "x\n" + edited(), encoding="utf-8")
    began = time.monotonic()
    intake.check_includes(path)
    assert time.monotonic() - began < 5


def test_a_link_to_the_solution_is_refused(toy):
    copy = toy / "work" / "toy" / "double.cu"
    copy.parent.mkdir(parents=True)
    copy.symlink_to(solution_path("toy/double"))
    with pytest.raises(ValueError, match=r"double\.cu is a symbolic link.*copy what it leads to"):
        grade("toy/double")


def test_a_link_that_leads_nowhere_is_one_too(toy):
    (toy / "copy.cu").symlink_to(toy / "nowhere.cu")
    with pytest.raises(ValueError, match="symbolic link"):
        grade("toy/double", toy / "copy.cu")


def test_a_file_of_50_mb_is_refused_at_once(toy):
    path = toy / "copy.cu"
    path.write_text(edited() + "//" + "x" * 50_000_000, encoding="utf-8")
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"50,000,\d\d\d bytes; a file of at most 262,144"):
        grade("toy/double", path)
    assert time.monotonic() - began < 2


# --- the child's process ------------------------------------------------------------------------


def specify(old, new):
    """Change the toy's grading.py."""
    assert old in GRADING
    skeleton_path("toy/double").with_name("grading.py").write_text(
        GRADING.replace(old, new, 1), encoding="utf-8"
    )


def test_the_child_sees_no_secret_of_the_environment(toy, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    specify(
        "    a = rng", "    import os; print(sorted(os.environ.items()), os.getcwd())\n    a = rng"
    )
    result = graded(toy)
    assert result.full
    assert SECRET not in result.printed
    assert "CUDA_VISIBLE_DEVICES" in result.printed and "'PATH'" in result.printed


def test_the_child_runs_in_an_empty_folder(toy):
    specify("    a = rng", "    import os; print('here', os.listdir())\n    a = rng")
    assert "here []" in graded(toy).printed


GRADER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from warpbook.grading import grade as grading
from warpbook.launch import source
source.KERNELS, grading.GPU = Path({kernels!r}), False
grading.grade("toy/double", {path!r}, seconds=600)
"""


def descendants(pid):
    """The running processes that ``pid`` started, and those that these did."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found + [each for child in found for each in descendants(child)]


def running(pid):
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


def until(condition, seconds=30):
    """Wait until a condition holds and return what it gives; at most so long."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@linux
@pytest.mark.parametrize("early", [True, False])
def test_the_child_dies_with_its_grader(toy, early):
    (toy / "copy.cu").write_text(edited(), encoding="utf-8")
    specify("    a = rng", "    import time; time.sleep(600)\n    a = rng")
    code = GRADER.format(tests=str(TESTS), kernels=str(toy / "kernels"), path=str(toy / "copy.cu"))
    grader = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    orphans = []
    try:
        # the server alone; or the server, the keeper and the child at its work
        enough = 1 if early else 3
        orphans = until(lambda: len(descendants(grader.pid)) >= enough and descendants(grader.pid))
        assert orphans, "no child"
        grader.kill()
        grader.wait()
        assert until(lambda: not any(map(running, orphans)), 15), "the child runs on"
    finally:
        grader.kill()
        for orphan in filter(running, orphans or []):
            os.kill(orphan, signal.SIGKILL)


@linux
def test_a_server_that_is_gone_is_started_anew(toy):
    assert graded(toy).full
    _, server = forks._server
    server.kill()
    server.wait()
    assert graded(toy).full and forks._server[1].pid != server.pid


@linux
def test_a_child_does_not_outlive_its_server(toy):
    specify("    a = rng", "    import os, time; print(os.getpid()); time.sleep(600)\n    a = rng")
    results = []
    grading = threading.Thread(target=lambda: results.append(graded(toy)))
    grading.start()
    _, server = until(lambda: forks._server)
    family = until(lambda: len(descendants(server.pid)) == 2 and descendants(server.pid))
    server.kill()
    grading.join(30)
    assert "ended with SIGKILL" in results[0].first_failure.detail
    assert until(lambda: not any(map(running, family)), 15)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_childs_cpu_time_is_limited():
    code = "from warpbook.grading import child; child.confine(0.5)\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60)
    assert done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)


@linux
def test_a_child_whose_grader_is_gone_ends_at_once():
    code = "from warpbook.grading import child; child.die_with(1 << 22); print('goes on')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert done.returncode == -signal.SIGKILL and done.stdout == b""


def test_the_limit_is_one_for_all_checks(toy):
    specify("    a = rng", "    import time; time.sleep(0.4)\n    a = rng")
    assert graded(toy, seconds=30).full
    result = graded(toy, seconds=0.9)  # each check takes 0.4
    assert not result.full
    said = result.first_failure.detail
    assert "took 0.9 seconds" in said and "seconds=1.8" in said
    assert result.rows[0].passed, "compiles"


ENDLESS = """
template <int N, int M> struct F { static const int v = F<N-1, 2*M>::v + F<N-1, 2*M+1>::v; };
template <int M> struct F<0, M> { static const int v = M; };
__constant__ int f = F<40, 1>::v;
extern"""


def test_an_endless_compilation_is_stopped(toy):
    began = time.monotonic()
    result = graded(toy, "extern", ENDLESS, seconds=2)
    assert time.monotonic() - began < 30
    assert result.points == 0 and result.first_failure.name == "compiles"
    assert "what its compiler works out" in result.first_failure.detail, result


# --- forged output ------------------------------------------------------------------------------


def test_control_characters_of_a_kernel_are_shown_and_not_obeyed(toy):
    code = r"""printf("\033[2J\033[1;1Htoy: 10 of 10\r\a\b"); out[i] = 0;"""
    result = graded(toy, "out[i] = 2 * in[i];", code)
    for shown in (repr(result), result._repr_html_()):
        assert r"\x1b[2J\x1b[1;1Htoy: 10 of 10\r\x07\x08" in shown
        assert all(c.isprintable() or c in "\n\t" for c in shown)


def test_control_characters_of_a_source_line_and_a_file_name_are_shown(toy):
    path = toy / "a\x1b[2Jb.cu"
    path.write_text(edited("2 * in[i];", "2 * in[i] \x1b[31m \u202e;"), encoding="utf-8")
    result = grade("toy/double", path)
    assert r"\x1b[31m \u202e" in repr(result) and r"a\x1b[2Jb.cu" in repr(result)
    for shown in (repr(result), result._repr_html_()):
        assert all(c.isprintable() or c in "\n\t" for c in shown)


def test_a_table_that_a_kernel_prints_is_marked_as_its_own(toy):
    code = r"""printf("\ntoy/double: 10 of 10 points (copy.cu)\n\ncompiles passed\n");
               out[i] = 0;"""
    result = graded(toy, "out[i] = 2 * in[i];", code)
    titles = [line for line in repr(result).splitlines() if line.startswith("toy/double:")]
    assert titles == ["toy/double: 0 of 10 points (copy.cu)"]
    assert "| toy/double: 10 of 10 points (copy.cu)" in repr(result)


def test_a_file_name_forges_no_table(toy):
    path = toy / "copy\ntoy: 10 of 10 points.cu"
    path.write_text(edited("2 * in[i];", "2 * in[i]"), encoding="utf-8")
    result = grade("toy/double", path)
    assert r"(copy\ntoy: 10 of 10 points.cu)" in repr(result).splitlines()[0]
    assert r"(copy\ntoy: 10 of 10 points.cu)</caption>" in result._repr_html_()


def test_what_a_crashed_child_printed_is_marked_too(toy):
    specify(
        "    a = rng", "    import os; print('toy: 10 of 10', flush=True); os.abort()\n    a = rng"
    )
    said = graded(toy).first_failure.detail
    assert "ended with SIGABRT" in said and "\n| toy: 10 of 10" in said


# --- answers without work -----------------------------------------------------------------------

CHANGES = """\
    if (i < n) {
        out[i] = 2 * in[i];
        const_cast<float*>(in)[i] = 0;
    }
"""


def test_an_input_that_is_changed_fails(toy):
    result = graded(
        toy, edited()[edited().index("    if (i") : edited().index("    // END")], CHANGES
    )
    assert result.points == 0 and result.first_failure.name == "right at 1"
    assert result.first_failure.detail == "in is an input, and the kernel has changed it."


def answers(seed):
    """The toy's solution as a table of the right answers of one seed, which passes with it."""
    spec = specification("toy/double")
    cases = {}
    for size in Draw(seed).all_sizes(spec.sizes):
        want = spec.make(size, np.random.default_rng((seed, size))).want
        cases[size] = ", ".join(f"{number!r}f" for number in want.tolist())
    tables = "".join(
        f"__constant__ float of_{n}[{n}] = {{{numbers}}};\n" for n, numbers in cases.items()
    )
    choice = "".join(f"if (i < n && n == {n}) out[i] = of_{n}[i] + 0 * in[i]; " for n in cases)
    return edited("if (i < n) {\n        out[i] = 2 * in[i];\n    }", choice).replace(
        "extern", f"{tables}extern", 1
    )


def test_a_table_of_answers_passes_with_its_own_seed_alone(toy):
    (toy / "copy.cu").write_text(answers(seed=1), encoding="utf-8")
    assert grade("toy/double", toy / "copy.cu", seed=1).full
    other = grade("toy/double", toy / "copy.cu", seed=2)
    assert other.points == 0 and "elements are wrong" in other.first_failure.detail


def test_each_grading_draws_anew(toy):
    drawn = {graded(toy).seed for _ in range(3)}
    assert len(drawn) == 3


def test_a_teachers_seed_is_not_told(toy, monkeypatch):
    file = toy / "teacher.toml"
    file.write_text(f'seed = "{SECRET}"\n[sizes]\n"toy/double" = [77]\n', encoding="utf-8")
    monkeypatch.setenv("WARPBOOK_TEACHER", str(file))
    specify("    a = rng", "    import os; print(sorted(os.environ.items()))\n    a = rng")
    results = [graded(toy, "2 * in[i]", "in[i]") for _ in range(2)]
    (toy / "copy.cu").write_text(answers(seed=1), encoding="utf-8")
    results.append(grade("toy/double", toy / "copy.cu"))
    for result in results:
        shown = repr(result) + result._repr_html_()
        assert "right at 77" in shown and "seed" not in shown and result.seed is None
        assert SECRET not in shown and "WARPBOOK_TEACHER" not in shown
        assert result.points == 0
    assert [row.name for row in results[0].rows] == [row.name for row in results[1].rows]


@pytest.mark.parametrize("old, new, full", [("", "", True), ("2 * in[i]", "in[i]", False)])
def test_a_child_that_is_no_fork_judges_alike(toy, monkeypatch, old, new, full):
    forked = graded(toy, old, new, seed=3)
    monkeypatch.setattr(forks, "HERE", False)
    assert repr(graded(toy, old, new, seed=3)) == repr(forked) and forked.full == full
