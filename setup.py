"""Packages are found, not listed; `symbolic` and `properties` are installed inside `dpverify`."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["dpverify", "dpverify.*"]),
        *(f"dpverify.{name}" for name in find_packages(include=["symbolic*", "properties*"])),
    ],
    package_dir={"dpverify.symbolic": "symbolic", "dpverify.properties": "properties"},
)
