"""`python -m dpverify` is `dpverify`."""

from dpverify.cli import main

if __name__ == "__main__":
    main()
