"""What several test files share: the repository, the built site, and a browser where there is one."""

import functools
import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
PAGES = [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]


def build(project, out):
    """Build the book of `project` into `out`, warnings as errors, as `make book` does."""
    return subprocess.run(
        [Path(sys.executable).parent / "jupyter-book", "build", project / "book", "--config",
         project / "_config.yml", "--toc", project / "_toc.yml", "--path-output", out, "--all",
         "-W", "-n", "--keep-going", "-q"],
        capture_output=True, text=True)


def project(folder):
    """Copy what the book is built from, so that a test may change it."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("_build"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


# Files whose tests share what is dear to make: the built site, the compiled kernels of all launches.
TOGETHER = {"test_build": "site", "test_site": "site",
            "test_golden": "launches", "test_faults": "launches"}  # fmt: skip


def share(test):
    """Name what a worker of `make test` takes at once: a file, files of one kind, or a chapter."""
    file = Path(test.partition("::")[0]).stem
    return test.partition("[")[2] if file == "test_chapters" else TOGETHER.get(file, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the workers the largest shares first; the smallest, at the end, make them end together."""
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = share
    return scheduler


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built HTML."""
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT, out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "_build" / "html"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    """The site's address on a server of its own: search needs one."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=site))
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
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
                 "disable-background-networking", "disable-component-update", "disable-sync",
                 "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()
