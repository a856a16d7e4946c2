#!/usr/bin/env python3
"""Kafka's own tools on a data directory of ours: its dump tool reads every file without complaint,
and a broker started on a copy of the folder serves the same records and committed offsets, and has
the same users and access rules.

usage: kafka_reads_files.py FENCEPOST
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster_process import ClusterProcess

HERE = Path(__file__).parent
SKIPPED = 77
COMPLAINTS = re.compile(r"exception|error|mismatch|non-consecutive|not found|isvalid: false"
                        r"|corrupt|failed|could not", re.IGNORECASE)
DECODERS = {"__transaction_state": "--transaction-log-decoder",
            "__consumer_offsets": "--offsets-decoder",
            "__cluster_metadata": "--cluster-metadata-decoder"}
READ_TIMEOUT_MS = "30000"
# Clients without a name may do everything.
AUTHORIZER = ["authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
              "super.users=User:ANONYMOUS"]


def java(libs, *arguments, **options):
    return subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{libs}/*", *arguments],
                          capture_output=True, text=True, timeout=180, **options)


def topic_of(folder):
    return folder.name.rpartition("-")[0]


def dump(libs, files, *options):
    result = java(libs, "org.apache.kafka.tools.DumpLogSegments", *options, "--files",
                  ",".join(map(str, files)))
    assert result.returncode == 0, result.stderr
    output = result.stdout + re.sub(r"SLF4J: .*", "", result.stderr)
    # Values of the records are ours to choose: they are no complaints.
    complaint = COMPLAINTS.search(re.sub(r"payload: .*", "", output))
    assert not complaint, output[max(0, complaint.start() - 500):complaint.end() + 500]
    for file in files:
        assert f"Dumping {file}" in output, f"{file} was not dumped"
    return output


def dump_all(libs, folder):
    """Every file with something in it, the logs by the decoder of their topic."""
    files = [file for file in sorted(folder.glob("*-*/*"))
             if file.stat().st_size > 0 and re.fullmatch(r"\d{20}\.\w+", file.name)]
    plain = [file for file in files if file.suffix != ".log" or topic_of(file.parent) not in DECODERS]
    outputs = {"": dump(libs, plain, "--print-data-log", "--deep-iteration")}
    for topic, option in DECODERS.items():
        logs = [file for file in files if file.suffix == ".log" and topic_of(file.parent) == topic]
        assert logs, f"nothing of {topic} on disk"
        outputs[topic] = dump(libs, logs, option)
    assert {".log", ".index", ".timeindex", ".txnindex", ".snapshot"} == {it.suffix for it in files}
    return outputs


def read_topic(libs, bootstrap, topic, count):
    result = java(libs, "org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server",
                  bootstrap, "--topic", topic, "--partition", "0", "--offset", "earliest",
                  "--isolation-level", "read_committed", "--max-messages", str(count),
                  "--timeout-ms", READ_TIMEOUT_MS,
                  "--formatter-property", "print.offset=true",
                  "--formatter-property", "print.timestamp=true",
                  "--formatter-property", "print.key=true")
    return result.stdout


def describe_group(libs, bootstrap, group):
    result = java(libs, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
                  "--bootstrap-server", bootstrap, "--describe", "--group", group)
    row = [line.split() for line in result.stdout.splitlines() if line.startswith(group)]
    return [columns[:5] for columns in row]  # group, topic, partition, offset, log end


def set_access(libs, bootstrap):
    """Rules that stay and one that goes again, a user that stays and one that goes."""
    acl = ["org.apache.kafka.tools.AclCommand", "--bootstrap-server", bootstrap]
    users = ["org.apache.kafka.tools.ConfigCommand", "--bootstrap-server", bootstrap, "--alter",
             "--entity-type", "users", "--entity-name"]
    clients = users[:4] + ["--entity-type", "clients"]
    for command in (
            acl + ["--add", "--allow-principal", "User:alice", "--producer", "--topic", "many"],
            acl + ["--add", "--deny-principal", "User:bob", "--operation", "Read", "--topic", "m",
                   "--resource-pattern-type", "prefixed"],
            acl + ["--remove", "--force", "--allow-principal", "User:alice", "--operation", "Create",
                   "--topic", "many"],
            users + ["alice", "--add-config", "SCRAM-SHA-256=[iterations=8192,password=secret]"],
            users + ["bob", "--add-config", "SCRAM-SHA-512=[password=secret]"],
            users + ["bob", "--delete-config", "SCRAM-SHA-512"],
            users + ["alice", "--add-config", "producer_byte_rate=1024,request_percentage=12.5"],
            users + ["carol", "--add-config", "consumer_byte_rate=2048"],
            users + ["carol", "--delete-config", "consumer_byte_rate"],
            clients + ["--entity-default", "--add-config", "consumer_byte_rate=4096"]):
        result = java(libs, *command)
        assert result.returncode == 0, (command, result.stdout, result.stderr)


def list_rules(libs, bootstrap):
    rules = java(libs, "org.apache.kafka.tools.AclCommand", "--bootstrap-server", bootstrap, "--list")
    return sorted(re.findall(r"principal=.*?\)", rules.stdout))


def list_users(libs, bootstrap):
    """Credentials and quotas, as the tool prints them."""
    lines = []
    for entity in ("users", "clients"):
        described = java(libs, "org.apache.kafka.tools.ConfigCommand", "--bootstrap-server", bootstrap,
                         "--describe", "--entity-type", entity)
        lines += described.stdout.splitlines()
    # A broker gives the quotas of one user in the order of a hash.
    return sorted((of, sorted(values.split(", ")))
                  for of, are, values in (line.partition(" are ") for line in lines) if are)


def fill(libs, bootstrap):
    """Records of every kind, and full index files; returns the topics."""
    subprocess.run([HERE / "java_transaction", bootstrap], check=True, timeout=120,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "FENCEPOST_KAFKA_LIBS": str(libs)})
    values = "".join(f"value {i} {'x' * 500}\n" for i in range(400))
    java(libs, "org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", bootstrap,
         "--topic", "many", "--producer-property", "batch.size=2000", input=values)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Kafka:
    """A broker and controller on that folder."""

    def __init__(self, libs, folder):
        port, controller = free_port(), free_port()
        self.bootstrap = f"127.0.0.1:{port}"
        self.log = folder.parent / "kafka.log"
        properties = folder.parent / "server.properties"
        properties.write_text("\n".join([
            "process.roles=broker,controller", "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "controller.listener.names=CONTROLLER", f"log.dirs={folder}",
            "offsets.topic.replication.factor=1", "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1", *AUTHORIZER]))
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", f"{libs}/*", "kafka.Kafka",
             str(properties)], stdout=self.log.open("w"), stderr=subprocess.STDOUT)
        for _ in range(600):
            if self.process.poll() is not None:
                raise AssertionError("Kafka ended:\n" + self.log.read_text()[-4000:])
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Kafka does not listen:\n" + self.log.read_text()[-4000:])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)


def run(fencepost, libs, directory):
    cluster = ClusterProcess(fencepost, "--data-dir", str(directory / "data"), "-c",
                             "log.segment.bytes=1048576", "-c", "offsets.topic.num.partitions=3",
                             "-c", "transaction.state.log.num.partitions=3",
                             *(word for setting in AUTHORIZER for word in ("-c", setting)))
    bootstrap = "%s:%d" % cluster.address
    folder = directory / "data" / "broker-1"
    try:
        fill(libs, bootstrap)
        set_access(libs, bootstrap)
        topics = {topic_of(it) for it in folder.glob("*-0")} - set(DECODERS)
        group, = topics - {"many"}
        counts = {"many": 400, group: 3}
        ours = {topic: read_topic(libs, bootstrap, topic, counts[topic]) for topic in topics}
        assert ours["many"].count("\n") == 400 and "last" in ours[group], ours
        our_offsets = describe_group(libs, bootstrap, group)
        assert our_offsets, "no committed offsets to compare"
        our_users = list_users(libs, bootstrap)
        our_rules = list_rules(libs, bootstrap)
        assert len(our_rules) == 3, our_rules
    finally:
        ended = cluster.end()
    assert ended == (0, ""), ended

    outputs = dump_all(libs, folder)
    assert "transactionalId" in outputs["__transaction_state"], outputs["__transaction_state"]
    print("ok   the dump tool reads every file")

    copy = directory / "copy"
    shutil.copytree(folder, copy)
    kafka = Kafka(libs, copy)
    try:
        for topic in topics:
            theirs = read_topic(libs, kafka.bootstrap, topic, counts[topic])
            assert theirs == ours[topic], f"{topic}\nours:\n{ours[topic]}\nKafka's:\n{theirs}"
        assert describe_group(libs, kafka.bootstrap, group) == our_offsets
        assert list_rules(libs, kafka.bootstrap) == our_rules
        assert list_users(libs, kafka.bootstrap) == our_users
        assert len(our_users) == 3, our_users
    finally:
        kafka.end()
    print("ok   Kafka serves the same records, offsets, users, quotas and access rules")


def main():
    libs = subprocess.run([HERE / "kafka_libs"], stdout=subprocess.PIPE, text=True)
    if libs.returncode != 0:
        sys.exit(SKIPPED)
    directory = Path(tempfile.mkdtemp(prefix="fencepost-files-"))
    run(sys.argv[1], libs.stdout.strip(), directory)
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
