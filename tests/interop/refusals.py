#!/usr/bin/env python3
"""What each command that talks to a cluster says when it cannot: one line that names the broker, the
step and what to check, the exit code 3 (cluster) or 1 (answer), and never later than its timeout.

usage: refusals.py FENCEPOST
"""
import concurrent.futures
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

import cases
from certificates import Certificates
from cluster_process import ClusterProcess

TIMEOUT = 2  # seconds, of one request
PATIENCE = 15  # for a command as a whole, on a machine that does other things too
AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

COMMANDS = {
    "txn list": [],
    "txn describe": ["--transactional-id", "t"],
    "txn describe-producers": ["--topic", "none", "--partition", "0"],
    "txn find-hanging": ["--topic", "none"],
    "txn abort": ["--transactional-id", "t"],
    "txn abort ": ["--topic", "none", "--partition", "0", "--start-offset", "0"],
    "txn fence": ["t", "--yes"],
    "recover": ["none-0"],
    "probe": ["--group", "g", "--transactional-id", "t", "--partition", "none-0"],
    "worker": ["--group", "g", "--input", "none", "--snapshots", "none"],
    "torture": ["--duration", "1s"],
    "bench experiments": ["--runs", "1"],
    "bench contestant": ["--input", "none", "--output", "none", "--name", "n"],
}
# Of these the cluster makes what they need, or has nothing to refuse.
NEED_NO_TOPIC = {"txn list", "txn describe", "txn abort", "txn fence", "torture",
                 "bench experiments"}
# The brokers leave out what a user may not see, instead of refusing.
SHOW_NOTHING = {"txn list"}


class World:
    def __init__(self, fencepost, folder):
        self.fencepost = fencepost
        self.folder = pathlib.Path(folder)
        self.certificates = Certificates(folder)
        self.users = str(self.folder / "users")
        pathlib.Path(self.users).write_text("alice:alice-secret\n")
        os.chmod(self.users, 0o600)

    def run(self, command, where, *options):
        begin = time.monotonic()
        result = subprocess.run(
            [self.fencepost, *command.split(), *COMMANDS[command], "--bootstrap", where,
             "--timeout", f"{TIMEOUT}s", *options], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL)
        return result, time.monotonic() - begin

    def all_say(self, code, words, where, *options, commands=COMMANDS):
        """Each of the commands ends with that code and one line with these words."""
        def of(command):
            result, seconds = self.run(command, where, *options)
            lines = result.stderr.splitlines()
            found = (command, result.returncode, result.stdout, result.stderr)
            assert result.returncode == code, found
            assert len(lines) == 1, found
            assert lines[0].startswith("fencepost " + command.split()[0]), found
            assert re.search(words, lines[0]), (words, found)
            assert seconds < PATIENCE, (seconds, found)

        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(of, commands))


def a_port_of_nobody():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % reserved.getsockname()[1]


def closed_port(world):
    where = a_port_of_nobody()
    world.all_say(3, f"cannot connect to {where}: opening the connection: Connection refused; "
                     "check that a broker listens there", where)


def unknown_host(world):
    where = "no-such-host.invalid:9092"
    world.all_say(3, f"cannot connect to {where}: looking up the host name: .*check the spelling",
                  where)


def silence(world):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        where = "127.0.0.1:%d" % listener.getsockname()[1]
        world.all_say(3, f"cannot agree on versions with {where}: .*nothing came within "
                         f"{TIMEOUT}000 ms; check that it is a broker", where)
        world.all_say(3, f"cannot connect to {where}: no answer in {TIMEOUT}000 ms; check the "
                         "address", where, "-X", "security.protocol=SSL")


def secure_cluster(world, *options):
    """A broker with TLS and passwords; its process and address."""
    cluster = ClusterProcess(
        world.fencepost, "--listener", "PLAINTEXT://127.0.0.1:0", "--listener",
        "SASL_SSL://127.0.0.1:0", "--users", world.users, "--certificate",
        world.certificates["broker.pem"], "--key", world.certificates["broker.key"], *options)
    line = cluster.process.stdout.readline()
    port = re.fullmatch(r"listening on SASL_SSL://127\.0\.0\.1:(\d+) .*\n", line).group(1)
    return cluster, f"127.0.0.1:{port}"


def settings(world, **changed):
    values = {"security.protocol": "SASL_SSL", "ssl.ca.location": world.certificates["ca.pem"],
              "sasl.mechanism": "PLAIN", "sasl.username": "alice",
              "sasl.password": "alice-secret"}
    values |= {name.replace("_", "."): value for name, value in changed.items()}
    return [it for name, value in values.items() for it in ("-X", f"{name}={value}")]


def wrong_protocol(world):
    cluster, secure = secure_cluster(world)
    plain = "%s:%d" % cluster.address
    world.all_say(3, f"cannot agree on versions with {secure}: .*check security.protocol", secure)
    world.all_say(3, f"cannot connect to {plain}: establishing TLS: .*check security.protocol",
                  plain, "-X", "security.protocol=SSL")
    world.all_say(3, f"cannot authenticate with {plain}: .*check security.protocol", plain,
                  *settings(world, security_protocol="SASL_PLAINTEXT"))
    assert cluster.end()[0] == 0


def wrong_certificate_and_password(world):
    cluster, secure = secure_cluster(world)
    with tempfile.TemporaryDirectory() as folder:
        stranger = Certificates(folder)["ca.pem"]
        world.all_say(3, f"cannot connect to {secure}: establishing TLS: .*ssl.ca.location", secure,
                      *settings(world, ssl_ca_location=stranger))
    world.all_say(3, f"cannot authenticate with {secure}: user 'alice' is refused: .*check "
                     "sasl.username and sasl.password", secure,
                  *settings(world, sasl_password="wrong"))
    assert cluster.end()[0] == 0


def missing_acl(world):
    cluster, secure = secure_cluster(world, "-c", f"authorizer.class.name={AUTHORIZER}", "-c",
                                     "super.users=User:admin;User:ANONYMOUS")
    world.all_say(1, r"AUTHORIZATION_FAILED \(the user lacks an ACL for the (topic|group|"
                     r"transactional\.id|cluster)\)", secure, *settings(world),
                  commands=[it for it in COMMANDS if it not in SHOW_NOTHING])
    assert cluster.end()[0] == 0


def missing_topic(world):
    cluster = ClusterProcess(world.fencepost)
    where = "%s:%d" % cluster.address
    world.all_say(1, r"topic none is answered with UNKNOWN_TOPIC_OR_PARTITION \(there is no such "
                     "topic or partition", where,
                  commands=[it for it in COMMANDS if it not in NEED_NO_TOPIC])
    world.all_say(1, "t: TRANSACTIONAL_ID_NOT_FOUND", where, commands=["txn describe", "txn abort"])
    assert cluster.end()[0] == 0


def a_broker_that_starts_later(world):
    """Torture waits for it as long as for an answer; it names topics that are there."""
    where = a_port_of_nobody()
    torture = subprocess.Popen(
        [world.fencepost, "torture", "--bootstrap", where, "--timeout", "20s", "--duration", "1m",
         "--workers", "1", "--logs", str(world.folder / "logs")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    assert torture.poll() is None, torture.communicate()
    cluster = ClusterProcess(world.fencepost, port=int(where.rsplit(":", 1)[1]))
    said = torture.stdout.readline()
    topic = re.match(r"topics (\S+) and ", said).group(1)
    described = subprocess.run(
        [world.fencepost, "txn", "describe-producers", "--topic", topic, "--partition", "0",
         "--bootstrap", where], capture_output=True, text=True, timeout=60)
    assert described.returncode == 0, described
    torture.terminate()
    assert torture.wait(timeout=30) == 0, torture.communicate()
    assert cluster.end()[0] == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases.run([
            ("a closed port is named", closed_port),
            ("an unknown host is named", unknown_host),
            ("silence is not waited for longer than the timeout", silence),
            ("the wrong security.protocol is named", wrong_protocol),
            ("a certificate or a password that is refused is named", wrong_certificate_and_password),
            ("a missing ACL is named", missing_acl),
            ("a missing topic is named", missing_topic),
            ("a broker that starts later is waited for", a_broker_that_starts_later),
        ], World(sys.argv[1], folder))


main()
