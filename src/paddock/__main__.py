"""Entry point of `python -m paddock`, the `paddock` command."""

from paddock.cli import main

if __name__ == "__main__":
    main()
