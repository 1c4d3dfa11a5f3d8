"""When two answers are the same: the normalisation of HotpotQA's official evaluation.

Yang et al., arXiv 1809.09600, Section 5; the rules are those of the dataset's own script. Scores
compare answers by it, and so do the votes of self-consistency.
"""

from __future__ import annotations

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def normalise(answer: str) -> str:
    """`answer` in lower case without ASCII punctuation, English articles and spare blanks.

    In this order, which is the official one: punctuation vanishes before articles are looked
    for, so ``A.`` goes and ``T.H.E.`` does too, while ``self-made`` becomes ``selfmade``.
    """
    bare = answer.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())
