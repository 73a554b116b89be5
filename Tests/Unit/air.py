"""The radio outside the container, and its phones."""
import json
import pathlib
import subprocess
import threading

from container import Container, Failure


class Air:
    """`Tests/Peers/wallet/air.py` in its Python environment; ends with the block."""

    def __init__(self, repository: pathlib.Path, cache: pathlib.Path, log: pathlib.Path):
        self.words = [cache / "venvs/wallet/bin/python", "-B", repository / "Tests/Peers/wallet/air.py"]
        self.lines, self.visits, self.log = [], 0, log

    def __enter__(self):
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log.open("wb"), text=True)
        threading.Thread(target=self._read, daemon=True).start()
        self.port = Container.wait(lambda: self._last("listening"), 30, "controller")["port"]
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def visit(self, uri: str, payload: pathlib.Path) -> str:
        """A phone with a credential; returns how its visit ended."""
        name = self.begin(uri, payload)
        return Container.wait(lambda: self._last("ended", name), 40, "end of the visit")["outcome"]

    def begin(self, uri: str, payload: pathlib.Path) -> str:
        """Sends a phone with a credential; returns the visit's name and waits for nothing."""
        self.visits += 1
        name = str(self.visits)
        order = {"id": name, "uri": uri, "payload": str(payload)}
        self.process.stdin.write(json.dumps({"visit": order}) + "\n")
        self.process.stdin.flush()
        return name

    def _last(self, event, visit=None):
        if self.process.poll() is not None:
            raise Failure("the controller ended; was Tests/Peers/setup run?")
        return next((line for line in reversed(self.lines)
                     if line.get("event") == event and line.get("visit") == visit), None)

    def _read(self):
        for line in self.process.stdout:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                pass  # a remark of a library
