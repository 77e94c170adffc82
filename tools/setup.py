"""Make .venv hold exactly what requirements.txt locks; `make` calls this before every command.

    python3 tools/setup.py

Nothing but the standard library, and no syntax that an old Python cannot parse, so that a Python
that is too old reads a sentence and not a SyntaxError.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
READY = os.path.join(VENV, "ready")  # written last: the key of what is installed
UNFINISHED = os.path.join(VENV, "unfinished")  # there while an installation runs
NETWORK = (
    "Temporary failure in name resolution",
    "Failed to resolve",
    "NameResolutionError",
    "NewConnectionError",
    "ConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "timed out",
    "Network is unreachable",
    "Connection refused",
    "Max retries exceeded",
    "ProxyError",
)


def gpu():
    """True where an NVIDIA driver is: only there are cuBLAS and cuRAND (1.0 GB) of use."""
    return bool(shutil.which("nvidia-smi")) or os.path.exists("/proc/driver/nvidia/version")


def key(extras):
    """A hash of everything that decides what .venv must hold."""
    digest = hashlib.sha256((extras + ROOT + sys.version).encode())
    for name in ("requirements.txt", "pyproject.toml", os.path.join("tools", "setup.py")):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def runs(code):
    """True when .venv's Python is of this version, starts, and runs `code` without an error."""
    try:
        probe = subprocess.run(
            [PYTHON, "-c", code + "\nimport sys; print(sys.version)"],
            cwd=VENV,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return False
    return probe.stdout.decode().strip() == sys.version


def torn():
    """True when an installed package lacks one of its files (compiled ones come and go)."""
    for record in glob.glob(os.path.join(VENV, "lib", "python*", "site-packages", "*", "RECORD")):
        site = os.path.dirname(os.path.dirname(record))
        with open(record, encoding="utf-8") as file:
            names = [line.rsplit(",", 2)[0].strip('"') for line in file]
        if not all(n.endswith(".pyc") or os.path.exists(os.path.join(site, n)) for n in names):
            return True
    return False


def broken():
    """True when .venv cannot be mended in place: half installed, torn, or not startable."""
    return os.path.exists(UNFINISHED) or not runs("import pip") or torn()


def current(wanted):
    """True when .venv is sound and its last installation was of `wanted`."""
    if not os.path.exists(READY) or broken():
        return False
    with open(READY) as file:
        return file.read() == wanted


def need_python():
    if sys.version_info < (3, 11):
        stop(
            "This book needs Python 3.11 or newer; {} is {}.{}.\nInstall a newer one, or name it: "
            "make PYTHON=/path/to/python3.12 ...".format(sys.executable, *sys.version_info[:2])
        )


def need_folder():
    """Stop with a sentence where nothing can be written, as in a checkout that is read only."""
    for folder in (VENV, ROOT):
        if os.path.exists(folder):
            if not os.access(folder, os.W_OK):
                stop(
                    "{} cannot be written, and the set-up makes .venv in it.\nCopy the book to a "
                    "folder of yours and run make there: cp -r {} ~/warp-by-warp".format(
                        folder, ROOT
                    )
                )
            return


def need_room(extras):
    """Stop with a sentence when virtual environments or the disk space for one are missing."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        stop(
            "{} has no module '{}', which makes virtual environments.\nOn Debian or Ubuntu: "
            "sudo apt install python3-venv".format(sys.executable, error.name)
        )
    room = 4.0 if "gpu" in extras else 1.5
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < room:
        stop(
            "Not enough disk space: the set-up needs {} GB in {}, and {:.1f} GB are free.".format(
                room, ROOT, free
            )
        )


def pip(*args):
    """Run pip and show its progress on one line; stop with the reason when it fails."""
    command = [
        PYTHON,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--no-compile",
        "--progress-bar",
        "off",
    ] + list(args)
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    lines, done = [], 0
    for line in process.stdout:
        lines.append(line)
        if line.startswith(("Collecting", "Installing collected")) and sys.stdout.isatty():
            done += 1
            what = line.split()[1] if line[0] == "C" else "all of them"
            print("\r\033[K  {:3d} {}".format(done, what), end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="")
    if process.wait():
        explain("".join(lines))


def explain(log):
    """Stop with what pip's output says went wrong."""
    tail = "".join("  " + line + "\n" for line in log.splitlines()[-8:])
    if "No space left on device" in log or "Errno 28" in log:
        reason = "The disk is full: free some space (and in {} too).".format(
            os.environ.get("TMPDIR", "/tmp")
        )
    elif any(word in log for word in NETWORK):
        reason = "The network did not answer: the first set-up downloads packages."
    else:
        reason = "pip could not install the packages that requirements.txt locks."
    stop(tail + reason + "\nNothing is left half done: run the same command again.")


def stop(sentence):
    sys.exit("\n" + sentence)


def install(extras):
    """Install what is locked and the package itself, into a fresh .venv where it is broken."""
    if broken():
        shutil.rmtree(VENV, ignore_errors=True)
    os.makedirs(VENV, exist_ok=True)
    open(UNFINISHED, "w").close()
    if not os.path.exists(PYTHON):
        import venv

        venv.create(VENV, with_pip=True)
    pip("-c", "requirements.txt", "editables", "hatchling")
    pip("-c", "requirements.txt", "--no-build-isolation", "-e", ".[{}]".format(extras))


def main():
    need_python()
    extras = "book,test,gpu" if gpu() else "book,test"
    wanted = key(extras)
    if current(wanted):
        return
    need_folder()
    need_room(extras)
    print(
        "Setting up .venv ({}): once, a few minutes.".format(
            "with cuBLAS" if "gpu" in extras else "without cuBLAS: no NVIDIA driver here"
        ),
        flush=True,
    )
    install(extras)
    with open(READY, "w") as file:
        file.write(wanted)
    os.remove(UNFINISHED)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("Stopped. Nothing is left half done: run the same command again.")
