"""The entry point of ``react-local`` and of ``python -m react_local``."""

from __future__ import annotations

import signal


def run() -> None:
    """Run the command line. Ctrl-C while it is being imported ends the program silently, since
    nothing has been done yet."""
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from react_local.cli import main

    signal.signal(signal.SIGINT, interrupt)
    main()


if __name__ == "__main__":
    run()
