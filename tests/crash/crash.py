#!/usr/bin/env python3
"""Kills `fencepost serve` with SIGKILL in the middle of load, again and again on one data directory,
and compares what is left with what had been acknowledged.

usage: crash.py FENCEPOST CRASH_CLIENT [--rounds N] [--seed N] [--fsync MODE] [--brokers N]
                [--keep DIR]

Of every round: each acknowledged record is there once; of a transaction whose end was acknowledged
both records are visible or, aborted, none; of one whose end was asked for and not answered both or
none; of any other none. Offsets that were committed with or without a transaction are the newest.
"""
import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

NO_OFFSET = -1001  # as librdkafka says it
READ_EVERY = 10  # rounds: the topics are read from their beginning


class Server:
    def __init__(self, options, directory):
        self.process = subprocess.Popen(
            [options.fencepost, "serve", "--port", "0", "--data-dir", directory, "--fsync",
             options.fsync, "--brokers", str(options.brokers), "--topic", f"plain:1:{options.brokers}",
             "--topic", f"first:1:{options.brokers}", "--topic", f"second:1:{options.brokers}",
             "-c", "log.roll.ms=400", "-c", "group.initial.rebalance.delay.ms=0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started = time.monotonic()
        lines = [self.process.stdout.readline() for _ in range(options.brokers)]
        if not lines[-1].startswith("listening on "):
            raise AssertionError(f"the server did not start: {self.process.communicate()[1]}")
        self.seconds_to_start = time.monotonic() - self.started
        self.bootstrap = lines[0].split()[2]

    def end(self, how):
        self.process.send_signal(how)
        return self.process.communicate(timeout=30)[1]


class Facts:
    """What the load has been told, over all rounds."""

    def __init__(self):
        self.acknowledged = set()
        self.ending = {}   # transaction -> commit or abort, as asked for
        self.ended = {}    # as acknowledged
        self.offset = NO_OFFSET  # the newest that was committed without a transaction

    def add(self, line):
        word, *rest = line.split()
        if word == "acknowledged":
            self.acknowledged.add(rest[0])
        elif word == "ending":
            self.ending[rest[0]] = rest[1]
        elif word == "ended":
            self.ended[rest[0]] = rest[1]
        elif word == "committed":
            self.offset = int(rest[0])


def ask(options, *arguments):
    result = subprocess.run([options.client, *arguments], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise AssertionError(f"{arguments}: {result.stderr}")
    return result.stdout.split()


def check_plain(options, server, facts):
    values = Counter(ask(options, "read", server.bootstrap, "plain", "read_uncommitted"))
    lost = [value for value in facts.acknowledged if value not in values]
    assert not lost, f"acknowledged and lost: {sorted(lost)[:5]} of {len(lost)}"
    repeated = [value for value, count in values.items() if count > 1]
    assert not repeated, f"there more than once: {repeated[:5]}"
    return len(values)


def check_transactions(options, server, facts):
    visible = {}
    for topic in ("first", "second"):
        for value in ask(options, "read", server.bootstrap, topic, "read_committed"):
            visible.setdefault(value.split(".")[0], []).append(value)
    for transaction, values in visible.items():
        assert len(values) == 2 and len(set(values)) == 2, f"{transaction} is not whole: {values}"
        assert transaction in facts.ending, f"{transaction} is visible and was never ended"
        assert facts.ending[transaction] == "commit", f"{transaction} is visible and was aborted"
    for transaction, end in facts.ended.items():
        if end == "commit":
            assert transaction in visible, f"{transaction} was committed and is lost"
    return visible


def number_in(transaction):
    """As the offset that the load commits in it."""
    _, round_number, index = transaction.split("-")
    return int(round_number) * 1000000 + int(index)


def check_offsets(options, server, facts, visible):
    for name in ("a", "b"):
        newest = max((number_in(it) for it in visible if it.startswith(f"t{name}-")), default=NO_OFFSET)
        offset, = map(int, ask(options, "committed", server.bootstrap, f"crash-{name}", "plain"))
        assert offset == newest, f"group crash-{name} is at {offset}, its newest is {newest}"
    offset, = map(int, ask(options, "committed", server.bootstrap, "crash-plain", "plain"))
    assert offset >= facts.offset, f"group crash-plain is at {offset}, not {facts.offset}"


def load(options, server, round_number, facts, chance):
    """Runs the load; the server is killed at any moment of it, mostly when all of it is going on."""
    client = subprocess.Popen([options.client, "load", server.bootstrap, str(round_number)],
                              stdout=subprocess.PIPE, text=True)
    reader = threading.Thread(target=lambda: [facts.add(line) for line in client.stdout])
    reader.start()
    ended = len(facts.ended)
    if chance.random() < 0.2:
        time.sleep(chance.uniform(0, 1))
    else:
        deadline = time.monotonic() + 20
        while len(facts.ended) < ended + 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, options.load_seconds))
    notes = server.end(signal.SIGKILL)
    client.kill()
    client.wait()
    reader.join()
    return notes


def run(options, directory):
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    print(f"{options.rounds} rounds, --seed {seed}, fsync {options.fsync}", flush=True)
    chance = random.Random(seed)
    facts, slowest, torn, records, visible = Facts(), 0, 0, 0, {}
    for round_number in range(1, options.rounds + 1):
        server = Server(options, directory)
        load(options, server, round_number, facts, chance)
        if round_number % READ_EVERY and round_number != options.rounds:
            continue
        server = Server(options, directory)
        slowest = max(slowest, server.seconds_to_start)
        try:
            ask(options, "settle", server.bootstrap)
            records = check_plain(options, server, facts)
            visible = check_transactions(options, server, facts)
            check_offsets(options, server, facts, visible)
        finally:
            notes = server.end(signal.SIGKILL if chance.random() < 0.5 else signal.SIGTERM)
        torn += notes.count("torn write")
        print(f"round {round_number}: {len(facts.acknowledged)} of {records} records acknowledged, "
              f"{len(facts.ended)} of {len(facts.ending)} ends answered, "
              f"{len(visible)} transactions visible", flush=True)
    print(f"nothing lost; slowest start {slowest * 1000:.0f} ms, {torn} torn ends cut")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fencepost")
    parser.add_argument("client")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--fsync", default="always")
    parser.add_argument("--brokers", type=int, default=1)
    parser.add_argument("--load-seconds", type=float, default=0.6)
    parser.add_argument("--keep", help="the data directory; it is not removed")
    options = parser.parse_args()
    directory = options.keep or tempfile.mkdtemp(prefix="fencepost-crash-")
    try:
        run(options, directory)
    except AssertionError as error:
        print(f"FAIL {error}; the data directory is {directory}")
        sys.exit(1)
    if not options.keep:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
