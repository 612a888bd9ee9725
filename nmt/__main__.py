"""`python -m nmt` is `nmt` (a launcher such as torchrun needs a module to run)."""

import sys

from nmt.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
