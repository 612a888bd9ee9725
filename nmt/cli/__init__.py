"""The command line: `nmt VERB ...`.

Two kinds of verbs, on purpose. *Experiments* (`prepare`, `train`) compose Hydra configurations. *Tools* (`evaluate`,
`translate`, `align`, `compare`) take ordinary flags, and keep stdout for results. Every module here is cheap to
import: whatever needs torch, Hydra, datasets or matplotlib is imported when a verb really runs.
"""
