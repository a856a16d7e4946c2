#!/usr/bin/env python3
"""Real clients through TLS, SASL and ACLs; and clients that are slow, silent or too many.

usage: security.py FENCEPOST
"""
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import cases
from certificates import Certificates
from cluster_process import ClusterProcess, ask_api_versions, connect, frame

HERE = pathlib.Path(__file__).parent
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
TIMEOUT = 60


class SecureCluster(ClusterProcess):
    """A cluster with one listener of each protocol; addresses by protocol."""

    PROTOCOLS = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]

    def __init__(self, world, *options):
        listeners = [it for name in self.PROTOCOLS for it in ("--listener", f"{name}://127.0.0.1:0")]
        super().__init__(world.fencepost, *listeners, "--users", world.users, "--certificate",
                         world.certificates["broker.pem"], "--key",
                         world.certificates["broker.key"], *options)
        self.addresses = {"PLAINTEXT": f"127.0.0.1:{self.address[1]}"}
        for name in self.PROTOCOLS[1:]:
            line = self.process.stdout.readline()
            port = re.fullmatch(rf"listening on {name}://127\.0\.0\.1:(\d+) \(broker 1\)\n", line)
            self.addresses[name] = f"127.0.0.1:{port.group(1)}"

    def port(self, protocol):
        return int(self.addresses[protocol].rsplit(":", 1)[1])

    def end_well(self):
        exit_code, errors = self.end()
        assert exit_code == 0, (exit_code, errors)
        assert "secret" not in errors, "a password in the output"


class World:
    def __init__(self, fencepost, folder):
        self.fencepost = fencepost
        self.folder = pathlib.Path(folder)
        self.certificates = Certificates(folder)
        self.users = str(self.folder / "users")
        pathlib.Path(self.users).write_text("alice:alice-secret\nbob:bob-secret\n")
        os.chmod(self.users, 0o600)

    def settings(self, protocol, mechanism="PLAIN", user="alice", password=None):
        """As librdkafka wants them."""
        out = {"security.protocol": protocol}
        if protocol.endswith("SSL"):
            out["ssl.ca.location"] = self.certificates["ca.pem"]
        if protocol.startswith("SASL"):
            out |= {"sasl.mechanisms": mechanism, "sasl.username": user,
                    "sasl.password": password or f"{user}-secret"}
        return out

    def properties(self, protocol, mechanism="PLAIN", user="alice", password=None):
        """The file that Kafka's own tools want."""
        lines = [f"security.protocol={protocol}"]
        if protocol.endswith("SSL"):
            lines += ["ssl.truststore.type=PEM",
                      f"ssl.truststore.location={self.certificates['ca.pem']}"]
        if protocol.startswith("SASL"):
            kind = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
            lines += [f"sasl.mechanism={mechanism}",
                      f"sasl.jaas.config=org.apache.kafka.common.security.{kind}LoginModule "
                      f'required username="{user}" password="{password or user + "-secret"}";']
        path = self.folder / f"{protocol}-{mechanism}-{user}.properties"
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    def kcat(self, address, settings, *arguments, text=None):
        options = [it for pair in settings.items() for it in ("-X", "=".join(pair))]
        return subprocess.run(["kcat", "-b", address, *options, *arguments], input=text,
                              capture_output=True, text=True, timeout=TIMEOUT)


def round_trip_of_kcat(world, cluster, protocol, **options):
    settings = world.settings(protocol, **options)
    topic = f"kcat-{protocol}-{options.get('mechanism', '')}"
    address = cluster.addresses[protocol]
    wrote = world.kcat(address, settings, "-P", "-t", topic, text="one\ntwo\n")
    assert wrote.returncode == 0, wrote.stderr
    # Large enough for several TLS records both ways.
    large = "x" * 300_000
    wrote = world.kcat(address, settings, "-P", "-t", topic, text=large + "\n")
    assert wrote.returncode == 0, wrote.stderr
    read = world.kcat(address, settings, "-C", "-t", topic, "-c", "3", "-q")
    assert read.stdout == f"one\ntwo\n{large}\n", (read.stdout[:100], read.stderr)


def kcat_everywhere(world):
    cluster = SecureCluster(world)
    round_trip_of_kcat(world, cluster, "SSL")
    for protocol in ["SASL_PLAINTEXT", "SASL_SSL"]:
        for mechanism in MECHANISMS:
            round_trip_of_kcat(world, cluster, protocol, mechanism=mechanism)
    cluster.end_well()


def wrong_password(world):
    cluster = SecureCluster(world, "--debug")
    for mechanism in MECHANISMS:
        settings = world.settings("SASL_SSL", mechanism, password="wrong-secret")
        result = world.kcat(cluster.addresses["SASL_SSL"], settings, "-L", "-m", "5")
        assert result.returncode != 0
        assert re.search("[Aa]uthentication fail", result.stderr), result.stderr
    cluster.end_well()


def our_own_client(world):
    cluster = SecureCluster(world, "--debug")
    for mechanism in MECHANISMS:
        for password, exit_code in [("alice-secret", 0), ("wrong-secret", 3)]:
            settings = world.settings("SASL_SSL", mechanism, password=password)
            options = [it for pair in settings.items() for it in ("-X", "=".join(pair))]
            listed = subprocess.run([world.fencepost, "txn", "list", "--bootstrap",
                                     cluster.addresses["SASL_SSL"], *options],
                                    capture_output=True, text=True, timeout=TIMEOUT)
            assert listed.returncode == exit_code, listed
            assert "secret" not in listed.stdout + listed.stderr, listed
    cluster.end_well()


def s_client(world):
    cluster = SecureCluster(world)
    for version in ["-tls1_2", "-tls1_3"]:
        result = subprocess.run(["openssl", "s_client", "-connect", cluster.addresses["SSL"],
                                 "-CAfile", world.certificates["ca.pem"], "-verify_ip",
                                 "127.0.0.1", "-verify_return_error", "-brief", version],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                timeout=TIMEOUT)
        assert result.returncode == 0 and "Verification: OK" in result.stderr, result.stderr
    old = subprocess.run(["openssl", "s_client", "-connect", cluster.addresses["SSL"], "-tls1_1",
                          "-cipher", "DEFAULT@SECLEVEL=0", "-brief"], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=TIMEOUT)
    assert old.returncode != 0, "TLS 1.1 was accepted"
    cluster.end_well()


def client_certificates(world):
    cluster = SecureCluster(
        world, "--client-auth", "required", "--client-ca", world.certificates["ca.pem"],
        "-c", f"authorizer.class.name={STANDARD_AUTHORIZER}",
        "-c", "super.users=User:CN=alice,O=tests")
    settings = world.settings("SSL")
    none = world.kcat(cluster.addresses["SSL"], settings, "-L", "-m", "5")
    assert none.returncode != 0, none.stdout
    settings |= {"ssl.certificate.location": world.certificates["alice.pem"],
                 "ssl.key.location": world.certificates["alice.key"]}
    wrote = world.kcat(cluster.addresses["SSL"], settings, "-P", "-t", "t", text="one\n")
    assert wrote.returncode == 0, wrote.stderr
    cluster.end_well()


def kafka_libs():
    found = subprocess.run([HERE / "kafka_libs"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


class Java:
    def __init__(self, libs):
        self.libs = libs

    def run(self, tool, *arguments, text=None):
        return subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{self.libs}/*", tool,
                               *arguments], input=text, capture_output=True, text=True,
                              timeout=TIMEOUT)


def java_everywhere(java):
    def case(world):
        cluster = SecureCluster(world)
        for protocol, mechanism in [("SSL", "PLAIN"), ("SASL_PLAINTEXT", "PLAIN"),
                                    ("SASL_SSL", "PLAIN"), ("SASL_SSL", "SCRAM-SHA-256"),
                                    ("SASL_SSL", "SCRAM-SHA-512")]:
            properties = world.properties(protocol, mechanism)
            topic = f"java-{protocol}-{mechanism}"
            address = cluster.addresses[protocol]
            wrote = java.run("org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", address,
                             "--topic", topic, "--command-config", properties, text="one\ntwo\n")
            assert wrote.returncode == 0, wrote.stderr
            read = java.run("org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server",
                            address, "--topic", topic, "--command-config", properties,
                            "--from-beginning", "--max-messages", "2", "--timeout-ms", "20000")
            assert read.stdout == "one\ntwo\n", (read.stdout, read.stderr)
        cluster.end_well()
    return case


def java_acls(java):
    def case(world):
        cluster = SecureCluster(world, "-c", f"authorizer.class.name={STANDARD_AUTHORIZER}",
                                "-c", "super.users=User:bob", "--topic", "t")
        address = cluster.addresses["SASL_PLAINTEXT"]
        admin = world.properties("SASL_PLAINTEXT", user="bob")
        settings = world.settings("SASL_PLAINTEXT")
        denied = world.kcat(address, settings | {"message.timeout.ms": "5000"}, "-P", "-t", "t",
                            text="one\n")
        assert "uthorization failed" in denied.stderr, denied.stderr

        def acls(*arguments):
            result = java.run("org.apache.kafka.tools.AclCommand", "--bootstrap-server", address,
                              "--command-config", admin, *arguments)
            assert result.returncode == 0, result.stdout + result.stderr
            return result.stdout

        acls("--add", "--allow-principal", "User:alice", "--producer", "--topic", "t")
        wrote = world.kcat(address, settings, "-P", "-t", "t", text="one\n")
        assert wrote.returncode == 0, wrote.stderr
        listed = acls("--list")
        assert "principal=User:alice, host=*, operation=WRITE, permissionType=ALLOW" in listed, listed
        acls("--remove", "--force", "--allow-principal", "User:alice", "--producer", "--topic", "t")
        assert "User:alice" not in acls("--list")
        cluster.end_well()
    return case


def silent_and_slow_clients(world):
    cluster = SecureCluster(world, "-c", "connections.max.idle.ms=1500", "--debug")
    # One that begins TLS and says no more, one that says nothing, one that is no TLS at all.
    silent = [connect(("127.0.0.1", cluster.port("SSL"))) for _ in range(3)]
    silent[0].sendall(b"\x16\x03\x01\x02\x00")
    silent[2].sendall(b"GET / HTTP/1.1\r\n\r\n")
    begun = time.monotonic()
    with connect(("127.0.0.1", cluster.port("PLAINTEXT"))) as other:
        ask_api_versions(other)
    assert time.monotonic() - begun < 1, "a silent client holds up others"
    for client in silent:
        client.settimeout(10)
        while client.recv(1000) != b"":
            pass
    cluster.end_well()


def strangers_send_little(world):
    cluster = SecureCluster(world)
    large = frame(b"\0\x12\0\0\0\0\0\1" + bytes(600_000))
    with connect(("127.0.0.1", cluster.port("SASL_PLAINTEXT"))) as stranger:
        try:
            stranger.sendall(large)
            assert stranger.recv(1) == b"", "600 kB were taken from nobody knows whom"
        except ConnectionError:
            pass
    cluster.end_well()


def connections_of_an_address(world):
    cluster = SecureCluster(world, "-c", "max.connections.per.ip=2")
    address = ("127.0.0.1", cluster.port("PLAINTEXT"))
    with connect(address) as one, connect(address) as two:
        ask_api_versions(one)
        ask_api_versions(two)
        with connect(address) as three:
            assert three.recv(1) == b"", "a third connection was accepted"
        two.close()
        deadline = time.monotonic() + 5
        while True:
            try:
                with connect(address) as again:
                    ask_api_versions(again)
                break
            except ConnectionError:
                assert time.monotonic() < deadline, "a place that was left stays taken"
                time.sleep(0.02)
    cluster.end_well()


def requests_in_pieces(world):
    cluster = SecureCluster(world, "-c", "queued.max.request.bytes=1000000")
    address = ("127.0.0.1", cluster.port("PLAINTEXT"))
    # Two that promise 3 MB each: together they are above the limit, and nobody else may begin.
    large = [connect(address) for _ in range(2)]
    for client in large:
        client.sendall(frame(b"\0\x12\0\0" + bytes(3_000_000))[:200_000])
    time.sleep(0.3)
    with connect(address, timeout=1) as other:
        other.sendall(frame(b"\0\x12\0\0\0\0\0\1\0\4test"))
        try:
            assert other.recv(1) == b"" and False, "a request was read above the limit"
        except TimeoutError:
            pass
        for client in large:
            client.close()
        other.settimeout(5)
        assert other.recv(4) != b"", "the limit holds although memory is free again"
    cluster.end_well()


def a_certificate_for_others_is_refused(world):
    cluster = SecureCluster(world)
    context = ssl.create_default_context(cafile=world.certificates["ca.pem"])
    for name, is_good in [("localhost", True), ("127.0.0.1", True), ("example.org", False)]:
        with socket.create_connection(("127.0.0.1", cluster.port("SSL")), timeout=5) as plain:
            try:
                with context.wrap_socket(plain, server_hostname=name) as client:
                    ask_api_versions(client)
                assert is_good, f"{name} was accepted"
            except ssl.SSLCertVerificationError:
                assert not is_good
    cluster.end_well()


def refused(words, *options):
    def case(world):
        result = subprocess.run([world.fencepost, "serve", *options], capture_output=True,
                                text=True, timeout=10)
        assert result.returncode == 2, result
        assert words in result.stderr, result.stderr
        assert "secret" not in result.stderr, result.stderr
    return case


def main():
    java = Java(kafka_libs())
    rows = [
        ("silent, slow and foreign clients are closed in time and hold up nobody",
         silent_and_slow_clients),
        ("max.connections.per.ip refuses the next one", connections_of_an_address),
        ("queued.max.request.bytes holds back new requests", requests_in_pieces),
        ("a certificate counts for its hosts", a_certificate_for_others_is_refused),
        ("who has not authenticated may not send large requests", strangers_send_little),
        ("our own client through TLS, PLAIN and SCRAM", our_own_client),
        ("OpenSSL's client through TLS 1.2 and 1.3, and no older", s_client),
        ("TLS without a certificate is refused",
         refused("needs a certificate", "--listener", "SSL://127.0.0.1:0")),
        ("an unknown protocol is refused with the nearest",
         refused("did you mean SASL_SSL", "--listener", "SASL_SLL://127.0.0.1:0")),
        ("a port beside a listener is refused, not forgotten",
         refused("--port excludes --listener", "--listener", "SSL://127.0.0.1:0", "--port", "0")),
        ("a user without a password is refused and not shown",
         refused("name:password", "--user", "secret")),
    ]
    if shutil.which("kcat"):
        rows += [("kcat through TLS, PLAIN and SCRAM", kcat_everywhere),
                 ("a wrong password is told and shown nowhere", wrong_password),
                 ("a client's certificate names its user", client_certificates)]
    if java.libs:
        rows += [("Java's console tools through TLS, PLAIN and SCRAM", java_everywhere(java)),
                 ("Java's ACL tool, and what it changes", java_acls(java))]
    with tempfile.TemporaryDirectory() as folder:
        cases.run(rows, World(sys.argv[1], folder))


if __name__ == "__main__":
    main()
