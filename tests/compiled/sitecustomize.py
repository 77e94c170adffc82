"""What NVRTC has compiled once, no process of one run of the tests compiles again.

tests/conftest.py puts this folder on the PYTHONPATH, so that Python imports this file when it
starts, also in a chapter's process; KEPT names a folder of that run. Pages, launches and chapters
of one kernel then share its compilation. Errors are not kept, and the grader's processes, whose
environment is the grader's own, know nothing of this.

It imports little: a thousand processes do as they start.
"""

import os
import sys

KEPT = "WARPBOOK_TESTS_COMPILED"
MODULE = "warpbook.launch.nvrtc"


def keep(nvrtc, folder):
    """Let a module warpbook.launch.nvrtc look in the folder first, and put there what it made."""
    import hashlib
    import tempfile

    made = nvrtc._compile

    def compiled(text, name, options, kind):
        every = text, str(name), tuple(options), kind, nvrtc.version(), nvrtc.headers()
        path = os.path.join(folder, hashlib.sha256(repr(every).encode()).hexdigest())
        if os.path.exists(path):
            with open(path, "rb") as file:
                return file.read()
        result = made(text, name, options, kind)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(result)
        os.replace(file.name, path)  # whole, or not at all
        return result

    compiled.made = made
    nvrtc._compile = compiled


class Finder:
    """Finds that one module, as Python does, and changes it when it has been loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != MODULE:
            return None
        import importlib.machinery

        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                keep(module, os.environ[KEPT])

            spec.loader.exec_module = exec_module
        return spec


def install():
    """Do so in this process, if a run of the tests asks for it."""
    if os.path.isdir(os.environ.get(KEPT, "")):
        sys.meta_path.insert(0, Finder)
        # jsonschema does without: it is for addresses with letters such as ü, and takes 1.5 s.
        sys.modules["rfc3987_syntax"] = None


install()
