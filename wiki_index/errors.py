"""All errors that `wiki_index` raises for problems that the user can fix.

    WikiIndexError
    ├── DumpError            the dump is missing, empty, truncated, or not MediaWiki's
    │   └── DumpDamaged      it is truncated or corrupt: what came before is intact
    ├── BuildError           the index cannot be written there
    ├── DenseUnavailable     vectors are needed and there are none, or no model to compute them
    └── IndexUnreadable      the directory is not an index, or incomplete, or of another version
        └── IndexDamaged     a part of it is missing or does not match its checksum

Messages are one line and say what to do.
"""


class WikiIndexError(Exception):
    """The root class of all errors of this package."""


class DumpError(WikiIndexError):
    """The dump cannot be read as a MediaWiki export."""


class DumpDamaged(DumpError):
    """The dump is truncated or corrupt after a readable beginning."""


class BuildError(WikiIndexError):
    """The index cannot be built at this place."""


class DenseUnavailable(WikiIndexError):
    """The index has no vectors, or the embedding model is not on this machine."""


class IndexUnreadable(WikiIndexError):
    """The directory holds no complete index that this version can read."""


class IndexDamaged(IndexUnreadable):
    """A file of the index is missing or is not what the manifest says."""
