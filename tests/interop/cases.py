"""Runs functions as test cases: one line each, and a sum at the end."""
import sys
import traceback


def run(cases, *arguments):
    """Calls each (name, function) with the arguments and ends the program: 0 when all held."""
    failed = 0
    for name, case in cases:
        try:
            case(*arguments)
            print(f"ok   {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {name}", flush=True)
            traceback.print_exc(file=sys.stdout)
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
