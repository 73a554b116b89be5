"""keeper.py: the operator's side in one piece, an agent with the plugin of deploy/acapy on a PostgreSQL of its own."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(HERE, "../../../deploy/acapy")
# What the views name when something is wrong, and how a row reads.
VIEWS = dict(gaps="first || '-' || last || case when is_end then ' end' else '' end", chain_breaks="position::text",
             forks="position || ' ' || entries")


class Program:
    """One of the programs beside this file: commands in, JSON lines out."""

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
    """Agent and database below a folder, up when it is made; ``options`` are further ones of the agent."""

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
        """Everything that the views say of a ledger, by its id."""
        return {name: found for name, column in VIEWS.items() if (found := [row[0] for row in self.sql(
            "select %s from gatehouse.%s where ledger = '%s' order by 1" % (column, name, ledger))])}
