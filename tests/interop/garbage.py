#!/usr/bin/env python3
"""Clients that send what no client should. Each must lose only its own connection: a second client,
connected all the time, is answered after every case.

usage: garbage.py HOST:PORT      the cluster's process id in FENCEPOST_SERVER_PID
"""
import os
import random
import socket
import struct
import sys
import time

import cases
from cluster_process import (API_VERSIONS, ask_api_versions, connect, frame, parse_api_versions,
                             read_frame, request, resident_kib)

PRODUCE, FETCH, METADATA, JOIN_GROUP = 0, 1, 3, 11
UNSUPPORTED_VERSION = 35
UNKNOWN_API = 9999


def closes(address, data):
    """Sends the bytes and waits until the server has closed."""
    with connect(address) as connection:
        connection.sendall(data)
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass


def leave_rudely(connection):
    """Closes with a reset instead of an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def length(number):
    return lambda address: closes(address, struct.pack(">i", number) + b"x" * 32)


def raw(data):
    return lambda address: closes(address, data)


def version_of_api_versions_too_high(address):
    with connect(address) as connection:
        # Header version 2 and a body that no known version has.
        connection.sendall(request(API_VERSIONS, 127, 7, b"\0" + b"\xff" * 20))
        error, versions = parse_api_versions(read_frame(connection), 7)
        assert error == UNSUPPORTED_VERSION, error
        assert versions[API_VERSIONS][1] >= 3, versions
        ask_api_versions(connection, 8)


def half_a_frame_then_gone(address):
    for rest in (b"\0", b"\0\0\0", b"\0\0\0\x40", b"\0\0\0\x40\0\x12\0\0"):
        with connect(address) as connection:
            connection.sendall(rest)


def half_a_frame_then_silence(address):
    with connect(address) as silent:
        silent.sendall(b"\0\0\0\x40\0\x12")
        with connect(address) as other:
            ask_api_versions(other)


def byte_by_byte(address):
    with connect(address) as connection:
        for byte in request(API_VERSIONS, 0, 5):
            connection.sendall(bytes([byte]))
            time.sleep(0.001)
        assert parse_api_versions(read_frame(connection), 5)[0] == 0


def many_in_one_write(address):
    with connect(address) as connection:
        connection.sendall(b"".join(request(API_VERSIONS, 0, i) for i in range(500)))
        for i in range(500):
            assert parse_api_versions(read_frame(connection), i)[0] == 0


def waiting_fetch():
    """Fetch version 4 of a topic that is empty or unknown, that may wait 30 seconds."""
    partition = struct.pack(">iqi", 0, 0, 1 << 20)
    topic = struct.pack(">h4si", 4, b"wait", 1) + partition
    return request(FETCH, 4, 1, struct.pack(">iiiibi", -1, 30000, 1, 1 << 20, 0, 1) + topic)


def gone_in_mid_request(address):
    for leave in (lambda it: it.close(), leave_rudely):
        for _ in range(20):
            connection = connect(address)
            connection.sendall(waiting_fetch())
            leave(connection)


def gone_in_mid_join(address):
    def text(value):
        return struct.pack(f">h{len(value)}s", len(value), value)
    protocols = struct.pack(">i", 1) + text(b"range") + struct.pack(">i", 0)
    body = text(b"garbage-group") + struct.pack(">i", 10000) + text(b"") + text(b"consumer")
    connection = connect(address)
    connection.sendall(request(JOIN_GROUP, 0, 1, body + protocols))
    leave_rudely(connection)


def random_bodies(address):
    """Sound headers of every known API, bodies of noise."""
    noise = random.Random(3)
    with connect(address) as connection:
        versions = ask_api_versions(connection)
    for api_key, (first, last) in sorted(versions.items()):
        for version in range(first, last + 1):
            body = noise.randbytes(noise.randrange(60))
            with connect(address) as connection:
                connection.sendall(request(api_key, version, 1, body))


def random_frames(address):
    noise = random.Random(4)
    for _ in range(200):
        with connect(address) as connection:
            connection.sendall(frame(noise.randbytes(noise.randrange(8, 200))))


def coming_and_going(address):
    for _ in range(300):
        connect(address).close()


def never_reading(address):
    """Asks and asks without taking an answer: the server has to stop reading, not to grow."""
    pid = os.environ.get("FENCEPOST_SERVER_PID")
    with connect(address, timeout=1) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        many = b"".join(request(API_VERSIONS, 0, i) for i in range(1000))
        before = resident_kib(pid) if pid else 0
        sent = 0
        try:
            while sent < 64 << 20:
                sent += connection.send(many)
        except TimeoutError:
            pass
        assert sent < 64 << 20, "the server took everything"
        if pid:
            grown = resident_kib(pid) - before
            assert grown < 128 << 10, f"the server has grown by {grown} KiB"


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    address = (host, int(port))
    healthy = connect(address)

    def and_others_do_not_notice(case):
        def checked(address):
            case(address)
            assert API_VERSIONS in ask_api_versions(healthy)
        return checked

    cases.run([(name, and_others_do_not_notice(case)) for name, case in [
        ("a length of -1 closes the connection", length(-1)),
        ("the smallest length closes the connection", length(-(1 << 31))),
        ("the largest length closes the connection", length((1 << 31) - 1)),
        ("a length of 0 closes the connection", length(0)),
        ("a length of 3 closes the connection", length(3)),
        ("HTTP closes the connection", raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")),
        ("TLS closes the connection", raw(bytes.fromhex("160301020001000001fc0303") + b"x" * 64)),
        ("an unknown API closes the connection", raw(request(UNKNOWN_API, 0, 1))),
        ("a negative API key closes the connection", raw(request(-5, 0, 1))),
        ("a version too high closes the connection", raw(request(METADATA, 99, 1, b"\0" * 20))),
        ("a negative version closes the connection", raw(request(METADATA, -1, 1, b"\0" * 20))),
        ("a body cut short closes the connection", raw(request(METADATA, 1, 1, b"\0\0\0\x09"))),
        ("ApiVersions with a version too high gets an answer of version 0",
         version_of_api_versions_too_high),
        ("half a frame and gone", half_a_frame_then_gone),
        ("half a frame and silence", half_a_frame_then_silence),
        ("a request byte by byte is answered", byte_by_byte),
        ("500 requests in one write are answered in order", many_in_one_write),
        ("gone while a fetch waits", gone_in_mid_request),
        ("gone while a join waits", gone_in_mid_join),
        ("sound headers with bodies of noise", random_bodies),
        ("frames of noise", random_frames),
        ("300 connections come and go", coming_and_going),
        ("a client that never reads is not read from", never_reading),
    ]], address)


if __name__ == "__main__":
    main()
