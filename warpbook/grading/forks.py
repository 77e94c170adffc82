"""A server that forks the grader's child processes, so that Python and NumPy start only once.

    python -m warpbook.grading.forks DESCRIPTOR

The server belongs to one grader and runs no student's code. For each grading it forks a keeper,
and the keeper forks the child, which gets a session, an environment, a folder and limits of its
own. The keeper sends the child's number and, in the end, its exit status. When the grader ends,
however that be, its socket closes and the server ends; with it end its keepers and their children.
"""

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
import warnings

NUMBER = struct.Struct("i")
WAIT = 120  # seconds that a busy machine may take to start the server and fork
HERE = sys.platform == "linux"  # elsewhere a fork, or a parent's end, is not what it is here

_lock = threading.Lock()
_server: list = []  # the socket to it and its process, once there is one


class Forked:
    """A child that the server forked: what the grader needs of a subprocess.Popen."""

    def __init__(self, status, stdout):
        self._status, self.stdout, self.returncode = status, stdout, None
        self.pid = self._number(WAIT)
        if self.pid is None:
            raise RuntimeError("the grader's server forks no process. Is this machine busy?")

    def poll(self):
        """Return the exit status, or None while the child runs."""
        if self.returncode is None:
            self.returncode = self._number(0)
        return self.returncode

    def wait(self, timeout):
        """Wait for the child's end."""
        if self.returncode is None:
            self.returncode = self._number(timeout)

    def _number(self, seconds):
        """Read what the keeper sends; None if it sends nothing, -SIGKILL if it is gone."""
        if not select.select([self._status], [], [], seconds)[0]:
            return None
        said = self._status.read(NUMBER.size)
        return NUMBER.unpack(said)[0] if len(said) == NUMBER.size else -signal.SIGKILL


def start(words: list, folder: str, environment: dict) -> Forked:
    """Run child.main(*words) in a folder and an environment; what it prints goes to ``stdout``."""
    request = json.dumps([words, str(folder), environment]).encode()
    printed, output = os.pipe()
    ended, status = os.pipe()
    try:
        with _lock:
            try:
                socket.send_fds(_connected(environment), [request], [output, status])
            except OSError:  # the server is gone: once more, with another
                _server.clear()
                socket.send_fds(_connected(environment), [request], [output, status])
    finally:
        os.close(output)
        os.close(status)
    return Forked(os.fdopen(ended, "rb", buffering=0), os.fdopen(printed, "rb"))


def _connected(environment):
    if not _server:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(its.fileno())],
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},  # no threads where it forks
            pass_fds=[its.fileno()],
            cwd="/",
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        its.close()
        _server.extend([ours, process])
    return _server[0]


def stop() -> None:
    """End the server and the children that run; their gradings end with SIGKILL."""
    with _lock:
        for connection, process in [tuple(_server)] if _server else []:
            connection.close()
            process.wait(WAIT)
        _server.clear()


def main(descriptor):
    """Serve until the grader's end of the socket closes."""
    import pandas  # noqa: F401  a technique's counts want it, and every fork has it then

    from warpbook.grading import child  # and all that it needs
    from warpemu import nvrtc

    nvrtc.version(), nvrtc.headers()  # the compiler, and where its headers lie
    here = socket.socket(fileno=int(descriptor))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a keeper ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # With a GPU, libraries have threads here; they are idle, and a fork needs none of them.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    while True:
        request, descriptors, *_ = socket.recv_fds(here, 1 << 20, 2)
        if not request:
            return
        server = os.getpid()
        if not os.fork():
            here.close()
            _keep(child, server, *json.loads(request), *descriptors)
        for each in descriptors:
            os.close(each)


def _keep(child, server, words, folder, environment, output, status):
    """Fork the child, send its number, wait for it, send how it ended; never return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child.die_with(server)
    keeper, pid = os.getpid(), os.fork()
    if not pid:
        os.close(status)
        _run(child, keeper, words, folder, environment, output)
    os.close(output)
    os.write(status, NUMBER.pack(pid))
    os.write(status, NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    os._exit(0)


def _run(child, keeper, words, folder, environment, output):
    """Be the child: judge a copy as a process of its own does; never return."""
    status = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        child.main(*words, grader=keeper)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
