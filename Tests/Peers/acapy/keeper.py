"""The operator's side: an agent with the plugin of deploy/acapy, and its PostgreSQL."""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(HERE, "../../../deploy/acapy")
# The views that report problems, each with the SQL expression for the text of a row.
VIEWS = dict(gaps="first || '-' || last || case when is_end then ' end' else '' end", chain_breaks="position::text",
             forks="position || ' ' || entries")


def lacking(cache, version):
    """Returns the reason why no keeper of this version can run here; None if it can. ``cache`` is the folder below
    which Tests/Peers/setup makes environments."""
    if not (pathlib.Path(cache) / "venvs" / ("acapy-" + version) / "gatehouse-stamp").exists():
        return "no environment acapy-%s, which Tests/Peers/acapy/setup makes where there is a Python for it" % version
    for name in ("initdb", "postgres", "psql"):
        if not shutil.which(name) and not glob.glob("/usr/lib/postgresql/*/bin/" + name):
            return "no %s. Run: apt-get install postgresql" % name
    # If this runs as root, the database runs as the user "nobody", which must be able to reach its folder.
    place = pathlib.Path(tempfile.gettempdir()).resolve()
    for folder in [place, *place.parents] if os.getuid() == 0 else []:
        if not folder.stat().st_mode & 0o001:
            return "the database, which runs as nobody, may not pass through %s: set TMPDIR to another folder" % folder
    return None


class Program:
    """One of the programs in this folder, which reads commands and writes JSON lines."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-B"] + list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, PYTHONPATH=PLUGIN, PYTHONDONTWRITEBYTECODE="1"))

    def __call__(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            text = self.process.stdout.readline()
            if not text:
                raise SystemExit("%s ended" % line)
            answer = json.loads(text)
            if answer.get("reply") == line.split()[0]:
                if "error" in answer:
                    raise SystemExit("%s: %s" % (line, answer["error"]))
                return answer

    def quit(self):
        self.process.stdin.close()
        self.process.wait(60)


class Keeper:
    """Starts an agent and a database below a folder; ``options`` are passed to the agent."""

    def __init__(self, version, folder, *options):
        self.database = Program(os.path.join(HERE, "database"), os.path.join(folder, "db"))
        url = self.database("start")["url"]
        self.agent = Program(
            os.path.join(HERE, "agent"), version, os.path.join(folder, "agent"), "--plugin", "verification_report",
            "--plugin-config-value", "verification_report.database=" + url, *options)
        self.agent("start")
        self.invitation = self.agent("invite")["url"]

    def quit(self):
        self.agent.quit()
        self.database.quit()

    def sql(self, statement):
        return self.database("sql " + " ".join(statement.split()))["rows"]

    def faults(self, ledger):
        """Returns all rows of the views for a ledger, by name of view."""
        return {name: found for name, column in VIEWS.items() if (found := [row[0] for row in self.sql(
            "select %s from gatehouse.%s where ledger = '%s' order by 1" % (column, name, ledger))])}
