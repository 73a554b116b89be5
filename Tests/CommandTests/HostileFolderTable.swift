/// The command lines that the test of hostile folders runs. A command without a row fails the test.
enum HostileFolderTable {
    /// The commands that use none of the service's folders, and why.
    static let elsewhere: [String: String] = [
        "demo": "a virtual gate in a folder of its own",
        "trust keygen": "makes a new file where the operator says",
        "config bundle": "reads the operator's folder and writes where he says",
        "reasons": "prints what is built in", "release-lines": "prints what is built in",
    ]

    /// The arguments of the other commands, one line for each run, with `PINOUT` for the pinout's path. They
    /// run in the scene's folder, whose configuration is `gate.toml`.
    static let runs: [String: [String]] = [
        "setup": [
            setup + "--replace --config other/gate.toml", setup + "--replace --config state/gate.toml",
            setup + "--trust-directory mine --config state/new/gate.toml",
        ],
        // The ledger of the second configuration is root's own.
        "run": ["run --config gate.toml", "run --config mixed.toml"], "verify": ["verify --config gate.toml gate.toml"],
        "trust needs": ["trust needs --trust state/issuers gate.toml"],
        "trust pin context": ["trust pin context https://www.w3.org/ns/credentials/v2 --trust state/issuers"],
        "trust pin document": ["trust pin document document.json --trust state/issuers"],
        "trust pin root": ["trust pin root document.json --trust state/issuers"],
        "trust pin issuer": ["trust pin issuer did:web:a.example --type A --trust state/issuers"],
        "trust pin status-list": ["trust pin status-list https://a.example/1 document.json --trust state/issuers"],
        "trust import": ["trust import document.json --config gate.toml", "trust import mine --config gate.toml"],
        "trust list": ["trust list --config gate.toml", "trust list state/issuers"],
        "trust refresh": ["trust refresh --config gate.toml"], "trust verify": ["trust verify --config gate.toml"],
        "trust bundle": ["trust bundle state/issuers --key root/operator.pem --number 1 --output out/bundle"],
        "agent connect": ["agent connect state/agent.invitation --wait 1 --config gate.toml"],
        "agent list": ["agent list --config gate.toml"], "agent show": ["agent show x --config gate.toml"],
        "agent delete": ["agent delete x --config gate.toml"],
        "agent ping": ["agent ping x --wait 1 --config gate.toml"],
        "agent messages": ["agent messages --config gate.toml"],
        "agent answer": ["agent answer u yes --wait 1 --config gate.toml"],
        "ledger list": ["ledger list --config gate.toml", "ledger list --database state/gatehouse.db"],
        "ledger head": ["ledger head --config gate.toml"], "ledger verify": ["ledger verify --config gate.toml"],
        "ledger export": ["ledger export --config gate.toml"], "clock show": ["clock show --config gate.toml"],
        "clock accept": ["clock accept --config gate.toml"],
        "policy check": ["policy check state/policy.toml", "policy check --trust state/issuers"],
        "policy test": ["policy test state/policy.toml"],
        "config check": ["config check gate.toml", "config check --here gate.toml", "config check state/policy.toml"],
        "config import": ["config import document.json --config gate.toml"],
        "open-radio": ["open-radio --user nobody --config gate.toml"],
        "reset-radio": ["reset-radio --config gate.toml"],
        "status": ["status --config gate.toml", "status --socket state/control.sock"],
        "door status": ["door status --config gate.toml"], "door lock": ["door lock --config gate.toml"],
        "door free": ["door free --config gate.toml"], "door release": ["door release --config gate.toml"],
        "doctor": [
            "doctor --config gate.toml", "doctor --json --config gate.toml",
            "doctor --bench --visits 1 --config gate.toml",
        ],
        "report": ["report --config gate.toml", "report --redacted --config gate.toml"],
        "sticker": ["sticker --png out/sticker.png --config gate.toml"],
        "backup": ["backup out/backup.tar --config gate.toml", "backup state/new/backup.tar --config gate.toml"],
        "restore": [
            "restore --check good.tar --config gate.toml",
            "restore --replace --configuration --other-machine good.tar --config gate.toml",
        ],
    ]

    private static let setup = "setup --yes --name N --board none --no-start --pinout PINOUT "

    /// Commands that replace the owner's files by valid ones. They run last.
    static let mending: Set<String> = [
        "clock accept", "config import", "restore", "setup", "trust import", "trust pin context", "trust pin document",
        "trust pin issuer", "trust pin root", "trust pin status-list",
    ]

    /// Every run, in order.
    static var lines: [String] {
        let names = runs.keys.sorted { (mending.contains($0) ? 1 : 0, $0) < (mending.contains($1) ? 1 : 0, $1) }
        return names.flatMap { runs[$0] ?? [] }
    }

    /// The files that a gate with the scene's configuration keeps in its folders.
    static let files = [
        "gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "gatehouse.db-journal", "gatehouse.db.witness",
        "gatehouse.db.witness-key", "gatehouse.db.agent-key", "gatehouse.db.order", "gatehouse.db.clock",
        "gatehouse.db.reserve", "gatehouse.db.lock", "gatehouse.db.backup", "gatehouse.db.restoring",
        "gatehouse.db.crashes", "gatehouse.db.courier", "gatehouse.db.courier-wal", "gatehouse.db.courier-shm",
        "gatehouse.db.courier-journal", "gatehouse.db.courier.lock", "gatehouse.db.courier.backup",
        "gatehouse.db.courier.restoring", "log",
        "sticker.key", "sticker.key.sessions", "sticker.key.new", "status.json", "status.json.new", "metrics.prom",
        "metrics.prom.new", "control.sock", "control.sock.new", "agent.invitation", "policy.toml", "trust/bundle",
        "trust/bundle.last-good", "issuers/issuers.toml", "issuers/policy.toml", "gate.toml", "new/trust/policy.toml",
    ]
}
