import Encoding
import Foundation
import TestKit
import Testing

/// Commands that only read create nothing and report what is missing. A ledger that root creates could be
/// inaccessible to the service.
@Suite struct LookingCommandTests {
    private let folder: Scratch

    /// Creates a machine with only its top-level folders.
    init() throws {
        folder = try Scratch()
        for name in ["machine/etc", "machine/var/lib", "machine/run"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.write("nonsense", "nonsense")
    }

    /// The missing thing that a command reports.
    enum Lack: CaseIterable {
        /// The ledger, without which the command has no result.
        case ledger
        /// The running service.
        case service
        /// The trust directory.
        case trust
        /// Its argument, which is invalid.
        case argument
        /// Nothing: the command has a result in any case.
        case nothing
    }

    /// Each command, and the missing thing that it reports. `backup` and the commands that change something
    /// have to check first, too.
    static let commands: [(words: String, lack: Lack)] = [
        ("agent list", .ledger), ("agent list --json", .ledger), ("agent show primary", .ledger),
        ("agent ping nobody", .ledger), ("agent messages", .ledger), ("agent answer u yes", .ledger),
        ("agent delete nobody", .ledger),
        ("ledger list", .ledger), ("ledger list --json", .ledger), ("ledger head", .ledger), ("ledger verify", .ledger),
        ("ledger export", .ledger), ("ledger export --csv", .ledger), ("backup made.tar", .ledger),
        ("backup made.tar --last", .ledger),
        ("status", .service), ("status --json", .service), ("door status", .service), ("door lock", .service),
        ("trust list", .trust), ("trust verify", .trust), ("trust refresh", .trust),
        ("agent connect nonsense", .argument), ("agent connect https://agent.example/?oob=%%%", .argument),
        ("agent ping nobody --wait 0", .argument), ("ledger list --last 0", .argument),
        ("restore --check nowhere.tar", .argument), ("config import nonsense", .argument),
        ("policy check nonsense", .argument), ("sticker --png made.png", .argument),
        ("clock show", .nothing), ("report", .nothing), ("report --redacted", .nothing), ("doctor", .nothing),
        ("config check", .nothing), ("config check --here", .nothing), ("release-lines", .nothing),
        ("verify nonsense", .nothing), ("trust needs nonsense", .nothing),
    ]

    private func run(_ words: [String], by prefix: [String] = ["env"]) async throws -> Ending {
        let all = prefix + [Program.gatehouse] + words
        return try await Program.run(
            all[0], Array(all.dropFirst()), in: folder, environment: ["GATEHOUSE_ROOT": folder.path("machine")])
    }

    /// Returns every file of the machine with kind, mode, owner and date.
    private func machine() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path("machine")).sorted().map { path in
            var status = stat()
            #expect(lstat(folder.path("machine/" + path), &status) == 0)
            let (date, owner) = (status.st_ctim, "\(status.st_uid):\(status.st_gid)")
            return "\(path) \(status.st_mode) \(owner) \(status.st_size) \(date.tv_sec).\(date.tv_nsec)"
        }
    }

    /// Runs a command, and expects that it changes no file.
    private func look(_ words: String, by prefix: [String] = ["env"]) async throws -> Ending {
        let before = try machine()
        let ending = try await run(words.split(separator: " ").map(String.init), by: prefix)
        #expect(try machine() == before, "\(words) has changed something: \(ending)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("made.tar")), "\(words)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("made.png")), "\(words)")
        return ending
    }

    /// Before `gatehouse setup`.
    @Test(arguments: commands) func whereNothingIs(_ words: String, _ lack: Lack) async throws {
        let ending = try await look(words)
        if lack != .nothing { #expect(ending.code == 2 && ending.output.isEmpty, "\(ending)") }
        guard lack != .argument else { return #expect(ending.errors.hasPrefix("gatehouse: "), "\(ending)") }
        guard lack != .nothing else { return }
        #expect(ending.errors.contains(folder.path("machine/etc/gatehouse/gatehouse.toml")), "\(ending)")
        #expect(ending.errors.contains("Create it: sudo gatehouse setup"), "\(ending)")
    }

    /// Before the service's first start, with and without the folder that the package makes.
    @Test(arguments: commands) func beforeTheFirstStart(_ words: String, _ lack: Lack) async throws {
        try folder.write("machine/etc/gatehouse/gatehouse.toml", "[kiosk]\nname = \"A\"\n")
        let ending = try await look(words)
        expect(ending, lack)
        guard lack == .ledger else { return }
        try makeState()
        expect(try await look(words), lack)
        // An interrupted start.
        try folder.write("machine/var/lib/gatehouse/gatehouse.db", "")
        expect(try await look(words), lack)
    }

    /// A deleted ledger differs from one that never existed: its witness shows the difference, and is kept as
    /// evidence.
    @Test(arguments: [
        "agent list", "agent ping nobody", "ledger list", "ledger verify", "ledger export",
        "agent connect invitation.json",
    ]) func aLedgerThatWasDeleted(_ words: String) async throws {
        try folder.write(
            "state.toml", "[kiosk]\nname = \"A\"\n[ledger]\npath = \"machine/var/lib/gatehouse/gatehouse.db\"\n")
        try await folder.makeLedger(folder.path("state.toml"))
        try folder.write("machine/etc/gatehouse/gatehouse.toml", "[kiosk]\nname = \"A\"\n")
        try folder.write("invitation.json", try AgentOnLoopback().invitation.compactText)
        for ending in ["", "-wal", "-shm"] { unlink(folder.path("machine/var/lib/gatehouse/gatehouse.db" + ending)) }
        for isEmptied in [false, true] {
            if isEmptied { try folder.write("machine/var/lib/gatehouse/gatehouse.db", "") }
            let ending = try await look(words)
            #expect(
                ending.code == 2 && ending.errors.contains("the database is missing; its witness knows"), "\(ending)")
        }
    }

    private func makeState() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("machine/var/lib/gatehouse"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    private func expect(_ ending: Ending, _ lack: Lack) {
        if lack != .nothing { #expect(ending.code == 2 && ending.output.isEmpty, "\(ending)") }
        switch lack {
        case .ledger:
            let path = folder.path("machine/var/lib/gatehouse/gatehouse.db")
            #expect(ending.errors.contains("there is no ledger at \(path) yet") && ending.hasRemedy, "\(ending)")
        case .service:
            let path = folder.path("machine/run/gatehouse/control.sock")
            #expect(ending.errors.contains("no process listens at \(path)") && ending.hasRemedy, "\(ending)")
        case .trust:
            let path = folder.path("machine/etc/gatehouse/trust/issuers.toml")
            #expect(ending.errors.contains("\(path): does not exist. Create it"), "\(ending)")
        case .argument: #expect(ending.errors.hasPrefix("gatehouse: "), "\(ending)")
        case .nothing: #expect((0...2).contains(ending.code), "\(ending)")
        }
    }

    /// Root, which does not own the folder, and the service's user, which owns it, get the same answer.
    @Test(arguments: ["agent list", "agent ping nobody", "ledger list", "backup made.tar"])
    func asRootAndAsTheServicesUser(_ words: String) async throws {
        guard geteuid() == 0 else { return print("skipped: only root can be another user") }
        try folder.write("machine/etc/gatehouse/gatehouse.toml", "[kiosk]\nname = \"A\"\n")
        try makeState()
        #expect(chown(folder.path("machine/var/lib/gatehouse"), 4242, 4242) == 0)
        // As on a real machine, the service's user can reach its folder: root's commands read as that user.
        for way in ["", "machine", "machine/var", "machine/var/lib"] { #expect(chmod(folder.path(way), 0o755) == 0) }
        // The user may read every file, because the program is somewhere below root's own folder.
        let capability = "+dac_read_search"
        let user = [
            "setpriv", "--reuid=4242", "--regid=4242", "--clear-groups", "--inh-caps=\(capability)",
            "--ambient-caps=\(capability)",
        ]
        for prefix in [["env"], user] { expect(try await look(words, by: prefix), .ledger) }
    }

    /// A valid invitation may create what it needs, but only once the other arguments are valid.
    @Test(.tags(.realTime)) func anInvitationToADestinationThatIsNone() async throws {
        try folder.write(
            "machine/etc/gatehouse/gatehouse.toml", "[kiosk]\nname = \"A\"\n[agent]\nallowPlainHTTP = true\n")
        let agent = try AgentOnLoopback()
        try folder.write("invitation.json", agent.invitation.compactText)
        let none = try await look("agent connect invitation.json --to nowhere")
        #expect(none.code == 2 && none.hasRemedy && none.errors.contains("no destination nowhere"), "\(none)")
        let good = try await run(["agent", "connect", "invitation.json"])
        #expect(good.code == 0, "\(good)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path("machine/var/lib/gatehouse"))
        withExtendedLifetime(agent) { #expect(made.contains("gatehouse.db")) }
    }
}
