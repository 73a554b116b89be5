import Foundation
import Glibc
import TestKit
import Testing

/// Every command of root in the folders of a compromised service: the service's user has replaced each file.
/// No file of root is shown, packed or changed, and no command blocks.
@Suite(.enabled(if: geteuid() == 0, "only root acts for others"), .timeLimit(.minutes(5)))
struct HostileFolderTests {
    /// The replacement of each file.
    enum Trick: String, CaseIterable {
        /// A link to a file that only root may read.
        case link
        /// Another hard link of that file.
        case hardLink
        /// A pipe without a writer.
        case pipe
        /// A folder.
        case folder
    }

    /// The user and group of the service in this test.
    private static let (user, group): (uid_t, gid_t) = (65_534, 65_534)
    /// A text that is valid both as TOML and as a line of a log, so that an error message about the file
    /// would repeat it.
    private static let secret = "ONLYROOTKNOWS"

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func everyCommandHasARow() throws {
        let commands = try CommandTree.read().all.filter(\.isLeaf).map { $0.path.joined(separator: " ") }
        let rows = Array(HostileFolderTable.elsewhere.keys) + Array(HostileFolderTable.runs.keys)
        #expect(commands.sorted() == rows.sorted())
        for (command, lines) in HostileFolderTable.runs {
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix(command) }, "\(command)")
        }
    }

    @Test(arguments: Trick.allCases, [false, true]) func noCommandIsMisledByTheOwner(_ trick: Trick, hasLedger: Bool)
        async throws
    {
        try await makeScene(trick, hasLedger: hasLedger)
        let before = try rootsFiles()
        let pinout = Vectors.repository.appendingPathComponent("hardware/pinout.toml").path
        for line in HostileFolderTable.lines {
            let words = line.split(separator: " ").map { $0 == "PINOUT" ? pinout : String($0) }
            let ending = try await Program.run(
                "timeout", ["--signal=KILL", "20", Program.gatehouse] + words, in: folder, within: .seconds(30))
            #expect(ending.code >= 0 && ending.code != 137, "\(line) did not end: \(ending)")
            #expect(!(ending.output + ending.errors).contains(Self.secret), "\(line) shows it: \(ending)")
            #expect(try rootsFiles() == before, "\(line) changed what is root's")
            let foreign = try inState().filter { try !isOwners($0) }
            #expect(foreign.isEmpty, "\(line) left files of root's: \(foreign)")
            let given = try inState().filter(holdsSecret)
            #expect(given.isEmpty, "\(line) gave the owner what only root knows: \(given)")
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) {
            let made = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/" + name)))
            #expect(made.range(of: Data(Self.secret.utf8)) == nil, "\(name) holds it")
        }
    }

    /// Trust data of one user and rules of another user are each read with the rights of their owner.
    @Test func eachOwnerIsActedForInHisOwnFolder() async throws {
        try folder.write("trust/issuers.toml", "profile = \"strict\"\n")
        for name in ["trust", "rules"] { try folder.write(name + "/policy.toml", Self.policy) }
        try folder.write("document.json", "{}")
        #expect(chmod(folder.url.path, 0o755) == 0)
        for (name, user) in [("trust", Self.user), ("rules", Self.user - 1)] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path(name)) {
                let file = folder.path(name + "/" + path)
                #expect(chmod(file, 0o600) == 0 && chown(file, user, Self.group) == 0)
            }
            #expect(chown(folder.path(name), user, Self.group) == 0 && chmod(folder.path(name), 0o700) == 0)
        }
        let ending = try await folder.gatehouse(
            "verify", "--trust", "trust", "--policy", "rules/policy.toml", "document.json")
        #expect(ending.code == 1, "\(ending)")
        let tested = try await folder.gatehouse("policy", "test", "trust/policy.toml", "rules/policy.toml")
        #expect(tested.code == 1, "both can be read, and have no tests: \(tested)")
    }

    /// When root lacks the capabilities to become another user, a command does nothing and reports it.
    @Test func rootThatCannotBecomeTheOwnerDoesNothing() async throws {
        try folder.write("state/policy.toml", Self.policy)
        #expect(chown(folder.path("state"), Self.user, Self.group) == 0)
        let ending = try await Program.run(
            "setpriv",
            ["--bounding-set=-setuid,-setgid", Program.gatehouse, "policy", "check", "state/policy.toml"], in: folder)
        #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("CAP_SETUID and CAP_SETGID"), "\(ending)")
    }

    // MARK: - The scene

    private func makeScene(_ trick: Trick, hasLedger: Bool) async throws {
        let configuration = try folder.write("gate.toml", Self.configuration)
        try folder.write("own/place", "")
        try folder.write("mixed.toml", Self.configuration.replacing("state/gatehouse.db", with: "own/gatehouse.db"))
        try folder.write("document.json", "{}")
        try folder.write("mine/issuers.toml", "profile = \"strict\"\n")
        try folder.write("out/place", "")
        try folder.write("root/secret", "\(Self.secret) = \"x\"\n")
        try folder.write("state/issuers/issuers.toml", "profile = \"strict\"\n")
        try folder.write("state/policy.toml", Self.policy)
        try FileManager.default.createDirectory(
            atPath: folder.path("state/trust"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let key = try await folder.gatehouse("trust", "keygen", "root/operator.pem")
        #expect(key.code == 0, "\(key)")
        try await folder.makeLedger(configuration)
        let backup = try await folder.gatehouse("backup", "good.tar", "--config", "gate.toml")
        #expect(backup.code == 0, "\(backup)")
        #expect(chmod(folder.path("root/secret"), 0o600) == 0 && chmod(folder.path("root"), 0o700) == 0)
        let kept = hasLedger ? ["gatehouse.db", "gatehouse.db.witness", "gatehouse.db.witness-key"] : []
        for name in HostileFolderTable.files where !kept.contains(name) { try put(trick, at: "state/" + name) }
        #expect(chmod(folder.url.path, 0o755) == 0)
        for path in try inState() + [folder.path("state")] where trick != .hardLink || !isSecret(path) {
            #expect(lchown(path, Self.user, Self.group) == 0)
        }
    }

    private func put(_ trick: Trick, at name: String) throws {
        let path = folder.path(name)
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        switch trick {
        case .link: #expect(symlink(folder.path("root/secret"), path) == 0, "\(name)")
        case .hardLink: #expect(link(folder.path("root/secret"), path) == 0, "\(name)")
        case .pipe: #expect(mkfifo(path, 0o600) == 0, "\(name)")
        case .folder: #expect(mkdir(path, 0o700) == 0, "\(name)")
        }
    }

    private static let policy = """
        id = "p"
        version = "1"
        [[accept]]
        id = "a"
        issuers = ["did:web:a.example"]
        """

    private static let configuration = """
        [kiosk]
        name = "Test-Gate"
        [radio]
        transport = "tcp"
        port = 1
        [trust]
        directory = "state/issuers"
        state = "state/trust"
        [policy]
        file = "state/policy.toml"
        [agent]
        invitations = ["state/agent.invitation"]
        [clock]
        minimum = "unset"
        [ledger]
        path = "state/gatehouse.db"
        [log]
        path = "state/log"
        [sticker]
        key = "state/sticker.key"
        until = "2027-01-01"
        [observe]
        status = "state/status.json"
        textfile = "state/metrics.prom"
        [display]
        kind = "none"
        [control]
        path = "state/control.sock"
        """

    // MARK: - Reading the scene

    private func inState() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path("state")).map { folder.path("state/" + $0) }
    }

    private func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private func isSecret(_ path: String) -> Bool {
        status(path)?.st_ino == status(folder.path("root/secret"))?.st_ino
    }

    /// Returns whether the path is a file that contains the secret and is not root's own file under another
    /// name.
    private func holdsSecret(_ path: String) throws -> Bool {
        guard let status = status(path), status.st_mode & S_IFMT == S_IFREG, !isSecret(path) else { return false }
        return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(Self.secret.utf8)) != nil
    }

    /// Returns whether the file belongs to the owner, or is root's file under another name.
    private func isOwners(_ path: String) throws -> Bool {
        guard let status = status(path) else { return true }
        return status.st_uid == Self.user || isSecret(path)
    }

    /// Returns all files of root: bytes, mode and owner.
    private func rootsFiles() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path("root")) {
            let path = folder.path("root/" + name)
            guard let status = status(path) else { continue }
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            files[name] = "\(status.st_mode) \(status.st_uid) \(status.st_gid) \(bytes.base64EncodedString())"
        }
        return files
    }
}
