"""Makes files for `gatehouse verify` from the cases of Tests/Vectors."""
import hashlib
import json
import pathlib
import shutil


def trust(case, root: pathlib.Path, folder: pathlib.Path):
    """Writes the trust directory of a case, as Tests/Vectors/README.md describes it."""
    for name in ("did", "contexts", "roots"):
        (folder / name).mkdir(parents=True)
    given = case.get("trust", {})
    lines = [f'profile = "{case.get("profile", "strict")}"']
    for issuer in given.get("issuers", []):
        issuer = {"id": issuer} if isinstance(issuer, str) else issuer
        lines += ["[[issuer]]", f"id = {json.dumps(issuer['id'])}"]
        if "controllers" in issuer:
            lines.append(f"controllers = {json.dumps(issuer['controllers'])}")
        if case.get("keyPurpose") == "did-wide":
            lines.append('key-purpose = "did-wide"')
        if given.get("inlineContexts") == "allow":
            lines.append('inline-contexts = "allow"')
    (folder / "issuers.toml").write_text("\n".join(lines) + "\n")
    for number, path in enumerate(given.get("documents", [])):
        shutil.copy(root / path, folder / "did" / f"{number}.json")
    for number, path in enumerate(given.get("roots", [])):
        shutil.copy(root / path, folder / "roots" / f"{number}.pem")
    index = []
    for number, (url, path) in enumerate(given.get("contexts", {}).items()):
        data = (root / path).read_bytes()
        (folder / "contexts" / f"{number}.jsonld").write_bytes(data)
        index.append({"url": url, "file": f"{number}.jsonld", "sha256": hashlib.sha256(data).hexdigest()})
    if index:
        (folder / "contexts/index.json").write_text(json.dumps(index))


def prepare(vectors: pathlib.Path, place: pathlib.Path, every: int):
    """Writes the files of every `every`-th case that consists of one file and needs no holder, status list or mode.
    Returns for each case its name, the arguments of `gatehouse`, and whether `gatehouse` must accept it."""
    found = [(path.parent, case) for path in sorted(vectors.glob("*/*/cases.json")) for case in json.loads(path.read_text())
             if "file" in case and not ({"holder", "statusList", "mode"} & set(case)) and case.get("scope") != "out"
             and case.get("format") not in ("did-document", "status-list")]
    jobs = []
    for number, (root, case) in enumerate(found[::every]):
        folder = place / f"{number}"
        trust(case, root, folder)
        received = folder / ("received" + pathlib.Path(case["file"]).suffix)
        shutil.copy(root / case["file"], received)
        words = ["verify", "--trust", folder.name, "--profile", case.get("profile", "strict"),
                 *(["--at", case["clock"]] if "clock" in case else []), f"{folder.name}/{received.name}"]
        jobs.append((f"{root.name}/{case['id']}", words, case["expect"]["decision"] == "accept"))
    return jobs
