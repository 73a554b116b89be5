"""The credentials that phones present, and the trust directory for them."""
import json
import pathlib
import subprocess


def sample(program: pathlib.Path, folder: pathlib.Path):
    """Writes the credential of the demonstration, a copy with a changed claim, and the trust directory for them."""
    subprocess.run([program, "demo", "--export", folder], check=True, stdout=subprocess.DEVNULL)
    credential = json.loads((folder / "credential.json").read_text())
    subject = credential["credentialSubject"]
    name = next(name for name, value in subject.items() if isinstance(value, str) and name != "id")
    subject[name] += "x"
    (folder / "tampered.json").write_text(json.dumps(credential))
