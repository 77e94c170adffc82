"""Notebook kernels forked from one server, which has imported NumPy, Matplotlib and IPython once.

Each is a process of its own all the same, with a folder and an environment of its own, and it
imports the book's package by itself: nothing of the package is in the server. Starting Python and
importing all the rest took 1.5 s of each chapter. Each imports pandas by itself, too, because that
looks for IPython when it is imported, and chooses by it how wide a table may be.
"""

import gc
import multiprocessing
import os
import sys

from jupyter_client.provisioning import local_provisioner

OTHERS = [
    "cuda.pathfinder",
    "IPython.extensions.storemagic",
    "ipykernel.debugger",
    "ipykernel.kernelapp",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "numpy",
    "pygments.lexers.c_cpp",
    "pygments.lexers.python",
    "sqlite3",
]
BACKEND = "module://matplotlib_inline.backend_inline"  # as ipykernel says before the import


def use(monkeypatch):
    """From now on let Jupyter's client fork kernels; where a fork is less sure, nothing changes."""
    if sys.platform == "linux":
        monkeypatch.setenv("MPLBACKEND", BACKEND)
        monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # no debugger runs; it would warn
        monkeypatch.setattr(local_provisioner, "launch_kernel", Forked)


class Forked:
    """A kernel's process: what Jupyter's client uses of a subprocess.Popen."""

    stdin = stdout = stderr = None

    def __init__(self, command, env, cwd, **_):
        forking = multiprocessing.get_context("forkserver")
        forking.set_forkserver_preload(OTHERS)
        begun, begin = forking.Pipe(duplex=False)
        words = command[command.index("ipykernel_launcher") :]
        self.process = forking.Process(target=_serve, args=(words, env, cwd, begin))
        self.process.start()
        self.pid = self.process.pid
        begin.close()
        begun.recv()

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


def _serve(words, env, cwd, begin):
    """Be what `python -m ipykernel_launcher ...` is."""
    os.setsid()  # the client ends the kernel's process group, so this has to be its own
    begin.send(True)
    gc.freeze()  # what is imported stays
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    installed = [path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix))]
    sys.path[:] = [*env["PYTHONPATH"].split(os.pathsep), *installed]
    sys.argv = [*words, f"--IPKernelApp.parent_handle={os.getppid()}"]  # it ends with the server
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
