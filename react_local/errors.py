"""All errors that `react_local` raises for problems that the user can fix.

    ReactLocalError
    ├── ModelError           the file is missing, not GGUF, truncated, or not a text generator
    │   └── ContextTooSmall  the model's context cannot hold even the question and one step
    ├── QuestionError        the question is empty or not usable text
    ├── TraceError           the file is not a trace, of another version, or cannot be written
    ├── ExemplarError        an exemplar file is not in the expected format
    ├── DatasetError         a file of questions is missing, or in an unknown format
    ├── EvaluationError      a directory is not an evaluation, or one with other settings
    └── NotFound             a model or an index with this name is not on this machine

Messages are one line and say what to do. `wiki_index` has its own tree of errors under
`WikiIndexError`; the command line catches both root classes in one place.
"""


class ReactLocalError(Exception):
    """The root class of all errors of this package."""


class ModelError(ReactLocalError):
    """The model file cannot be used."""


class ContextTooSmall(ModelError):
    """The context cannot hold the question and a step."""


class QuestionError(ReactLocalError):
    """The question cannot be asked."""


class TraceError(ReactLocalError):
    """The trace cannot be read, written or resumed."""


class ExemplarError(ReactLocalError):
    """The exemplars cannot be read."""


class DatasetError(ReactLocalError):
    """The questions cannot be read."""


class EvaluationError(ReactLocalError):
    """The evaluation cannot be continued, or cannot be reported."""


class NotFound(ReactLocalError):
    """There is no model or index with this name."""
