"""``python -m react_local`` is ``react-local``."""

from react_local.cli import main

main()
