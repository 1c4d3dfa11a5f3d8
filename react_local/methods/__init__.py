"""Methods: functions of a question, a model and an environment to a trajectory."""

from react_local.methods.react import MAX_STEPS, react

__all__ = ["MAX_STEPS", "react"]
