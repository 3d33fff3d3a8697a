"""`python -m codecompass`."""

from codecompass.cli.main import run

if __name__ == "__main__":
    run()
