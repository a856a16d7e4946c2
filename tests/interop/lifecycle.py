#!/usr/bin/env python3
"""How `fencepost serve` starts and ends: ports, exit codes, messages.

usage: lifecycle.py FENCEPOST
"""
import signal
import socket
import subprocess
import sys

import cases
from cluster_process import ClusterProcess, address_of, ask_api_versions, connect


def refused(fencepost, exit_code, words, *options):
    """The options are refused: nothing starts, the message has the words."""
    result = subprocess.run([fencepost, "serve", *options], capture_output=True, text=True,
                            timeout=10)
    assert result.returncode == exit_code, result
    assert words in result.stderr, result.stderr
    assert result.stdout == "", result.stdout


def ends_by(how):
    def case(fencepost):
        cluster = ClusterProcess(fencepost)
        with connect(cluster.address) as client:
            ask_api_versions(client)
            exit_code, errors = cluster.end(how)
            assert (exit_code, errors) == (0, ""), (exit_code, errors)
            assert client.recv(1) == b"", "the connection is still open"
        # The port is free at once, even with the old connection in TIME_WAIT.
        again = ClusterProcess(fencepost, port=cluster.address[1])
        assert again.address == cluster.address
        with connect(again.address) as client:
            ask_api_versions(client)
        assert again.end()[0] == 0
    return case


def ends_while_a_client_waits(fencepost):
    cluster = ClusterProcess(fencepost)
    with connect(cluster.address) as client:
        client.sendall(b"\0\0\0\x40\0\x12")
        assert cluster.end()[0] == 0


def a_line_for_each_broker(fencepost):
    cluster = ClusterProcess(fencepost, "--brokers", "3")
    others = [address_of(cluster.process.stdout.readline()) for _ in range(2)]
    addresses = [cluster.address, *others]
    assert len(set(addresses)) == 3, addresses
    for address in addresses:
        with connect(address) as client:
            ask_api_versions(client)
    assert cluster.end()[0] == 0


def free_pair():
    """A port that is free, as is the next one."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port = first.getsockname()[1]
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
                return port
            except (OSError, OverflowError):
                continue


def following_ports(fencepost):
    port = free_pair()
    cluster = ClusterProcess(fencepost, "--brokers", "2", port=port)
    second = address_of(cluster.process.stdout.readline())
    assert [cluster.address[1], second[1]] == [port, port + 1]
    assert cluster.end()[0] == 0


def port_in_use(fencepost):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused(fencepost, 3, f"cannot listen on 127.0.0.1:{port}", "--port", str(port))


def connection_limit(fencepost):
    cluster = ClusterProcess(fencepost, "-c", "max.connections=1")
    with connect(cluster.address) as first:
        ask_api_versions(first)
        with connect(cluster.address) as second:
            assert second.recv(1) == b"", "a second connection was accepted"
        ask_api_versions(first)
    assert cluster.end()[0] == 0


def idle_connection(fencepost):
    cluster = ClusterProcess(fencepost, "-c", "connections.max.idle.ms=100")
    with connect(cluster.address) as client:
        ask_api_versions(client)
        assert client.recv(1) == b"", "an idle connection stays open"
    assert cluster.end()[0] == 0


def debug_names_the_reason(fencepost):
    cluster = ClusterProcess(fencepost, "--debug")
    with connect(cluster.address) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert client.recv(1) == b""
    exit_code, errors = cluster.end()
    assert exit_code == 0
    assert "a frame of 1195725856 bytes; possible are 8 to" in errors, errors


def main():
    cases.run([
        ("SIGTERM ends it with 0 and frees the port", ends_by(signal.SIGTERM)),
        ("SIGINT ends it with 0 and frees the port", ends_by(signal.SIGINT)),
        ("it ends while a client is in the middle of a frame", ends_while_a_client_waits),
        ("three brokers print three lines and answer on three ports", a_line_for_each_broker),
        ("brokers take ports that follow each other", following_ports),
        ("a port in use is an error with its address", port_in_use),
        ("max.connections refuses the next one", connection_limit),
        ("connections.max.idle.ms closes what says nothing", idle_connection),
        ("--debug tells why a connection was closed", debug_names_the_reason),
        ("an unknown key is refused with the nearest",
         lambda it: refused(it, 2, "did you mean num.partitions", "-c", "num.partition=3")),
        ("a wrong value is refused with what would be right",
         lambda it: refused(it, 2, "an integer from 1 to", "-c", "num.partitions=none")),
        ("an unknown version is refused with the known ones",
         lambda it: refused(it, 2, "2.8, 3.5, 3.9", "--as-version", "2.7")),
        ("an unknown feature is refused",
         lambda it: refused(it, 2, "transaction.version", "--feature", "transaction.versions=1")),
        ("a feature level that the version does not have is refused with those it has",
         lambda it: refused(it, 2, "can be 7 to 33", "--feature", "metadata.version=1")),
        ("a topic without a name is refused", lambda it: refused(it, 2, "not a topic", "--topic", ":3")),
        ("more replicas than brokers are refused",
         lambda it: refused(it, 2, "3 replicas on 1 broker", "--topic", "a:1:3")),
        ("an unknown option is refused", lambda it: refused(it, 2, "--prot", "--prot", "1")),
        ("a port that cannot be is refused", lambda it: refused(it, 2, "65535", "--port", "70000")),
    ], sys.argv[1])


if __name__ == "__main__":
    main()
