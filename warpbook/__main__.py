"""The command line: what readers, students and teachers type. python -m warpbook --help"""

import argparse
import sys


def main(arguments=None):
    """Run one command; return its exit status: 0 done, 1 not passed, 2 could not be tried."""
    given = _parser().parse_args(arguments)
    try:
        return given.run(given)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        print(f"warpbook {given.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"warpbook {given.command}: interrupted", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m warpbook", description="Warp by Warp's tools.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    record = commands.add_parser("record", help="execute chapters on this GPU and save them")
    record.add_argument("chapter", nargs="*", help="such as 05_coalescing or 05; all by default")
    record.add_argument(
        "--results",
        action="store_true",
        help="write book/results/<gpu>.csv and leave the pages as they are",
    )
    record.set_defaults(run=_record)

    profile = commands.add_parser("profile", help="collect the profiler's counters on this GPU")
    profile.add_argument(
        "topic", nargs="*", help="such as coalescing, or the path of a counters.txt; all by default"
    )
    profile.set_defaults(run=_profile)

    address = commands.add_parser(
        "address", help="write the set-up cell, with the address in _config.yml, into all chapters"
    )
    address.set_defaults(run=_address)

    skeleton = commands.add_parser("skeleton", help="write every exercise from its solution")
    skeleton.add_argument(
        "--check",
        action="store_true",
        help="write nothing; list those that are not current and exit 1",
    )
    skeleton.set_defaults(run=_skeleton)

    grade = commands.add_parser("grade", help="grade an exercise; exit 0 at full points")
    grade.add_argument("exercise", help="such as coalescing/fix_stride")
    grade.add_argument("file", nargs="?", help="a .cu file; your copy in work/ by default")
    grade.add_argument("--hints", action="store_true", help="show the hints instead")
    grade.set_defaults(run=_grade)

    doctor = commands.add_parser("doctor", help="say what this machine can do")
    doctor.set_defaults(run=_doctor)
    return parser


def _record(given):
    from warpbook.recording.chapters import record

    record(given.chapter, results_only=given.results)
    return 0


def _profile(given):
    from warpbook.measure.profiler import collect_topics

    collect_topics(given.topic)
    return 0


def _address(_):
    from warpbook.recording.chapters import address, write_setup_cells

    changed = write_setup_cells()
    print(f"{address() or 'no address'}: {len(changed)} chapters changed")
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
    from warpbook.grading.exercises import hints
    from warpbook.grading.grade import grade

    if given.hints:
        for number, hint in enumerate(hints(given.exercise), 1):
            print(f"Hint {number}: {hint}")
        return 0
    result = grade(given.exercise, given.file)
    print(result)
    return 0 if result.full else 1


def _doctor(_):
    from warpbook.gpu.doctor import doctor

    return doctor()


if __name__ == "__main__":
    sys.exit(main())
