"""Adds up the test cases in Meson's testlog.json: those of each Catch2 program, those of each script
that prints a sum of its own, and one for every other test.

usage: count_results.py TESTLOG.JSON      prints "N passed, N failed, N skipped"
"""
import json
import re
import sys

CATCH_ALL = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)$", re.M)
CATCH_SOME = re.compile(r"^test cases: +\d+ \|(?: +(\d+) passed)?(?: \|)?(?: +(\d+) failed)?", re.M)
SUM = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def count(test):
    """(passed, failed, skipped) of one test."""
    if test["result"] == "SKIP":
        return 0, 0, 1
    held = test["result"] in ("OK", "EXPECTEDFAIL")
    output = test.get("stdout", "")
    if found := CATCH_ALL.search(output):
        counts = int(found[1]), 0, 0
    elif found := SUM.search(output) or CATCH_SOME.search(output):
        counts = tuple(int(number or 0) for number in (*found.groups(), 0)[:3])
    else:
        counts = (1, 0, 0) if held else (0, 1, 0)
    # A program that failed behind its last case (a crash, a leak) has failed.
    if not held and counts[1] == 0:
        counts = counts[0], 1, counts[2]
    return counts


def main():
    try:
        with open(sys.argv[1]) as log:
            counts = [count(json.loads(line)) for line in log]
    except FileNotFoundError:
        counts = [(0, 1, 0)]  # not even one test was run
    print("{} passed, {} failed, {} skipped".format(*map(sum, zip(*counts))))


if __name__ == "__main__":
    main()
