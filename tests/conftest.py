"""What all tests share: neither a loaded machine nor a background job is a fault of the code."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# A shell starts a background job with SIGINT ignored, and whatever the job starts inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)
