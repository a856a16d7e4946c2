"""Brokers to measure: `fencepost serve`, a real Kafka 4.4.0 node and kfake, each in a process of its
own on a free port."""
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))
from cluster_process import ask_api_versions, connect, resident_kib  # noqa: E402

NODE = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Broker:
    """A process that answers on `port`; ready when the constructor returns."""

    def __init__(self, command, port):
        began = time.monotonic()
        self.address = f"127.0.0.1:{port}"
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        while not self.answers(port):
            if self.process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended with {self.process.returncode}")
            time.sleep(0.0005)
        self.start_seconds = time.monotonic() - began

    @staticmethod
    def answers(port):
        try:
            with connect(("127.0.0.1", port), timeout=30) as client:
                ask_api_versions(client)
                return True
        except (ConnectionError, TimeoutError):
            return False

    def cpu_seconds(self):
        """User and system time so far, of all its threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self):
        return resident_kib(self.process.pid) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait(30)


class FencepostBroker(Broker):
    def __init__(self, fencepost):
        port = free_port()
        super().__init__([fencepost, "serve", "--quiet", "--port", str(port)], port)


class KafkaBroker(Broker):
    def __init__(self, libs):
        self.folder = tempfile.TemporaryDirectory()
        port, controller = free_port(), free_port()
        settings = Path(self.folder.name, "server.properties")
        settings.write_text(NODE.format(port=port, controller=controller,
                                        folder=self.folder.name))
        java = ["java", "-Xmx1g", "-cp", f"{libs}/*"]
        subprocess.run([*java, "kafka.tools.StorageTool", "format", "-t", "ZmVuY2Vwb3N0LWJlbmNoLg",
                        "-c", str(settings)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        super().__init__([*java, "kafka.Kafka", str(settings)], port)

    def end(self):
        super().end()
        self.folder.cleanup()


class KfakeBroker(Broker):
    """franz-go's kfake as a program that takes its port; one node, topics created when asked for."""

    def __init__(self, kfake):
        port = free_port()
        super().__init__([kfake, str(port)], port)


def brokers(fencepost):
    """What starts each broker that is at hand, by its name."""
    starts = {"fencepost": lambda: FencepostBroker(fencepost)}
    if kfake := os.environ.get("FENCEPOST_BENCH_KFAKE"):
        starts["kfake"] = lambda: KfakeBroker(kfake)
    if libs := os.environ.get("FENCEPOST_KAFKA_SERVER_LIBS"):
        starts["Kafka 4.4.0"] = lambda: KafkaBroker(libs)
    return starts
