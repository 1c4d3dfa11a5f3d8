"""Every error `wiki_index` raises for something its user can mend.

    WikiIndexError
    ├── DumpError            the dump is missing, empty, truncated, or not MediaWiki's
    │   └── DumpDamaged      it starts well and breaks off: what came before is whole
    ├── BuildError           the index cannot be written there
    ├── DenseUnavailable     vectors are asked for and there are none, or no model to make them
    └── IndexUnreadable      the directory is no index, not yet one, or of another version
        └── IndexDamaged     a part of it is missing or does not match its checksum

Messages are one line and say what to do next.
"""


class WikiIndexError(Exception):
    """The root: catch this one to catch them all."""


class DumpError(WikiIndexError):
    """The dump cannot be read as a MediaWiki export."""


class DumpDamaged(DumpError):
    """The dump breaks off or is corrupt after a readable beginning."""


class BuildError(WikiIndexError):
    """The index cannot be built at this place."""


class DenseUnavailable(WikiIndexError):
    """The index has no vectors, or the embedding model is not on this machine."""


class IndexUnreadable(WikiIndexError):
    """The directory holds no complete index that this version can read."""


class IndexDamaged(IndexUnreadable):
    """A file of the index is missing or is not what the manifest says."""
