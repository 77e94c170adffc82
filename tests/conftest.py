"""What pytest itself needs: fixtures of several test files, and which tests `make test` runs."""

import contextlib
import fcntl
import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

# The workers take all cores: threads of NumPy's products would wait for one another. NumPy reads it
# when it is imported, and so do the processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# jsonschema does without this one, which takes each worker 1.5 s to import.
sys.modules["rfc3987_syntax"] = None

import pytest  # noqa: E402
import tiers  # noqa: E402
from helpers import ROOT, build  # noqa: E402


def pytest_addoption(parser):
    parser.addoption(
        "--tier",
        choices=["test", "rest"],
        help="test: what every change is tested with, and what the changed files call for; rest: "
        "all other tests. Without it, and where files or folders are named, every test runs.",
    )


def pytest_configure(config):
    """Find out what has changed, once for all workers."""
    if hasattr(config, "workerinput"):
        config.tier, config.changed = config.workerinput["tier"], config.workerinput["changed"]
        config.compared = None
        return
    named = config.args_source == pytest.Config.ArgsSource.ARGS
    config.tier = None if named else config.getoption("tier")
    config.changed, config.compared = tiers.changes() if config.tier else (None, None)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput |= {"tier": node.config.tier, "changed": node.config.changed}


def pytest_report_header(config):
    return config.compared


def pytest_collection_modifyitems(config, items):
    if not config.tier:
        return
    chosen = {True: [], False: []}
    for item in items:
        chosen[tiers.called(item.nodeid, item.fixturenames, config.changed)].append(item)
    items[:] = chosen[config.tier == "test"]
    config.hook.pytest_deselected(items=chosen[config.tier != "test"])


def pytest_sessionfinish(session, exitstatus):
    """That nothing is left of the proof is no failure."""
    if session.config.tier == "rest" and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than there are cores: those that wait for a browser leave theirs idle."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """``once(name, make)``: a folder that ``make(folder)`` fills once for all workers of a run.

    The first worker that asks makes it; the others wait for it.
    """
    place = tmp_path_factory.getbasetemp()
    place = place.parent if "PYTEST_XDIST_WORKER" in os.environ else place

    def folder(name, make):
        with open(place / f"{name}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
            if not (place / name).exists():
                draft = Path(tempfile.mkdtemp(dir=place))
                make(draft)
                draft.rename(place / name)
        return place / name

    return folder


@pytest.fixture(scope="session")
def site(once):
    """The folder of the built HTML."""

    def make(folder):
        done = build(ROOT, folder)
        assert done.returncode == 0, done.stdout + done.stderr

    return once("site", make) / "_build" / "html"


@pytest.fixture(scope="session")
def installed(once):
    """A folder in which the package's wheel is unpacked, as an installation would leave it."""

    def make(folder):
        pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
        command = [*pip, "--no-index", "-q", "-w", folder, ROOT]
        subprocess.run(command, check=True, capture_output=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder / "site")

    return once("wheel", make) / "site"


class _Server(http.server.SimpleHTTPRequestHandler):
    """Tells the browser to fetch nothing from another host: it refuses that with an error."""

    def do_GET(self):
        if self.path == "/favicon.ico":  # which a browser asks for by itself, at some time or other
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def end_headers(self):
        self.send_header(
            "Content-Security-Policy", "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data:"
        )
        if self.path.endswith(".html"):  # a test may write a page again within the same second
            self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a server of a folder's files; each server is a site of its own to browsers."""
    handler = functools.partial(_Server, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def address(site):
    """The built site's address: search needs a server."""
    with served(site) as address:
        yield address


@pytest.fixture
def folder_address(tmp_path):
    """The address of ``tmp_path``: over file:// a page may not find again what it has stored."""
    with served(tmp_path) as address:
        yield address


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
    chrome.set_script_timeout(300)  # axe-core takes a minute where many others compute
    yield chrome
    chrome.quit()
