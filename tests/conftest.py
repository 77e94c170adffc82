"""What pytest itself needs: fixtures of several test files, and what a worker takes at once."""

import fcntl
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections import Counter
from pathlib import Path

# The workers take all cores: threads of NumPy's products would wait for one another. NumPy reads it
# when it is imported, and so do the processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest  # noqa: E402
from helpers import ROOT, TESTS, build, module  # noqa: E402

# Files whose tests share what is dear to make, all launches' compiled kernels, or take long: the
# site's, of which half are in the dark.
SITE = "tests/book/test_site.py"
TOGETHER = {
    SITE: "site",
    "tests/kernels/test_golden.py": "launches",
    "tests/kernels/test_faults.py": "launches",
}
DARK = "site in the dark"
DEAREST = {*TOGETHER.values(), DARK, "tests/book/test_build.py"}
SHARED = "WARPBOOK_TESTS_SHARED"  # the environment variable that names the run's folder
# Files whose tests share nothing dear between two parameters: chapters, exercises, kernels.
APART = {
    "tests/book/test_chapters.py",
    "tests/grading/test_book_exercises.py",
    "tests/kernels/test_matmul.py",
}


def share(test):
    """Name what a worker of `make test` takes at once: a file, files of one kind, or a parameter.

    The parameter is the first word of the test's id: test_solution_passes[matmul/tile] and
    test_a_wrong_solution[matmul/tile-no_guard] are of one share, for what one compiles serves both.
    """
    file, _, case = test.partition("::")
    name, _, parameter = case.partition("[")
    if file == SITE and "dark" in name:
        return DARK
    if file not in APART:
        return TOGETHER.get(file, file)
    return f"{file}::{parameter.rstrip(']').partition('-')[0] or name}"


def pytest_configure(config):
    """Make a folder that the processes of this run share; see tests/compiled."""
    compiled = module(TESTS / "compiled" / "sitecustomize.py")
    if SHARED not in os.environ:  # not yet by the process that started this one
        config.shared = os.environ[SHARED] = tempfile.mkdtemp(prefix="tests-")
        os.environ[compiled.KEPT] = os.path.join(config.shared, "compiled")
        os.mkdir(os.environ[compiled.KEPT])
        places = str(TESTS / "compiled"), os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
        compiled.install()


def pytest_unconfigure(config):
    if hasattr(config, "shared"):
        shutil.rmtree(config.shared, ignore_errors=True)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than there are cores: those that wait for a browser leave theirs idle."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """The dearest shares first, then the largest; the smallest, last, let workers end together."""
    shares = [share(item.nodeid) for item in items]
    sizes = Counter(shares)

    def turn(number):
        name = shares[number]
        dear = 2 * (name in DEAREST) + name.startswith("tests/book/test_chapters.py::")
        return -dear, -sizes[name], name

    items[:] = [items[number] for number in sorted(range(len(items)), key=turn)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the workers the shares in the order of ``pytest_collection_modifyitems``."""
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = share
    return scheduler


@pytest.fixture(scope="session")
def site():
    """The folder of the built HTML. The first worker that asks for it builds it for all."""
    out = Path(os.environ[SHARED]) / "site"
    out.mkdir(exist_ok=True)
    said = out / "said.json"
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        if not said.exists():
            done = build(ROOT, out)
            said.write_text(json.dumps([done.returncode, done.stdout + done.stderr]))
    status, text = json.loads(said.read_text())
    assert status == 0, text
    return out / "_build" / "html"


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder in which the package's wheel is unpacked, as an installation would leave it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-q", "-w", folder, ROOT], check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


class _Server(http.server.SimpleHTTPRequestHandler):
    """Tells the browser to fetch nothing from another host: it refuses that with an error."""

    def end_headers(self):
        self.send_header("Content-Security-Policy", "default-src 'self' 'unsafe-inline' data:")
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    """The site's address on a server of its own: search needs one."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Server, directory=site)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, driven by Selenium; skips where either is missing."""
    from selenium import webdriver

    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium with a chromedriver here: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
        "hide-scrollbars",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
