/// The table of where the documents' commands are run. A row that matches no command, or whose file lacks the
/// expected text, fails (``DocumentCommandTests``).
enum DocumentCommandTable {
    /// The beginning of commands, without the prefix that chooses a user; the file that runs them; the words
    /// that a test of that file must contain, in addition to each option of the command and, for
    /// `gatehouse`, its subcommand.
    static let isTested: [(start: String, file: String, words: [String])] = [
        ("make demo", "Tests/CommandTests/DemoCommandTests.swift", ["demo"]),
        ("make deb", "Makefile", ["deploy/deb/build $(RELEASE) $(DEB)"]), ("make test", ".ci/run", ["make test"]),
        ("make fuzz", ".ci/run", ["make fuzz"]),
        ("make build", "Makefile", ["$(call swift_build,--build-tests)"]),
        ("swift test", "Tests/Page/run", ["swift test --scratch-path"]),
        ("example-peripheral", "Tests/PeerTests/ExampleTests.swift", ["example-peripheral"]),
        ("example-verifier", "Tests/PeerTests/ExampleTests.swift", ["example-verifier"]),
        ("apt install ./gatehouse_*.deb", "Tests/Package/run", ["{APT} install /srv/new/gatehouse_*.deb"]),
        ("gatehouse setup", "Tests/CommandTests/SetupCommandTests.swift", []),
        ("gatehouse door", "Tests/CommandTests/DoorCommandTests.swift", []),
        ("gatehouse config bundle", "Tests/CommandTests/FleetCommandTests.swift", []),
        ("gatehouse config import", "Tests/CommandTests/FleetCommandTests.swift", []),
        ("gatehouse config check", "Tests/CommandTests/DoctorCommandTests.swift", []),
        ("gatehouse backup", "Tests/CommandTests/BackupCommandTests.swift", []),
        ("gatehouse restore", "Tests/CommandTests/BackupCommandTests.swift", []),
        ("gatehouse ledger", "Tests/CommandTests/LedgerProofTests.swift", []),
        ("gatehouse trust", "Tests/CommandTests/TrustCommandTests.swift", []),
        ("gatehouse trust bundle", "Tests/CommandTests/RulesInForceTests.swift", []),
        ("gatehouse policy", "Tests/CommandTests/PolicyCommandTests.swift", []),
        ("gatehouse agent", "Tests/CommandTests/AgentServiceTests.swift", []),
        ("gatehouse clock", "Tests/CommandTests/ClockCommandTests.swift", []),
        ("gatehouse doctor", "Tests/CommandTests/DoctorCommandTests.swift", []),
        ("gatehouse status", "Tests/PeerTests/StatusTests.swift", []),
        ("gatehouse reasons", "Tests/CommandTests/ReasonsCommandTests.swift", []),
        ("gatehouse sticker", "Tests/CommandTests/StickerCommandTests.swift", []),
        (
            "mv /var/lib/gatehouse/gatehouse.db.agent-key", "Tests/CommandTests/MaintenanceTests.swift",
            [".agent-key.old"]
        ),
        (
            "mv /var/lib/gatehouse/gatehouse.db.witness-key", "Tests/CommandTests/MaintenanceTests.swift",
            [".witness-key"]
        ),
        (
            "rm /var/lib/gatehouse/gatehouse.db.agent-key", "Tests/CommandTests/MaintenanceTests.swift",
            [".agent-key.old"]
        ),
        ("rm /var/lib/gatehouse/sticker.key", "Tests/CommandTests/StickerCommandTests.swift", ["sticker.key.sessions"]),
        ("systemctl start gatehouse", "Tests/Unit/run", ["systemctl start gatehouse"]),
        ("systemctl stop gatehouse", "Tests/Unit/run", ["systemctl stop gatehouse"]),
        ("systemctl restart gatehouse", "Tests/Unit/run", ["systemctl restart gatehouse"]),
        ("journalctl -u gatehouse -o cat --since", "Tests/Unit/run", ["journalctl -u gatehouse -o cat --since"]),
        ("journalctl -u gatehouse GATEHOUSE_VISIT=", "Tests/Unit/run", ["GATEHOUSE_VISIT="]),
        ("gpg --quick-generate-key \"Gatehouse operator\"", "deploy/apt/check", ["gpg", "Gatehouse operator"]),
        ("deploy/apt/publish \"Gatehouse operator\"", "deploy/apt/check", ["$here/publish\" \"Gatehouse operator"]),
        ("install -D -m 0644 gatehouse.gpg", "deploy/apt/check", ["install -D -m 0644"]),
        ("install -m 0644 gatehouse.sources", "deploy/apt/check", ["install -m 0644"]),
        ("apt-get update", "deploy/apt/check", ["ask apt-get update"]),
        ("apt-get install gatehouse", "deploy/apt/check", ["ask apt-get install --simulate gatehouse"]),
        ("psql", "Tests/Peers/acapy/database", ["psql", "schema.sql"]),
        ("PYTHONPATH=deploy/acapy aca-py start", "Tests/PeerTests/AgentScene.swift", ["verification_report"]),
    ]

    /// Commands whose lines a test reads from the document itself and runs; the text in the test that shows
    /// it, in addition to the document's name.
    static let isRead: [(start: String, file: String, word: String)] = [
        ("gatehouse setup --yes ", "Tests/CommandTests/SetupDocumentTests.swift", "sudo gatehouse setup --yes "),
        ("grep ", "Tests/CommandTests/MaintenanceTests.swift", "grep"),
        ("curl --unix-socket ", "Tests/CommandTests/DocumentCommandTests.swift", "curl --unix-socket "),
    ]

    /// A file that runs lines of documents verbatim, in three quotes each, and fails when a document no
    /// longer contains the line.
    static let verbatim = "Tests/Unit/run"

    /// Commands that no test runs, and the reasons.
    static let isNotRun: [(start: String, reason: String)] = [
        ("make format", "changes the sources; make test holds them to the same rules"),
        ("createdb ", "PostgreSQL's own; Tests/Peers/acapy/database makes one of that name by a statement"),
        ("cd ", "the shell's own"),
        (
            "ansible-playbook ",
            "changes gates over SSH; deploy/ansible/check, which MaintenanceTests run, reads the same role"
        ),
        ("ssh ", "needs another machine"),
        ("uuidgen ", "a program of Debian's; ReasonsCommandTests make the same id with Python"),
        ("mkdir -p /etc/systemd/timesyncd.conf.d", "Debian's clock, which a test must not set"),
        ("printf '[Time]", "Debian's clock, which a test must not set"),
        ("tee /etc/systemd/timesyncd.conf.d", "Debian's clock, which a test must not set"),
        ("timedatectl set-ntp", "Debian's clock, which a test must not set"),
        ("systemctl restart systemd-timesyncd", "Debian's clock, which a test must not set"),
        ("apt-get install chrony", "Debian's clock, which a test must not set"),
        ("echo 'server ntp.example iburst nts'", "Debian's clock, which a test must not set"),
        ("tee /etc/chrony/sources.d/gatehouse.sources", "Debian's clock, which a test must not set"),
        ("chronyc reload sources", "Debian's clock, which a test must not set"),
        ("hwclock", "a battery-backed clock, which no machine of the tests has"),
        ("apt-get remove fake-hwclock", "a package of Raspberry Pi OS"),
    ]
}
