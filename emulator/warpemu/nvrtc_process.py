"""NVRTC's calls, here or in a process of their own, which may crash and takes nothing with it.

NVRTC dies by a segmentation fault on some texts that it ought to refuse, such as a template that
names an undeclared type. This file is what the other process runs, so it needs nothing but Python's
own library: python nvrtc_process.py LIBRARY, with pickled questions on stdin.
"""

import atexit
import contextlib
import ctypes
import os
import pickle
import subprocess
import sys
import threading

_lock = threading.Lock()
_child: list = []  # [(process, id of the process that began it)], at most one


class Refused(Exception):
    """The compiler's log."""


class Crashed(Exception):
    """The process that compiled has died; the message says of what."""


def compiled(
    library: ctypes.CDLL,
    text: str,
    name: str,
    options: list[str],
    what: str,
    headers: dict[str, str],
    expression: str,
) -> tuple[bytes, str]:
    """Compile in this process: (what is wanted, the name of the expression). Raises Refused."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(
        ctypes.byref(program),
        text.encode(),
        str(name).encode(),
        len(headers),
        _array(headers.values()),
        _array(headers),
    )
    try:
        if expression:
            library.nvrtcAddNameExpression(program, expression.encode())
        failed = library.nvrtcCompileProgram(program, len(options), _array(options))
        if failed:
            log = _read(library, program, "ProgramLog").rstrip(b"\0").decode().strip()
            raise Refused(log or f"NVRTC gave error {failed} and no log for {name}.")
        lowered = ctypes.c_char_p()
        if expression:
            library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(lowered))
        return _read(library, program, what), (lowered.value or expression.encode()).decode()
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def compiled_apart(place: str, *asked) -> tuple[bytes, str]:
    """Compile in another process; one process answers until it dies. place: of NVRTC's library;
    asked: as for ``compiled``. Raises Refused, and Crashed where NVRTC does not survive the text.
    """
    with _lock:
        process = _process(place)
        try:
            pickle.dump(asked, process.stdin)
            process.stdin.flush()
            good, answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            _child.clear()
            raise Crashed(_fate(process)) from None
        except BaseException:  # Ctrl-C: the answer is not read, so no other may be
            _child.clear()
            process.kill()
            raise
    if not good:
        raise Refused(answer)
    return answer


def _process(place):
    if _child and _child[0][1] != os.getpid():  # of the process that this one was forked from
        _child.clear()
    if not _child:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        _child.append((process, os.getpid()))
    return _child[0][0]


def _fate(process):
    """What a process has died of."""
    with contextlib.suppress(OSError):
        process.stdin.close()
    status = process.wait()
    process.stdout.close()
    return f"signal {-status}" if status < 0 else f"exit status {status}"


@atexit.register
def _end():
    for process, began in _child:
        if began == os.getpid():
            process.kill()
            process.wait()
    _child.clear()


def _array(texts):
    """Texts as an array of C's strings."""
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def _read(library, program, what):
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


def _serve(place):
    """Answer questions until stdin ends."""
    library, answers = ctypes.CDLL(place), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a compiler may print is no answer
    while True:
        try:
            asked = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = True, compiled(library, *asked)
        except Refused as refused:
            answer = False, str(refused)
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    _serve(sys.argv[1])
