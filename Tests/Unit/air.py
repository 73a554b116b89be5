"""The simulated radio outside the container, and its phones."""
import json
import pathlib
import subprocess
import threading

from container import Container, Failure


class Air:
    """A context manager: runs `Tests/Peers/wallet/air.py` in its Python environment until the `with` block ends."""

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

    def visit(self, uri: str, payload: pathlib.Path, limit=20) -> str:
        """Sends a phone with a credential, with a time limit in seconds. Returns the outcome of its visit."""
        return self.ended(self.begin(uri, payload, limit=limit), limit + 20)

    def begin(self, uri: str, payload: pathlib.Path, **manner) -> str:
        """Sends a phone with a credential, and returns the visit's name at once. ``manner``: options of a visit in
        `air.py`."""
        self.visits += 1
        name = str(self.visits)
        self._tell(visit={"id": name, "uri": uri, "payload": str(payload), **manner})
        return name

    def choose(self, name: str):
        """Lets the person choose a credential, in a visit that began with ``choose=-1``."""
        self._tell(chosen=name)

    def heard(self, name: str, event: str, limit=40):
        """Waits until the phone of a visit reports an event, and returns the event."""
        return Container.wait(lambda: self._last(event, name), limit, f"word of {event}")

    def said(self, name: str, event: str) -> list:
        """Returns all events of this kind that the phone of a visit has reported so far."""
        return [line for line in self.lines if line.get("event") == event and line.get("visit") == name]

    def ended(self, name: str, limit=40) -> str:
        """Waits for the end of a visit, and returns its outcome."""
        return self.heard(name, "ended", limit)["outcome"]

    def _tell(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

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
                pass  # a message of a library
