"""Every error `react_local` raises for something its user can mend.

    ReactLocalError
    ├── ModelError           the file is missing, no GGUF, truncated, or no text generator
    │   └── ContextTooSmall  the model's context cannot hold even the question and one step
    ├── QuestionError        the question is empty or not usable text
    ├── TraceError           the trace file is no trace, of another version, or cannot be written
    ├── ExemplarError        an exemplar file is not in the form the loader expects
    ├── DatasetError         a file of questions is missing, or in no shape that is known
    ├── EvaluationError      an evaluation's directory is none, or of another setup
    └── NotFound             a name given for a model or an index is not on this machine

Messages are one line and say what to do next. `wiki_index` has its own tree under
`WikiIndexError`; the command line catches both roots once.
"""


class ReactLocalError(Exception):
    """The root: catch this one to catch them all."""


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
    """The evaluation cannot go on, or cannot be reported."""


class NotFound(ReactLocalError):
    """A model or index that was named is not there."""
