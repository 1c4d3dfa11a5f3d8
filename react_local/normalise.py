"""The normalisation of answers in HotpotQA's official evaluation.

Yang et al., arXiv 1809.09600, Section 5; the rules are those of the dataset's own script. Both
scores and the votes of self-consistency compare normalised answers.
"""

from __future__ import annotations

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def normalise(answer: str) -> str:
    """`answer` in lower case without ASCII punctuation, English articles and extra blanks.

    The order of the steps is the official one: punctuation is removed before articles, so ``A.``
    and ``T.H.E.`` are removed, too, and ``self-made`` becomes ``selfmade``.
    """
    bare = answer.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())
