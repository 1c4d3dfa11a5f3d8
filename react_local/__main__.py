"""The program's way in: ``react-local``, or ``python -m react_local``."""

from __future__ import annotations

import signal


def run() -> None:
    """Run the command line. While it is being imported and once it is done, Ctrl-C ends the program
    as the system does, at once and in silence: there is nothing to keep, or nothing left to do."""
    interrupt = signal.getsignal(signal.SIGINT)
    outside = signal.SIG_DFL if interrupt is signal.default_int_handler else interrupt
    signal.signal(signal.SIGINT, outside)
    from react_local.cli import main

    try:
        signal.signal(signal.SIGINT, interrupt)
        main()
    finally:
        signal.signal(signal.SIGINT, outside)


if __name__ == "__main__":
    run()
