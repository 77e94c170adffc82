"""The command line: what readers, students and teachers type. python -m warpbook --help"""

import argparse
import os
import sys


def main(arguments=None):
    """Run one command; return its exit status: 0 done, 1 not passed, 2 could not be tried."""
    try:
        status = _command(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # of `| head`, which has read enough: 141, as any other tool
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except ModuleNotFoundError as lack:
        if (lack.name or "warpbook").partition(".")[0] == "warpbook":
            raise
        print(
            f"warpbook: this Python ({sys.executable}) has no {lack.name}. `make lab` sets up one "
            "that has: .venv/bin/python -m warpbook; or run pip install -e . in this one.",
            file=sys.stderr,
        )
        return 2


def _command(arguments):
    # '-dash.cu' is a file, not an option
    arguments = [f"./{w}" if w.startswith("-") and w.endswith(".cu") else w for w in arguments]
    given, rest = _parser().parse_known_args(arguments)
    given.words = rest if given.command == "trace" else []
    if wrong := [word for word in rest if word.startswith("-") or given.command != "trace"]:
        _parser().error(f"unrecognized arguments: {' '.join(wrong)}")
    try:
        return given.run(given)
    except BrokenPipeError:
        raise
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        print(f"warpbook {given.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"warpbook {given.command}: interrupted", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m warpbook", description="Warp by Warp's tools.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    record = commands.add_parser(
        "record",
        help="execute chapters and lab notes on this GPU and save them",
        description="Execute pages on this GPU; each is saved as it ends. Exit 0: all are "
        "recorded; 1: there was no time for some, and the same command goes on; 2: one failed.",
    )
    record.add_argument(
        "page",
        nargs="*",
        help="coalescing: the chapter; lab/coalescing: its lab notes; 05: both; else all stale",
    )
    record.add_argument(
        "--results",
        action="store_true",
        help="write book/results/<gpu>/ and leave the pages as they are",
    )
    record.add_argument("--all", action="store_true", help="also pages that are not stale")
    record.add_argument(
        "--seconds", type=float, metavar="N", help="begin no page that would end later"
    )
    record.add_argument("--gpus", type=int, default=1, metavar="N", help="so many pages at a time")
    record.add_argument(
        "--listings",
        action="store_true",
        help="with no GPU, write only what no machine changes: listings, diffs and traces",
    )
    record.set_defaults(run=_record)

    stale = commands.add_parser(
        "stale", help="list the pages of which something that was measured has changed"
    )
    stale.add_argument(
        "--check",
        action="store_true",
        help="exit 1 if the newest section of CHANGELOG.md does not name them all",
    )
    stale.add_argument(
        "--claims", action="store_true", help="list instead the claims that name no control"
    )
    stale.set_defaults(run=_stale)

    reword = commands.add_parser(
        "reword",
        help="word recorded claims as their cells say today, from the numbers that were measured",
    )
    reword.add_argument("page", nargs="*", help="as for record; all by default")
    reword.set_defaults(run=_reword)

    profile = commands.add_parser("profile", help="collect the profiler's counters on this GPU")
    profile.add_argument(
        "topic", nargs="*", help="such as coalescing, or the path of a counters.txt; all by default"
    )
    profile.set_defaults(run=_profile)

    address = commands.add_parser(
        "address", help="write the set-up cell, with the address in _config.yml, into all pages"
    )
    address.set_defaults(run=_address)

    skeleton = commands.add_parser("skeleton", help="write every exercise from its solution")
    skeleton.add_argument(
        "--check",
        action="store_true",
        help="write nothing; list those that are not current and exit 1",
    )
    skeleton.set_defaults(run=_skeleton)

    _add_exercises(commands)
    _add_store(commands)
    _add_class(commands)
    grade = commands.add_parser("grade", help="grade an exercise; exit 0 at full points")
    grade.add_argument("exercise", help="such as coalescing/fix_stride")
    grade.add_argument("file", nargs="?", help="a .cu file; your copy in work/ by default")
    grade.add_argument("--hints", action="store_true", help="show the hints instead")
    grade.add_argument("--seconds", type=float, metavar="N", help="for all checks together (60)")
    grade.add_argument("--seed", type=int, metavar="N", help="repeat the grading that named it")
    grade.set_defaults(run=_grade)

    _add_trace(commands)
    run = commands.add_parser(
        "run",
        help="launch a kernel of the book: check it, time it on a GPU, else count what it asks",
        description="Launch a kernel of the book once: check its result against the formula in its "
        "header, time it on a GPU or count in the emulator. Exit 0: right, or nothing to check it "
        "by; 1: wrong, or a fault; 2: it could not be run.",
        epilog="Grid, block and arrays come from the kernel's header; grid=4 and block=128 on the "
        "line go before it. kernels/*/counters.txt are full of such lines.",
    )
    run.add_argument(
        "line", nargs="+", help="such as coalescing/01_strided n=500 STRIDE=4, quoted or not"
    )
    run.set_defaults(run=_run)

    doctor = commands.add_parser("doctor", help="say what this machine can do")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_exercises(commands):
    listed = commands.add_parser("list", help="list the exercises, and which you have begun")
    listed.add_argument("topic", nargs="*", help="such as coalescing; all by default")
    listed.set_defaults(run=_list)
    for name, run, what in (
        ("start", _start, "copy an exercise's skeleton to work/; a copy that is there stays"),
        ("reset", _start, "begin an exercise anew; what you had is kept under another name"),
        ("hints", _hints, "show the hints of an exercise"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("exercise", help="such as coalescing/fix_stride")
        command.set_defaults(run=run)


def _add_store(commands):
    store = commands.add_parser(
        "store",
        help="keep what pages compile, for machines without a compiler",
        description="Run pages in the emulator and write FOLDER/<page>.zip with all that each had "
        "compiled. It needs no GPU. Where there is no compiler, name the folder in the environment "
        "variable WARPEMU_COMPILED.",
    )
    store.add_argument("folder", metavar="FOLDER")
    store.add_argument("pages", nargs="*", metavar="page", help="as for record; else all chapters")
    store.set_defaults(run=_store)


def _add_class(commands):
    group = commands.add_parser("class", help="grade a class's submissions; write editions")
    actions = group.add_subparsers(dest="action", required=True, metavar="action")
    grade = actions.add_parser(
        "grade",
        help="grade a folder of submissions, on all cores",
        description="Grade a folder with a subfolder or a zip for each student. The same command "
        "goes on where an earlier one was stopped. Exit 0: all is graded, whatever the points; "
        "1: some files could not be graded; 130: stopped by Ctrl-C.",
    )
    grade.add_argument("folder", metavar="FOLDER")
    for option, kind, what in (
        ("--out", str, "folder for the results (FOLDER-grades)"),
        ("--seconds", float, "for all checks of one file (60)"),
        ("--total", float, "seconds for all files of one student (900)"),
        ("--seed", int, "of all gradings; else that of the run before, or a new one"),
        ("--workers", int, "gradings at once; else one for each core"),
        ("--dask", str, "the address of a dask scheduler, whose workers do the grading"),
    ):
        grade.add_argument(option, type=kind, help=what)
    grade.add_argument(
        "--exercises", nargs="+", metavar="NAME", help="those asked; else all that are handed in"
    )
    grade.set_defaults(seconds=60.0, total=900.0)
    grade.set_defaults(run=_class_grade)
    release = actions.add_parser(
        "release",
        help="write an edition without solutions, or a teacher's",
        description="Write an edition for students: without solutions, answers and tests.",
    )
    release.add_argument("folder", metavar="FOLDER", help="that is not there yet")
    release.add_argument("--with-solutions", action="store_true", help="the teacher's edition")
    release.add_argument(
        "--variant",
        type=int,
        metavar="SEED",
        help="other names, orders of parameters, sizes and constants; takes a minute or two",
    )
    release.set_defaults(run=_class_release)


def _add_trace(commands):
    trace = commands.add_parser(
        "trace",
        help="run your own kernel in the emulator; exit 1 on a finding",
        usage="%(prog)s FILE.cu [--grid G --block B [options] NAME=VALUE ...]",
        description="Run one launch of a kernel from any CUDA C++ file, with no GPU: its counts, "
        "its source with what each line costs, and its faults. Exit 0: clean; 1: a finding; "
        "2: it could not be run.",
        epilog="FILE.cu alone lists its kernels and launches and says a command to try. "
        "NAME=VALUE: one for each parameter of the kernel, such as in=rand:f4:1024 or "
        "n=1024. Leave them out to see the kernel's parameters and all the kinds of values. The "
        "book's page 'Your own kernels' has an example.",
    )
    trace.add_argument("file", metavar="FILE.cu")
    trace.add_argument("--grid", help="blocks: 64, or 64,2 or 64x2")
    trace.add_argument("--block", help="threads of a block: 256, or 16,16")
    trace.add_argument("--kernel", metavar="NAME", help="which one: scale, or 'scale<float, 4>'")
    trace.add_argument(
        "--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory"
    )
    trace.add_argument(
        "-I",
        "--include",
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of headers, beside the file's own",
    )
    trace.add_argument("-D", "--define", action="append", default=[], metavar="NAME[=VALUE]")
    trace.add_argument("--arch", default="compute_90", help="compute_90 unless you say so")
    trace.add_argument(
        "--seconds", type=float, default=300.0, metavar="N", help="stop after so long (300)"
    )
    trace.add_argument("--seed", type=int, default=0, help="of the random arrays (0)")
    trace.add_argument("--html", metavar="FILE", help="write all of it as one page, too")
    trace.add_argument("--save", metavar="DIR", help="write the arrays after the launch, as .npy")
    trace.set_defaults(run=_trace)


def _record(given):
    from warpbook.recording import chapters, same_everywhere

    if given.listings:
        for path in same_everywhere.refresh(given.page):
            print(f"wrote {path}")
        return 0
    left = chapters.record(given.page, given.results, given.seconds, given.gpus, given.all)
    if left:
        print(f"No time was left for: {', '.join(left)}. The same command goes on.")
    return 1 if left else 0


def _stale(given):
    from warpbook.recording import chapters, controls
    from warpbook.recording.chapters import ROOT

    if given.claims:
        for path in chapters.pages():
            for cell, sentence in controls.missing(path):
                print(f"{chapters.name(path)}, cell {cell}: {sentence}")
        return 0
    pages = chapters.stale()
    for name, what in pages.items():
        print(f"{name}: {chapters.since(what, most=99)}")
    print(f"{len(pages)} of {len(chapters.pages())} pages are stale.")
    if not given.check:
        return 0
    released = chapters.released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if unnamed := [name for name in pages if name not in released]:
        print(
            f"The newest section of CHANGELOG.md does not name {', '.join(unnamed)}. Record them, "
            f"or say so to the readers there:\n\nStale pages: {', '.join(pages)}."
        )
    return 1 if unnamed else 0


def _reword(given):
    from warpbook.recording import chapters, wording

    failed = False
    for path in chapters.chosen(given.page):
        gpu = chapters.stamp(path).get("gpu")
        if not gpu:
            continue
        try:
            changed = wording.reword_page(path, chapters.slug(path), gpu)
        except ValueError as error:
            print(f"{chapters.name(path)}: {error}")
            failed = True
        else:
            if changed:
                print(f"{chapters.name(path)}: {changed} claims")
    return int(failed)


def _profile(given):
    from warpbook.measure.profiler import collect_topics

    collect_topics(given.topic)
    return 0


def _address(_):
    from warpbook.recording.chapters import address, write_setup_cells

    changed = write_setup_cells()
    print(f"{address() or 'no address'}: {len(changed)} pages changed")
    return 0


def _skeleton(given):
    from warpbook.grading.exercises import shown, skeletons

    stale = skeletons(check=given.check)
    for path in stale:
        print(
            f"{shown(path)} is not what its solution gives: run python -m warpbook skeleton"
            if given.check
            else f"wrote {shown(path)}"
        )
    return 1 if stale and given.check else 0


def _grade(given):
    from warpbook.grading.grade import grade

    if given.hints:
        return _hints(given)
    options = {"seconds": given.seconds, "seed": given.seed}
    options = {name: value for name, value in options.items() if value is not None}
    result = grade(given.exercise, given.file, **options)
    print(result)
    return 0 if result.full else 1


def _list(given):
    from warpbook.grading.exercises import listing

    print(listing(given.topic))
    return 0


def _start(given):
    from warpbook.grading.exercises import shown, start

    copy = start(given.exercise, reset=given.command == "reset")
    if copy.kept:
        print(f"Your earlier copy is now {shown(copy.kept)}.")
    if copy.new:
        print(f"Edit {shown(copy.path)}, then run: python -m warpbook grade {copy.name}")
    else:
        print(
            f"{shown(copy.path)} is there already and stays as it is. To begin anew: "
            f"python -m warpbook reset {copy.name}"
        )
    return 0


def _hints(given):
    from warpbook.grading.exercises import hints

    for number, hint in enumerate(hints(given.exercise), 1):
        print(f"Hint {number}: {hint}")
    return 0


def _store(given):
    from pathlib import Path

    from warpbook.recording import chapters, precompiled

    for path in chapters.chosen(given.pages) if given.pages else chapters.chapters():
        kept = precompiled.keep(path, Path(given.folder))
        print(f"{kept}: {kept.stat().st_size / 1e6:.2f} MB", flush=True)
    return 0


def _class_grade(given):
    from pathlib import Path

    from warpbook.grading import reports
    from warpbook.grading.classes import grade_class

    folder = Path(given.folder).absolute()
    out = Path(given.out).absolute() if given.out else folder.with_name(f"{folder.name}-grades")
    if out.is_relative_to(folder):
        raise ValueError(f"{out} lies among the submissions. Name another folder: --out FOLDER.")
    options = {name: getattr(given, name) for name in ("seconds", "total", "seed", "workers")}
    for name in ("seconds", "total", "workers"):
        if options[name] is not None and not options[name] > 0:
            raise ValueError(f"--{name} is {options[name]:g}: give a number above 0.")
    try:
        course = grade_class(folder, out, given.exercises, **options, dask=given.dask)
    except KeyboardInterrupt as stopped:
        if not stopped.args:
            raise
        (course,) = stopped.args
        reports.write(course, out)
        print(
            f"Stopped. {len(course.results)} files are graded and kept; the same command goes on.",
            file=sys.stderr,
        )
        return 130
    reports.write(course, out)
    print(course.summary())
    print(f"See {out / 'overview.html'}, grades.csv, canvas.csv and feedback/ beside it.")
    return 1 if course.missed else 0


def _class_release(given):
    from warpbook.grading.release import release

    edition = release(given.folder, given.with_solutions, given.variant)
    print(f"{edition.files} files in {edition.folder}")
    if given.variant is not None:
        print(
            f"{len(edition.changed)} exercises are variant {given.variant}. As they were: "
            f"{', '.join(edition.unchanged) or 'none'}."
        )
    return 0


def _trace(given):
    from warpbook.measure.own_kernels import report
    from warpemu.nvrtc import CompileError

    try:
        return report(given)
    except (CompileError, TypeError) as error:
        print(f"warpbook trace: {error}", file=sys.stderr)
        return 2


def _run(given):
    from warpbook.measure.run_line import run_line
    from warpemu import Finding
    from warpemu.nvrtc import CompileError

    try:
        print(run_line(" ".join(given.line)))
        return 0
    except (AssertionError, Finding) as wrong:
        print(f"warpbook run: {wrong}", file=sys.stderr)
        return 1
    except (CompileError, TypeError) as error:
        print(f"warpbook run: {error}", file=sys.stderr)
        return 2


def _doctor(_):
    from warpbook.gpu.doctor import doctor

    return doctor()


if __name__ == "__main__":
    sys.exit(main())
