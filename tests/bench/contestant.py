"""A client that measures one broker, a line of `fencepost bench contestant` at a time."""
import json
import os
import shlex
import subprocess

INPUT = "bench-in"


class Contestant:
    """FENCEPOST_BENCH_CLIENT names another one, which takes {bootstrap} and {name}."""

    def __init__(self, fencepost, broker, name="bench"):
        self.broker = broker
        output = f"bench-out-{name}"
        command = os.environ.get("FENCEPOST_BENCH_CLIENT")
        words = ([fencepost, "bench", "contestant", "--bootstrap", broker.address, "--input", INPUT,
                  "--output", output, "--name", name] if command is None else
                 shlex.split(command.format(bootstrap=broker.address, name=name)))
        for topic in (INPUT, output):  # created by being asked for
            subprocess.run(["kcat", "-b", broker.address, "-L", "-t", topic], check=True,
                           stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the client of {self.broker.address} ended")
        return json.loads(line)

    def ask(self, cell):
        self.process.stdin.write(cell + "\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
