"""Starts `fencepost serve` on free ports and speaks just enough of Kafka's protocol to see that it
answers."""
import atexit
import re
import signal
import socket
import struct
import subprocess

API_VERSIONS = 18


class ClusterProcess:
    """`fencepost serve` with these options; ready when the constructor returns."""

    def __init__(self, fencepost, *options, port=0):
        where = [] if "--listener" in options else ["--port", str(port)]
        self.process = subprocess.Popen([fencepost, "serve", *where, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # whatever becomes of the test
        first = self.process.stdout.readline()
        self.address = address_of(first)

    def end(self, how=signal.SIGTERM):
        """Sends the signal; returns exit code and what was written to stderr."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=10)
        return self.process.returncode, errors

    def resident_kib(self):
        return resident_kib(self.process.pid)


def address_of(line):
    host, port = re.fullmatch(r"listening on (.*):(\d+) \(broker \d+\)\n", line).groups()
    return host, int(port)


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def frame(body):
    return struct.pack(">i", len(body)) + body


def request(api_key, version, correlation_id, body=b""):
    """A request frame with header version 1: client id "test", no tagged fields."""
    return frame(struct.pack(">hhih4s", api_key, version, correlation_id, 4, b"test") + body)


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError(f"closed after {len(data)} of {count} bytes")
        data += piece
    return data


def read_frame(connection):
    size, = struct.unpack(">i", read_exactly(connection, 4))
    return read_exactly(connection, size)


def connect(address, timeout=5):
    connection = socket.create_connection(address, timeout=timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask_api_versions(connection, correlation_id=1):
    """ApiVersions version 0; returns {api key: (first version, last version)}."""
    connection.sendall(request(API_VERSIONS, 0, correlation_id))
    return parse_api_versions(read_frame(connection), correlation_id)[1]


def parse_api_versions(answer, correlation_id):
    """The error code and the versions of an ApiVersions answer of version 0."""
    answered_id, error, count = struct.unpack_from(">ihi", answer)
    assert answered_id == correlation_id, f"answer to {answered_id}, not to {correlation_id}"
    assert len(answer) == 10 + 6 * count, "the answer is not of version 0"
    triples = [struct.unpack_from(">hhh", answer, 10 + 6 * i) for i in range(count)]
    return error, {key: (first, last) for key, first, last in triples}
