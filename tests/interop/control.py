#!/usr/bin/env python3
"""A test as a user would write it: a client of librdkafka, kcat, against a cluster whose faults and
clock the test owns through the control API.

usage: control.py FENCEPOST
"""
import json
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import cases
from cluster_process import ClusterProcess, ask_api_versions, connect


class ControlledCluster(ClusterProcess):
    def __init__(self, fencepost, *options):
        super().__init__(fencepost, "--control", "0", "--topic", "orders", *options)
        line = self.process.stdout.readline()
        self.control = re.match(r"control API at (http://\S+),", line).group(1)
        self.bootstrap = "%s:%d" % self.address

    def ask(self, method, path, **body):
        """The status and the JSON of the answer."""
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.control + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def get(self, path):
        status, answer = self.ask("GET", path)
        assert status == 200, (status, answer)
        return answer

    def post(self, path, **body):
        status, answer = self.ask("POST", path, **body)
        assert status in (200, 201), (status, answer)
        return answer

    def kcat(self, *arguments):
        return subprocess.Popen(["kcat", "-b", self.bootstrap, *arguments], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def a_lost_answer_makes_no_duplicate(fencepost):
    cluster = ControlledCluster(fencepost)
    rule = cluster.post("/v1/faults", action="lose_reply", api="Produce", topic="orders")
    with urllib.request.urlopen(cluster.control + "/v1/events", timeout=20) as events:
        producer = cluster.kcat("-E", "-P", "-t", "orders", "-p", "0",
                                "-X", "enable.idempotence=true")
        _, errors = producer.communicate("paid\n", timeout=30)
        assert producer.returncode == 0, errors
        assert cluster.get(f"/v1/faults/{rule['id']}?until_hits=1")["hits"] == 1
        event = json.loads(events.readline())
        assert event["text"].startswith("lost the answer of broker 1"), event
    partition = cluster.get("/v1/partitions/orders/0")
    assert [batch["records"] for batch in partition["batches"]] == [["null=paid"]], partition
    assert partition["producers"][0]["last_sequence"] == 0, partition
    assert cluster.end() == (0, "")


def a_held_request_waits_for_its_release(fencepost):
    cluster = ControlledCluster(fencepost)
    rule = cluster.post("/v1/faults", action="hold", name="first", api="Produce")
    producer = cluster.kcat("-P", "-t", "orders", "-p", "0")
    producer.stdin.write("late\n")
    producer.stdin.close()
    assert cluster.get(f"/v1/faults/{rule['id']}?until_hits=1")["held"] == 1
    assert cluster.get("/v1/partitions/orders/0")["log_end_offset"] == 0
    assert cluster.post("/v1/held/first/release")["released"] == 1
    assert producer.wait(timeout=30) == 0
    assert cluster.get("/v1/partitions/orders/0?until_last_stable_offset=1")["log_end_offset"] == 1
    assert cluster.end() == (0, "")


def a_manual_clock_stands_still(fencepost):
    cluster = ControlledCluster(fencepost, "--clock", "manual")
    before = cluster.get("/v1/cluster")["now_ms"]
    with connect(cluster.address) as client:
        ask_api_versions(client)
    assert cluster.get("/v1/cluster")["now_ms"] == before
    assert cluster.post("/v1/clock", advance_ms=600000)["now_ms"] == before + 600000
    assert cluster.end() == (0, "")


def a_wait_ends_with_the_state_as_it_is(fencepost):
    cluster = ControlledCluster(fencepost)
    status, partition = cluster.ask("GET", "/v1/partitions/orders/0?until_last_stable_offset=1"
                                           "&timeout_ms=100")
    assert (status, partition["last_stable_offset"]) == (408, 0), (status, partition)
    assert cluster.end() == (0, "")


def it_ends_while_somebody_waits(fencepost):
    cluster = ControlledCluster(fencepost)
    outcomes = []

    def wait():
        try:
            outcomes.append(cluster.ask("GET", "/v1/transactions/t?until_state=Ongoing")[0])
        except OSError:
            outcomes.append("broken off")  # the server ended before it had read the request

    waiting = threading.Thread(target=wait)
    waiting.start()
    with urllib.request.urlopen(cluster.control + "/v1/events", timeout=20):
        assert cluster.end() == (0, "")
    waiting.join(timeout=20)
    assert outcomes in ([503], ["broken off"]), outcomes


def a_mistake_is_named(fencepost):
    cluster = ControlledCluster(fencepost)
    status, answer = cluster.ask("POST", "/v1/faults", action="hold", apy="Produce")
    assert (status, answer["field"]) == (400, "apy"), (status, answer)
    assert "did you mean api" in answer["error"], answer
    assert cluster.ask("GET", "/v1/cluster?verbose=1")[0] == 400
    assert cluster.ask("PUT", "/v1/faults", action="hold")[0] == 405
    assert "/v1/faults" in cluster.get("/openapi.json")["paths"]
    assert cluster.end() == (0, "")


if __name__ == "__main__":
    if shutil.which("kcat") is None:
        sys.exit(77)
    cases.run([
        ("a lost answer makes no duplicate", a_lost_answer_makes_no_duplicate),
        ("a held request waits for its release", a_held_request_waits_for_its_release),
        ("a manual clock stands still", a_manual_clock_stands_still),
        ("a wait ends with the state as it is", a_wait_ends_with_the_state_as_it_is),
        ("it ends while somebody waits", it_ends_while_somebody_waits),
        ("a mistake is named", a_mistake_is_named),
    ], sys.argv[1])
