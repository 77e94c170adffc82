"""Make .venv hold what requirements.txt locks; `make` calls this before every command.

    python3 tools/setup.py

Python's venv makes the folder, pip fetches the locked uv into it, and uv installs the rest.
Nothing but the standard library, and no syntax newer than Python 3.6, so that a Python that is too
old reads a sentence and not a SyntaxError.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
UV = os.path.join(VENV, "bin", "uv")
LOCK = "requirements.txt"
READY = os.path.join(VENV, "ready")  # there when a set-up has ended well: what it set up
AGAIN = "Nothing is left half done: run the same command again."
FAILED = """The set-up did not end; the reason stands above.
It needs the network, and 1.5 GB of disk, or 4 GB with cuBLAS.
uv does not read pip's settings: a mirror of PyPI goes into UV_DEFAULT_INDEX.
"""


def gpu():
    """True where an NVIDIA driver is: only there are cuBLAS and cuRAND (1.0 GB) of use."""
    return bool(shutil.which("nvidia-smi")) or os.path.exists("/proc/driver/nvidia/version")


def tables():
    """What pyproject.toml says of the package, less the settings of ruff, mypy and pytest."""
    import tomllib  # since Python 3.11

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        every = tomllib.load(file)
    return every["project"], every["build-system"], every["tool"]["hatch"]


def needs(extras):
    """The packages that pyproject.toml asks for."""
    project = tables()[0]
    return sum((project["optional-dependencies"][e] for e in extras), project["dependencies"])


def wanted(extras):
    """What .venv must hold and be: a hash of the packages, its place, its machine, its Python."""
    digest = hashlib.sha256(json.dumps([extras, tables()]).encode())
    with open(os.path.join(ROOT, LOCK), "rb") as file:
        digest.update(file.read())
    version = ".".join(map(str, sys.version_info[:3]))
    return [digest.hexdigest(), ROOT, sysconfig.get_platform(), version]


def found():
    """The same of the last set-up; an empty list where it did not end, or no longer works."""
    try:
        with open(READY, encoding="utf-8") as file:
            lines = file.read().splitlines()
        works = subprocess.call([PYTHON, "-c", "import uv"], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return []
    return lines if works else []


def ours():
    """True where this user may change .venv."""
    return all(os.access(path, os.W_OK) for path in (ROOT, VENV) if os.path.exists(path))


def current(want):
    """True when .venv is as wanted. Who may only read it takes it with any Python."""
    return found() == want or (not ours() and found()[:3] == want[:3])


@contextlib.contextmanager
def alone():
    """Wait until no other set-up of this checkout runs, and keep others waiting meanwhile."""
    import fcntl  # Windows has none

    with open(VENV + ".lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another set-up of this checkout is running. Waiting for it.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)  # if only this process is killed, uv holds the lock
        yield


def install(want, extras):
    """Bring .venv to what is wanted: into a fresh one, unless the last set-up can be built upon."""
    fresh = found()[1:] != want[1:]
    with contextlib.suppress(FileNotFoundError):
        os.remove(READY)
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", VENV])
        pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-compile"]
        run(pip + ["--retries", "1", "-c", LOCK, "uv"])
    uv = [UV, "pip", "install", "--python", PYTHON]
    run(uv + ([] if sys.stdout.isatty() else ["-q"]) + ["-c", LOCK] + needs(extras))
    run(uv + ["-q", "--no-deps", "--no-build-isolation", "-e", "."])
    with open(READY, "w", encoding="utf-8") as file:
        file.write("\n".join(want))


def run(command):
    subprocess.check_call(command, cwd=ROOT, close_fds=False)


def need_python():
    if sys.version_info < (3, 11):  # noqa: UP036
        version = ".".join(map(str, sys.version_info[:2]))
        stop(
            f"This book needs Python 3.11 or newer; {sys.executable} is {version}.\n"
            "Install a newer one, or name it: make PYTHON=/path/to/python3.12 ..."
        )


def need_venv():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        stop(
            f"{sys.executable} has no module '{error.name}', which makes virtual environments.\n"
            "On Debian or Ubuntu: sudo apt install python3-venv"
        )


def stop(sentence):
    sys.exit("\n" + sentence)


def main():
    need_python()
    extras = ["book", "test"] + (["gpu"] if gpu() else [])
    want = wanted(extras)
    if current(want):
        return
    if not ours():
        stop(
            f"{VENV} is not set up as this checkout asks, and you may not write there.\nIts owner "
            "can run 'make ready'. Or make a copy of yours and run make there: "
            f"cp -r {ROOT} ~/warp-by-warp"
        )
    need_venv()
    with alone():
        if current(want):
            return
        what = "with cuBLAS" if "gpu" in extras else "without cuBLAS: no NVIDIA driver here"
        print(f"Setting up .venv ({what}).", flush=True)
        install(want, extras)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop("Stopped. " + AGAIN)
    except subprocess.CalledProcessError:  # it has said why
        stop(FAILED + AGAIN)
    except OSError as error:
        stop(f"{error}\n{FAILED}{AGAIN}")
