"""Certificates for one test run, made with openssl."""
import pathlib
import subprocess

TIMEOUT = 60


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=TIMEOUT)


class Certificates:
    """An authority, a broker's certificate for 127.0.0.1 and localhost, and a client's."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=authority", "-days", "1", "-keyout", self["ca.key"], "-out",
                self["ca.pem"])
        self.make("broker", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.make("alice", "subjectAltName=DNS:alice")

    def __getitem__(self, name):
        return str(self.folder / name)

    def make(self, name, extension):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                f"/O=tests/CN={name}", "-keyout", self[name + ".key"], "-out", self[name + ".csr"])
        (self.folder / "extensions").write_text(extension)
        openssl("x509", "-req", "-in", self[name + ".csr"], "-CA", self["ca.pem"], "-CAkey",
                self["ca.key"], "-CAcreateserial", "-days", "1", "-extfile", self["extensions"],
                "-out", self[name + ".pem"])
        both = (self.folder / (name + ".key")).read_text()
        both += (self.folder / (name + ".pem")).read_text()
        (self.folder / (name + ".store.pem")).write_text(both)
