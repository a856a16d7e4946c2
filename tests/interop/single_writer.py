#!/usr/bin/env python3
"""The single writer in real processes, on whatever cluster is given: every claim of the library over
TCP, a short torture of each protocol, the operator's commands on what these leave, and Ctrl-C.

usage: single_writer.py FENCEPOST CLAIMS HOST:PORT
PROTOCOLS limits the protocols (brokers before 4.0: "eager cooperative"). EXPERIMENTS=no leaves the
experiments of bench out. FENCE_NONE=SECONDS also wants the plain design to be seen breaking within
that time.
"""
import atexit
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cases

PROTOCOLS = os.environ.get("PROTOCOLS", "eager cooperative consumer").split()

LATE_BATCH = """
title: A batch arrives after its transaction was aborted
topics:
  TOPIC: {}
steps:
  - P.init_producer_id: {transactional_id: TOPIC-id, transaction_timeout: 60s}
  - P.add_partitions_to_txn: TOPIC-0
  - P.produce: {to: TOPIC-0, key: k, value: v}
    hold: late
  - P.end_txn: abort
  - release: late
    expect: {offset: 1}
"""

OPEN = """
title: A transaction stays open
topics:
  TOPIC: {}
steps:
  - P.init_producer_id: TOPIC-id
  - P.produce: {to: TOPIC-0, key: k, value: v}
"""


class Tools:
    """The command against the cluster."""

    def __init__(self, fencepost, claims, bootstrap, folder):
        self.fencepost = fencepost
        self.claims = claims
        self.bootstrap = bootstrap
        self.folder = pathlib.Path(folder)
        self.name = f"single-{os.getpid()}-{int(time.time())}"

    def arguments(self, *arguments):
        return [self.fencepost, *arguments, "--bootstrap", self.bootstrap]

    def run(self, *arguments, code=0, timeout=240):
        result = subprocess.run(self.arguments(*arguments), capture_output=True, text=True,
                                timeout=timeout)
        assert result.returncode == code, (arguments, result.returncode, result.stdout[-3000:],
                                           result.stderr[-3000:])
        return result.stdout

    def play(self, scenario):
        file = self.folder / "scenario.yaml"
        file.write_text(scenario)
        return subprocess.run(self.arguments("run", str(file)), capture_output=True, text=True,
                              timeout=60)

    def start(self, *arguments, log):
        process = subprocess.Popen(self.arguments(*arguments), stdout=open(self.folder / log, "w"),
                                   stderr=subprocess.STDOUT)
        atexit.register(process.kill)  # whatever becomes of the test
        return process

    def json(self, *arguments, **options):
        return [json.loads(it) for it in self.run(*arguments, "--json", **options).splitlines()]

    def said(self, log):
        return (self.folder / log).read_text()

    def wait_for(self, words, log, process, patience=60):
        """Until the words are in the log; what is in it."""
        deadline = time.monotonic() + patience
        while not re.search(words, self.said(log)):
            assert process.poll() is None, (process.returncode, self.said(log))
            assert time.monotonic() < deadline, self.said(log)
            time.sleep(0.05)
        return self.said(log)

    def ended(self, process, log, patience=30):
        try:
            return process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(("it does not end", self.said(log)))


def at_once(functions):
    """Runs them side by side; the first that failed decides."""
    failures = []

    def caught(function):
        try:
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=caught, args=(it,)) for it in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def every_claim(tools):
    """One process a protocol; those that belong to none run once."""
    def of(protocol, wanted):
        environment = os.environ | {"PROTOCOLS": protocol,
                                    "FENCEPOST_BOOTSTRAP": tools.bootstrap}
        result = subprocess.run([tools.claims, wanted, "-d", "yes"], env=environment, timeout=300,
                                capture_output=True, text=True)
        assert result.returncode == 0, result.stdout
        held = re.findall(r"^([0-9.]+ s): (.*)$", result.stdout, re.M)
        assert held, "no claim was checked"
        for seconds, claim in held:
            print(f"     {protocol:12} {seconds:>9}  {claim}", flush=True)

    at_once([lambda it=it: of(it, "[claims][protocol]") for it in PROTOCOLS] +
            [lambda: of("any", "[claims]~[protocol]")])


def torture(tools):
    def of(protocol):
        said = tools.run("torture", "--protocol", protocol, "--workers", "2", "--partitions", "2",
                         "--duration", "10s", "--logs", str(tools.folder / protocol))
        assert "every claim holds" in said, said
        tools.topics = re.search(r"^topics (\S+) and (\S+),", said, re.M).groups()

    at_once([lambda it=it: of(it) for it in PROTOCOLS])


def torture_without_the_fence(tools):
    """Seen within the time that is allowed, usually in a few seconds; several seeds at once."""
    seconds = os.environ["FENCE_NONE"]
    broken = []

    def of(seed):
        result = subprocess.run(tools.arguments(
            "torture", "--fence", "none", "--duration", f"{seconds}s", "--seed", str(seed),
            "--logs", str(tools.folder / f"none-{seed}")), capture_output=True, text=True,
            timeout=300)
        assert result.returncode in (0, 1), result
        broken.extend(re.findall("^BROKEN  .*", result.stdout, re.M))

    at_once([lambda it=it: of(it) for it in (1, 2)])
    assert broken, "nothing broke"
    print("    ", broken[0], flush=True)


def recover_and_probe(tools):
    snapshots = tools.topics[1]
    lines = tools.run("recover", f"{snapshots}-0").splitlines()
    assert lines and all(json.loads(it)["value"].startswith("count=") for it in lines), lines
    group = snapshots.removesuffix("-state")
    shown = tools.json("probe", "--group", group, "--transactional-id", f"{group}-{snapshots}-0",
                       "--partition", f"{snapshots}-0")
    facts = {it["fact"]: it["value"] for it in shown}
    assert facts["last stable offset"] == facts["high watermark"], shown
    listed = tools.json("txn", "list")
    mine = [it for it in listed if it["transactionalId"] == f"{group}-{snapshots}-0"]
    assert len(mine) == 1 and mine[0]["transactionState"].startswith("Complete"), listed
    tools.run("txn", "describe", "--transactional-id", mine[0]["transactionalId"])
    producers = tools.json("txn", "describe-producers", "--topic", snapshots, "--partition", "0")
    assert any(it["producerId"] == mine[0]["producerId"] for it in producers), producers


def hanging_transaction(tools):
    """Found and ended where one can be made; elsewhere the broker refuses the batch."""
    find = ["txn", "find-hanging", "--max-transaction-timeout", "0"]
    name = f"{tools.name}-late"
    made = tools.play(LATE_BATCH.replace("TOPIC", name))
    if made.returncode != 0:
        assert re.search("TRANSACTION_ABORTABLE|INVALID_TXN_STATE|INVALID_PRODUCER_EPOCH",
                         made.stdout), made.stdout
        print("     the brokers verify: none can be made", flush=True)
        return
    time.sleep(0.05)  # its newest record must be older than nothing
    found = [it for it in tools.json(*find, code=1) if it["transactionalId"].endswith(f"{name}-id")]
    assert len(found) == 1, found
    topic = found[0]["topic"]
    tools.run("recover", f"{topic}-0", "--stall-timeout", "1s", code=1)
    abort = ["txn", "abort", "--topic", topic, "--partition", "0", "--start-offset",
             str(found[0]["startOffset"])]
    assert tools.run(*abort).startswith("would write an abort marker")
    assert len(tools.json(*find, "--topic", topic, code=1)) == 1
    assert tools.run(*abort, "--yes").startswith("wrote an abort marker")
    assert tools.json(*find, "--topic", topic) == []
    tools.run("recover", f"{topic}-0", "--stall-timeout", "5s")
    print("     found, and ended", flush=True)


def abort_by_id(tools):
    """A transaction that is only open: fenced by its id, after a dry run."""
    name = f"{tools.name}-open"
    assert tools.play(OPEN.replace("TOPIC", name)).returncode == 0

    def mine():
        found = [it for it in tools.json("txn", "list")
                 if it["transactionalId"].endswith(f"{name}-id")]
        assert len(found) == 1, found
        return found[0]
    assert mine()["transactionState"] == "Ongoing", mine()
    abort = ["txn", "abort", "--transactional-id", mine()["transactionalId"]]
    assert tools.run(*abort).startswith("would fence")
    assert mine()["transactionState"] == "Ongoing"
    tools.run(*abort, "--yes")
    assert mine()["transactionState"] in ("Empty", "CompleteAbort"), mine()
    assert "no open transaction" in tools.run(*abort, "--yes", code=1)


def nothing_is_left(tools, group, name):
    """No member in the group, no transaction open of those whose id holds the name."""
    shown = tools.json("probe", "--group", group)
    states = [it["value"] for it in shown if it["fact"] == "state"]
    assert len(states) == 1 and states[0].lower() in ("empty", "dead"), shown
    assert not any(it["fact"].startswith("member ") for it in shown), shown
    unfinished = [it for it in tools.json("txn", "list")
                  if name in it["transactionalId"] and it["transactionState"] == "Ongoing"]
    assert unfinished == [], unfinished


def worker_ends(tools):
    """Each signal ends it with 0: what is open is committed, and the member leaves."""
    for how in (signal.SIGINT, signal.SIGTERM):
        group = f"{tools.name}-{how.name}"
        worker = tools.start("worker", "--group", group, "--input", tools.topics[0],
                             "--snapshots", tools.topics[1], "--session-timeout", "6s",
                             "--transactional-id-prefix", group, log=group)
        tools.wait_for(r"(?s)(taken over.*){2}", group, worker)
        worker.send_signal(how)
        assert tools.ended(worker, group) == 0, tools.said(group)
        assert tools.said(group).count("given up, committed") == 2, tools.said(group)
        nothing_is_left(tools, group, group)


def bench_is_interrupted(tools):
    """In the middle of a transaction."""
    before = {it["transactionalId"] for it in tools.json("txn", "list")}
    bench = tools.start("bench", "experiments", "--runs", "50", log="bench")
    for _ in range(600):
        ongoing = [it for it in tools.json("txn", "list")
                   if it["transactionalId"].startswith("txn-bench-")
                   and it["transactionalId"] not in before
                   and it["transactionState"] == "Ongoing"]
        if ongoing:
            break
        assert bench.poll() is None, tools.said("bench")
    assert ongoing, "no transaction was seen"
    bench.send_signal(signal.SIGINT)
    assert tools.ended(bench, "bench") == 3, tools.said("bench")
    name = ongoing[0]["transactionalId"].removeprefix("txn-")
    nothing_is_left(tools, f"group-{name}", name)


def bench_experiments(tools):
    rows = tools.json("bench", "experiments", "--runs", "1")
    assert [it["experiment"] for it in rows] == ["A"] * 3 + ["B"] * 5, rows
    by_cell = {it["cell"]: it for it in rows}
    assert by_cell["transactions, one at a time"]["transactions"] == 500, rows
    assert by_cell["transactions, all at once"]["transactions"] == 2, rows
    assert by_cell["cap 1"]["transactions"] == 2000, rows
    assert by_cell["no cap"]["transactions"] == 1, rows


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [int(it) for it in children.read().split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def torture_ends(tools):
    """Interrupted, it ends its workers and checks what there is; killed, it takes them with it."""
    for how, code in ((signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        log = f"torture-{how.name}"
        torturer = tools.start("torture", "--duration", "10m", "--workers", "3", "--partitions",
                               "2", "--logs", str(tools.folder / f"{log}-logs"), log=log)
        said = tools.wait_for(r"stopped for|cut off for", log, torturer)
        group = re.search(r"^topics (\S+)-in and", said, re.M).group(1)
        workers = children_of(torturer.pid)
        assert workers, said
        torturer.send_signal(how)
        assert tools.ended(torturer, log, patience=45) == code, tools.said(log)
        for _ in range(100):
            left = [it for it in workers if is_running(it)]
            if not left:
                break
            time.sleep(0.05)
        assert left == [], ("these workers live on", left)
        if how == signal.SIGINT:
            assert "every claim holds" in tools.said(log), tools.said(log)
            nothing_is_left(tools, group, group)


def timed(case):
    def run(tools):
        begin = time.monotonic()
        case(tools)
        print(f"     {time.monotonic() - begin:.0f} s", flush=True)
    return run


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    fencepost, claims, bootstrap = sys.argv[1:4]
    every = [
        ("every claim of the library", every_claim),
        ("torture finds nothing", torture),
        ("a snapshot topic is recovered, and its fences shown", recover_and_probe),
        ("a hanging transaction is found and ended", hanging_transaction),
        ("an open transaction is ended by its id", abort_by_id),
        ("a worker ends and leaves nothing behind", worker_ends),
        ("a bench that is interrupted leaves nothing behind", bench_is_interrupted),
        ("a torture that ends, or is killed, leaves no worker behind", torture_ends),
    ]
    if os.environ.get("EXPERIMENTS") != "no":
        every.append(("the experiments count their transactions", bench_experiments))
    if "FENCE_NONE" in os.environ:
        every.append(("torture without the fence finds the corruption", torture_without_the_fence))
    with tempfile.TemporaryDirectory() as folder:
        cases.run([(name, timed(case)) for name, case in every],
                  Tools(fencepost, claims, bootstrap, folder))


main()
