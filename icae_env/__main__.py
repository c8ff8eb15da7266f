"""``python -m icae_env``: the program ``icae``."""

from icae_env.cli.main import main

if __name__ == "__main__":
    main()
