"""The three ways in which what a person gave us can be wrong.

Every message is one sentence or two for that person: what was found, where, and what to do. They are printed
without a traceback by `nmt.cli.main`; set `NMT_TRACEBACK=1` to see where they were raised.
"""


class NmtError(ValueError):
    """What a person can mend; never a fault of the program."""


class ConfigError(NmtError):
    """A setting is unknown, of the wrong type, or contradicts another one."""


class DataError(NmtError):
    """A corpus, a line or a prepared folder can not be used as it is."""


class CheckpointError(NmtError):
    """A model folder or a saved training state is missing, damaged or of another shape."""


class Terminated(KeyboardInterrupt):
    """Somebody asked the program to end (SIGTERM), and it did so in good order."""
