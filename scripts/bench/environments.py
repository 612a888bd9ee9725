"""Environments for the peers, `.venv-peers/NAME`, over the project's own torch: each side then runs the same kernels.

A peer's environment sees the project's packages after its own. Peers are never a dependency of `nmt`.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / ".venv-peers"
PEERS = {
    # Its own requirements ask for torch < 2.3 and for tools that training does not use.
    "opennmt": ["--no-deps", "OpenNMT-py==3.5.1", "pyahocorasick", "pyonmttok", "rapidfuzz", "configargparse", "six"],
    "marian": ["transformers==5.24.0"],
}


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment, which is made first if need be."""
    folder = ROOT / peer
    python = folder / "bin" / "python"
    done = folder / ".installed"
    wanted = " ".join(PEERS[peer])
    if done.is_file() and done.read_text() == wanted:
        return python
    print(f"installing {wanted} into {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    packages = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (packages / "torch_of_the_project.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS[peer]], check=True)
    done.write_text(wanted)
    return python


if __name__ == "__main__":
    for name in PEERS:
        print(python_of(name))
