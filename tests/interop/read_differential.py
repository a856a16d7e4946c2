#!/usr/bin/env python3
"""The same seeded random programs of writes and reads to two new brokers, every answer compared: fetch sessions, byte
limits, leader epochs, ListOffsets, OffsetForLeaderEpoch, DeleteRecords, and what the log cleaner leaves. Session ids
and topic ids are made symbolic.

usage: read_differential.py HOST:PORT HOST:PORT [FIRST_SEED [PROGRAMS [STEPS]]]
Both need log.cleaner.backoff.ms=1000. Without a second broker the test is skipped (exit code 77): name one in
FENCEPOST_REAL_KAFKA, where the first argument is the only one.
"""
import os
import random
import re
import socket
import struct
import sys
import time

PRODUCE, FETCH, LIST_OFFSETS, METADATA, CREATE_TOPICS, DELETE_TOPICS, DELETE_RECORDS, OFFSET_FOR_LEADER_EPOCH = \
    0, 1, 2, 3, 19, 20, 21, 23


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC = crc_table()


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value = CRC[(value ^ byte) & 255] ^ (value >> 8)
    return value ^ 0xffffffff


def varint(value):
    value = (value << 1) ^ (value >> 63)
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def unsigned(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def batch(timestamp, records):
    """One uncompressed batch; a value of None is a tombstone."""
    body = b""
    for index, (key, value) in enumerate(records):
        record = b"\0" + varint(index) + varint(index)
        for part in (key, value):
            record += varint(-1) if part is None else varint(len(part)) + part
        record += varint(0)
        body += varint(len(record)) + record
    rest = struct.pack(">hiqqqhii", 0, len(records) - 1, timestamp, timestamp + len(records) - 1, -1, -1, -1, len(records))
    rest += body
    return struct.pack(">qiibI", 0, len(rest) + 9, -1, 2, crc32c(rest)) + rest


class Reader:
    def __init__(self, data, flexible):
        self.data, self.at, self.flexible = data, 0, flexible

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data), "short answer"
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(">" + form)))[0]

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def array(self):
        return self.unsigned() - 1 if self.flexible else self.number("i")

    def text(self):
        return self.take(self.unsigned() - 1 if self.flexible else self.number("h")).decode()

    def bytes(self):
        size = self.array()
        return None if size < 0 else self.take(size)

    def tags(self):
        return {self.unsigned(): self.take(self.unsigned()) for _ in range(self.unsigned())} if self.flexible else {}


class Broker:
    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(60)
        self.correlation = 0
        self.ids, self.names, self.sessions = {}, {}, {0: 0}

    def call(self, key, version, body, flexible=False):
        self.correlation += 1
        header = struct.pack(">hhih", key, version, self.correlation, 4) + b"diff" + (b"\0" if flexible else b"")
        self.socket.sendall(struct.pack(">i", len(header + body)) + header + body)
        answer = self.read(struct.unpack(">i", self.read(4))[0])
        reader = Reader(answer, flexible)
        reader.number("i")
        reader.tags()
        return reader

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError("closed")
            data += more
        return data

    def symbol(self, session):
        return self.sessions.setdefault(session, len(self.sessions))

    def session(self, symbol):
        for session, known in self.sessions.items():
            if known == symbol:
                return session
        return 123456 + symbol

    def create(self, name, partitions, configs):
        body = unsigned(2) + unsigned(len(name) + 1) + name.encode() + struct.pack(">ih", partitions, 1) + unsigned(1)
        body += unsigned(len(configs) + 1)
        for key, value in configs.items():
            body += unsigned(len(key) + 1) + key.encode() + unsigned(len(value) + 1) + value.encode() + b"\0"
        reader = self.call(CREATE_TOPICS, 7, body + b"\0" + struct.pack(">i", 10000) + b"\0\0", True)
        reader.number("i")
        reader.array()
        reader.text()
        topic_id = reader.take(16)
        error = reader.number("h")
        if error == 0:
            self.ids[name], self.names[topic_id] = topic_id, name
        return error

    def delete(self, name):
        body = struct.pack(">ih", 1, len(name)) + name.encode() + struct.pack(">i", 10000)
        reader = self.call(DELETE_TOPICS, 1, body)
        reader.number("i")
        reader.number("i")
        reader.text()
        return reader.number("h")

    def wait_for(self, name, partitions):
        body = struct.pack(">ih", 1, len(name)) + name.encode() + b"\0"
        for _ in range(200):
            reader = self.call(METADATA, 4, body)
            reader.number("i")
            for _ in range(reader.number("i")):
                reader.number("i"), reader.text(), reader.number("i"), reader.take(max(0, reader.number("h")))
            reader.take(max(0, reader.number("h")))
            reader.number("i")
            reader.number("i")
            error = reader.number("h")
            reader.text()
            reader.number("b")
            if error == 0 and reader.number("i") == partitions:
                break
            time.sleep(0.02)
        for partition in range(partitions):  # and until the leader serves it
            for _ in range(200):
                if "6" != list_offsets(self, 7, [(name, partition, -1, -1)], 0)[0].split()[2]:
                    break
                time.sleep(0.02)

    def topic_field(self, name, version):
        if version >= 13:
            return self.ids.get(name, name.encode().ljust(16, b"x")[:16])
        encoded = name.encode()
        return unsigned(len(encoded) + 1) + encoded if version >= 12 else struct.pack(">h", len(encoded)) + encoded


def produce(broker, topic, partition, records):
    body = struct.pack(">hhiih", -1, -1, 10000, 1, len(topic)) + topic.encode()
    body += struct.pack(">iii", 1, partition, len(records)) + records
    reader = broker.call(PRODUCE, 7, body)
    reader.number("i"), reader.text(), reader.number("i"), reader.number("i")
    return [f"produce {reader.number('h')} at {reader.number('q')} time {reader.number('q') >= 0} start {reader.number('q')}"]


def describe(records):
    if records is None:
        return "null"
    out, at = f"{len(records)} bytes", 0
    while at + 61 <= len(records):
        base, size, epoch = struct.unpack(">qii", records[at:at + 16])
        if at + size + 12 > len(records):
            break
        attributes, last, first_time, last_time, producer, producer_epoch, sequence, count = \
            struct.unpack(">hiqqqhii", records[at + 21:at + 61])
        horizon = attributes & 0x40
        body = records[at + 61:at + size + 12]
        out += f" [{base}+{last} e{epoch} a{attributes} t{None if horizon else first_time}-{last_time} p{producer}" \
               f"/{producer_epoch} s{sequence} n{count} {len(body)}: {None if horizon else body[:60].hex()}]"
        at += size + 12
    return f"{out} rest {len(records) - at}"


def fetch(broker, version, session, epoch, wanted, forgotten, limits, isolation, follower=-1):
    wait, minimum, maximum = limits
    flexible = version >= 12
    count = (lambda number: unsigned(number + 1)) if flexible else (lambda number: struct.pack(">i", number))
    tags = b"\0" if flexible else b""
    body = struct.pack(">i", follower) if version < 15 else b""
    body += struct.pack(">iiib", wait, minimum, maximum, isolation)
    if version >= 7:
        body += struct.pack(">ii", broker.session(session) if session else 0, epoch)
    body += count(len(wanted))
    for topic, partition, offset, leader_epoch, fetched_epoch, limit in wanted:
        body += broker.topic_field(topic, version) + count(1) + struct.pack(">i", partition)
        body += struct.pack(">i", leader_epoch) if version >= 9 else b""
        body += struct.pack(">q", offset)
        body += struct.pack(">i", fetched_epoch) if version >= 12 else b""
        body += struct.pack(">q", -1) if version >= 5 else b""
        body += struct.pack(">i", limit) + tags + tags
    if version >= 7:
        body += count(len(forgotten))
        for topic, partition in forgotten:
            body += broker.topic_field(topic, version) + count(1) + struct.pack(">i", partition) + tags
    if version >= 11:
        body += unsigned(1) if flexible else struct.pack(">h", 0)
    reader = broker.call(FETCH, version, body + tags, flexible)
    reader.number("i")
    out = []
    if version >= 7:
        error, answered = reader.number("h"), reader.number("i")
        out.append(f"fetch {error} session {broker.symbol(answered)}")
    for _ in range(reader.array()):
        if version >= 13:
            topic_id = reader.take(16)
            topic = broker.names.get(topic_id, topic_id.hex())
        else:
            topic = reader.text()
        for _ in range(reader.array()):
            line = f"{topic}-{reader.number('i')} {reader.number('h')} {reader.number('q')} {reader.number('q')}"
            line += f" {reader.number('q')}" if version >= 5 else ""
            aborted = reader.array()
            line += " null" if aborted < 0 else ""
            for _ in range(aborted):
                line += f" aborted {reader.number('q')} {reader.number('q')}"
                reader.tags()
            line += f" replica {reader.number('i')}" if version >= 11 else ""
            out.append(f"{line} {describe(reader.bytes())} {sorted(reader.tags().items())}")
        reader.tags()
    end = reader.tags()
    assert reader.at == len(reader.data), "trailing bytes"
    return out + [f"tags {sorted(end)}"]


def list_offsets(broker, version, wanted, isolation, replica=-1):
    flexible = version >= 6
    count = (lambda number: unsigned(number + 1)) if flexible else (lambda number: struct.pack(">i", number))
    tags = b"\0" if flexible else b""
    body = struct.pack(">i", replica) + (struct.pack(">b", isolation) if version >= 2 else b"") + count(len(wanted))
    for topic, partition, epoch, timestamp in wanted:
        name = topic.encode()
        body += unsigned(len(name) + 1) + name if flexible else struct.pack(">h", len(name)) + name
        body += count(1) + struct.pack(">i", partition) + (struct.pack(">i", epoch) if version >= 4 else b"")
        body += struct.pack(">q", timestamp) + tags + tags
    body += struct.pack(">i", 1000) if version >= 10 else b""
    reader = broker.call(LIST_OFFSETS, version, body + tags, flexible)
    if version >= 2:
        reader.number("i")
    out = []
    for _ in range(reader.array()):
        topic = reader.text()
        for _ in range(reader.array()):
            line = f"list {topic}-{reader.number('i')} {reader.number('h')} {reader.number('q')} {reader.number('q')}"
            out.append(line + (f" e{reader.number('i')}" if version >= 4 else ""))
            reader.tags()
        reader.tags()
    return sorted(out)


def epoch_ends(broker, version, wanted):
    flexible = version >= 4
    count = (lambda number: unsigned(number + 1)) if flexible else (lambda number: struct.pack(">i", number))
    tags = b"\0" if flexible else b""
    body = (struct.pack(">i", -1) if version >= 3 else b"") + count(1)
    topic, partition, current, epoch = wanted
    name = topic.encode()
    body += (unsigned(len(name) + 1) if flexible else struct.pack(">h", len(name))) + name
    body += count(1) + struct.pack(">iii", partition, current, epoch) + tags + tags + tags
    reader = broker.call(OFFSET_FOR_LEADER_EPOCH, version, body, flexible)
    reader.number("i")
    reader.array()
    reader.text()
    reader.array()
    return [f"epoch {reader.number('h')} {reader.number('i')} {reader.number('i')} {reader.number('q')}"]


def delete_records(broker, topic, partition, offset):
    body = struct.pack(">ih", 1, len(topic)) + topic.encode() + struct.pack(">iiqi", 1, partition, offset, 5000)
    reader = broker.call(DELETE_RECORDS, 1, body)
    reader.number("i"), reader.number("i"), reader.text(), reader.number("i")
    return [f"delete {reader.number('i')} {reader.number('q')} {reader.number('h')}"]


class Program:
    """Draws the next step; what it knows of the logs comes from the first broker's answers."""

    def __init__(self, seed, brokers):
        self.random = random.Random(seed)
        self.brokers = brokers
        self.topics = [f"t{seed}-a", f"t{seed}-b"]
        self.time = int(time.time()) * 1000 + 20 * 60000
        self.epochs = {}

    def start(self):
        segments = {"segment.ms": str(self.random.choice([5, 1000, 604800000]))}
        policies = [{}, {"cleanup.policy": "compact,delete", "min.cleanable.dirty.ratio": "1.0"}]
        for broker in self.brokers:
            for name, extra in zip(self.topics, policies):
                assert broker.create(name, 2, {**segments, **extra}) == 0
                broker.wait_for(name, 2)

    def partition(self):
        return self.random.choice(self.topics), self.random.choice([0, 0, 0, 1, 1, 7])

    def epoch(self):
        return self.random.choice([-1, -1, -1, 0, 0, 1, -2])

    def wanted(self, version):
        topic, partition = self.partition()
        if self.random.random() < 0.05:
            topic = "nobody"
        fetched = self.random.choice([-1, -1, -1, 0, 0, 2]) if version >= 12 else -1
        limit = self.random.choice([0, 1, 70, 100, 500, 10000, 1 << 20, 1 << 20])
        return topic, partition, self.random.choice([0, 0, 1, 2, 3, 5, 8, 13, 21, 40]), self.epoch(), fetched, limit

    def step(self):
        draw = self.random.random()
        if draw < 0.3:
            topic, partition = self.random.choice(self.topics), self.random.choice([0, 0, 1])
            self.time += self.random.choice([0, 1, 3, 10, 2000, -5])
            records = [(f"k{self.random.randrange(4)}".encode(), b"v" * self.random.choice([1, 20, 200, 3000]))
                       for _ in range(self.random.choice([1, 1, 2, 5]))]
            data = batch(self.time, records)
            return lambda broker: produce(broker, topic, partition, data)
        if draw < 0.7:
            return self.fetch_step()
        if draw < 0.85:
            version = self.random.randint(1, 11)
            wanted = [(*self.partition(), self.epoch(), self.random.choice(
                [-1, -1, -2, -3, -4, -5, -6, -7, 0, self.time, self.time - 3, self.time - 1000]))
                for _ in range(self.random.choice([1, 1, 2, 3]))]
            isolation, replica = self.random.choice([0, 1]), self.random.choice([-1, -1, -1, -2])
            return lambda broker: list_offsets(broker, version, wanted, isolation, replica)
        if draw < 0.95:
            version = self.random.randint(2, 4)
            wanted = (*self.partition(), self.epoch(), self.random.choice([-1, 0, 0, 1, 5]))
            return lambda broker: epoch_ends(broker, version, wanted)
        topic, partition = self.partition()
        offset = self.random.choice([-1, 0, 1, 2, 3, 5, 100])
        return lambda broker: delete_records(broker, topic, partition, offset)

    def fetch_step(self):
        version = self.random.choice([4, 5, 7, 9, 11, 12, 12, 12, 13, 13, 16, 17])
        known = max(self.brokers[0].sessions.values())
        session = self.random.choice([0, known, known, self.random.randint(0, known + 1)])
        symbol_epochs = self.epochs.setdefault(session, 0)
        epoch = self.random.choice([symbol_epochs + 1] * 6 + [0, -1, 3])
        if session == 0:
            epoch = self.random.choice([0, 0, -1, 1])
        version = version if version < 7 or session == 0 else self.epochs.get(("version", session), version)
        wanted = [self.wanted(version) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
        forgotten = [self.partition() for _ in range(self.random.choice([0, 0, 0, 1]))] if session else []
        limits = (0, self.random.choice([0, 1, 1, 1000]), self.random.choice([0, 100, 5000, 1 << 20, 1 << 20]))
        isolation = self.random.choice([0, 1])

        def run(broker):
            before = len(broker.sessions)
            answer = fetch(broker, version, session, epoch, wanted, forgotten, limits, isolation)
            if broker is self.brokers[0]:
                if len(broker.sessions) > before:
                    self.epochs[before], self.epochs["version", before] = 0, version
                elif session and answer[0].startswith("fetch 0") and epoch > 0:
                    self.epochs[session] = epoch
            return answer
        return run


def run_program(seed, steps, addresses):
    brokers = [Broker(address) for address in addresses]
    program = Program(seed, brokers)
    program.start()
    for number in range(steps):
        step = program.step()
        answers = []
        for broker in brokers:
            try:
                answers.append(step(broker))
            except EOFError:
                answers.append(["closed"])
        if answers[0] != answers[1]:
            print(f"seed {seed} step {number}:")
            for broker, answer in zip(addresses, answers):
                print(f"  {broker}: " + "\n    ".join(answer))
            return number
    return compare_cleaned(seed, brokers, addresses, steps)


def compare_cleaned(seed, brokers, addresses, steps):
    draws = random.Random(seed)
    name = f"t{seed}-c"
    # All segments of a half become old enough together, so that one round cleans them.
    config = {"cleanup.policy": "compact", "segment.ms": "1", "min.cleanable.dirty.ratio": "0.01",
              "min.compaction.lag.ms": "3000", "delete.retention.ms": draws.choice(["1", "86400000"])}
    left = []
    for broker in brokers:
        assert broker.create(name, 1, config) == 0
        broker.wait_for(name, 1)
    for count in (12, 18):
        now = int(time.time()) * 1000 + 1000
        for index in range(count):
            records = batch(now + 4 * index, [
                (f"k{draws.randrange(5)}".encode(), draws.choice([None, b"v" * draws.randrange(50)]))
                for _ in range(draws.choice([1, 2, 3]))])
            for broker in brokers:
                produce(broker, name, 0, records)
        time.sleep(7)
    for broker in brokers:
        lines, offset = [], 0
        while True:
            answer = fetch(broker, 11, 0, -1, [(name, 0, offset, -1, -1, 1 << 20)], [], (0, 0, 1 << 20), 0)
            spans = re.findall(r"\[(\d+)\+(\d+) ", answer[1])
            if not spans:
                break
            lines.append(answer[1])
            offset = sum(int(number) for number in spans[-1]) + 1
        left.append(lines)
    if left[0] == left[1]:
        return None
    print(f"seed {seed}: the cleaner leaves")
    for address, lines in zip(addresses, left):
        print(f"  {address}: " + "\n    ".join(lines).replace("[", "\n    ["))
    return steps


def main():
    addresses = sys.argv[1:3]
    real = os.environ.get("FENCEPOST_REAL_KAFKA")
    if len(addresses) < 2:
        if not real:
            print("no second broker")
            sys.exit(77)
        addresses = [real, addresses[0]]
    first, count, steps = (int(sys.argv[at]) if len(sys.argv) > at else otherwise
                           for at, otherwise in ((3, int(time.time())), (4, 5), (5, 60)))
    failed = sum(run_program(seed, steps, addresses) is not None for seed in range(first, first + count))
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
