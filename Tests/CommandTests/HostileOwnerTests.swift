import Foundation
import Glibc
import Testing

/// Commands of root in a folder of the service's user, who has replaced the files that the commands read and
/// write by links.
@Suite(.enabled(if: geteuid() == 0, "only root acts for others"), .timeLimit(.minutes(2))) struct HostileOwnerTests {
    /// The user and group of the service in this test.
    private static let (user, group): (uid_t, gid_t) = (65_534, 65_534)
    private static let secret = "only root may read this"

    private let folder: Scratch
    private let configuration: String
    private let state: String

    init() async throws {
        folder = try Scratch()
        configuration = try folder.configuration(port: try closedPort())
        let text = try folder.read("gate.toml").replacingOccurrences(
            of: "directory = \"trust\"", with: "directory = \"trust\"\nstate = \"state/trust\"\nbundleKeys = []")
        try folder.write("gate.toml", text)
        try await folder.makeLedger(configuration)
        try folder.write("state/trust/bundle", "")
        try folder.write("root/secret", Self.secret)
        state = folder.path("state")
        for path in [folder.url.path, state, folder.path("trust")] { #expect(chmod(path, 0o755) == 0) }
        #expect(chmod(folder.path("root/secret"), 0o600) == 0 && chmod(folder.path("root"), 0o700) == 0)
        let inside = try FileManager.default.subpathsOfDirectory(atPath: state).map { state + "/" + $0 }
        for path in [state] + inside { #expect(lchown(path, Self.user, Self.group) == 0) }
    }

    private func link(_ name: String, to target: String) {
        unlink(folder.path("state/" + name))
        #expect(symlink(folder.path(target), folder.path("state/" + name)) == 0)
        #expect(lchown(folder.path("state/" + name), Self.user, Self.group) == 0)
    }

    private var rootsFiles: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path("root"))) ?? []).sorted()
    }

    @Test func aBackupHoldsNothingThatTheServiceCannotRead() async throws {
        link("trust/bundle", to: "root/secret")
        let ending = try await folder.gatehouse("backup", "root/backup.tar", "--config", configuration)
        #expect(ending.code == 0, "\(ending)")
        let made = (try? Data(contentsOf: URL(fileURLWithPath: folder.path("root/backup.tar")))) ?? Data()
        #expect(made.range(of: Data(Self.secret.utf8)) == nil)
    }

    @Test func aBackupHoldsNoConnectionsOfRoots() async throws {
        link("gatehouse.db.courier", to: "root/secret")
        let ending = try await folder.gatehouse("backup", "root/backup.tar", "--config", configuration)
        #expect((0...2).contains(ending.code) && !(ending.output + ending.errors).contains(Self.secret), "\(ending)")
        let made = (try? Data(contentsOf: URL(fileURLWithPath: folder.path("root/backup.tar")))) ?? Data()
        #expect(made.range(of: Data(Self.secret.utf8)) == nil)
    }

    @Test func aBackupIsRootsAndItsCopyIsTheOwners() async throws {
        let made = try await folder.gatehouse("backup", "root/backup.tar", "--config", configuration)
        #expect(made.code == 0, "\(made)")
        var status = stat()
        #expect(stat(folder.path("root/backup.tar"), &status) == 0)
        #expect(status.st_uid == 0 && status.st_mode & 0o777 == 0o600)
        let again = try await folder.gatehouse("restore", "--check", "root/backup.tar", "--config", configuration)
        #expect(again.code == 0, "\(again)")
        #expect(rootsFiles == ["backup.tar", "secret"], "nothing is left behind")
    }

    /// The log is in a folder of the service's user, and the report is sent to another person.
    @Test func aReportHoldsNoFileOfRoots() async throws {
        link("gate.log", to: "root/secret")
        let refused = try await folder.gatehouse("report", "--log", "state/gate.log", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy && !refused.output.contains(Self.secret), "\(refused)")
        unlink(folder.path("state/gate.log"))
        #expect(mkfifo(folder.path("state/gate.log"), 0o644) == 0)
        let pipe = try await folder.gatehouse("report", "--log", "state/gate.log", "--config", configuration)
        #expect(pipe.code == 2 && pipe.errors.contains("it is not a file"), "\(pipe)")
        // Root may still include a log file of its own.
        let own = try await folder.gatehouse("report", "--log", "root/secret", "--config", configuration)
        #expect(own.code == 0 && own.output.contains(Self.secret), "\(own)")
    }

    /// An operator may name a folder of the service's user, also through a link of root: there, root has no
    /// more access than the folder's owner.
    @Test func noBackupGoesWhereALinkLeads() async throws {
        link("copies", to: "root")
        let refused = try await folder.gatehouse("backup", "state/copies/backup.tar", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy, "\(refused)")
        #expect(rootsFiles == ["secret"])
        // Links of root that lead to a link of the owner.
        #expect(symlink(state + "/copies", folder.path("root/copies")) == 0)
        let second = try await folder.gatehouse("backup", "root/copies/backup.tar", "--config", configuration)
        #expect(second.code == 2 && second.hasRemedy, "\(second)")
        #expect(rootsFiles == ["copies", "secret"])
        #expect(unlink(folder.path("root/copies")) == 0)
        #expect(symlink(state, folder.path("spare")) == 0)
        for name in ["state/backup.tar", "spare/second.tar"] {
            let made = try await folder.gatehouse("backup", name, "--config", configuration)
            #expect(made.code == 0, "\(made)")
            var status = stat()
            #expect(stat(folder.path(name), &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(status.st_uid == Self.user, "\(name)")
            let check = try await folder.gatehouse("restore", "--check", name, "--config", configuration)
            #expect(check.code == 0, "\(check)")
        }
    }

    @Test(arguments: ["gatehouse.db.backup", "gatehouse.db.courier.backup"])
    func noCopyGoesWhereALinkLeads(_ name: String) async throws {
        link(name, to: "root/planted.db")
        let made = try await folder.gatehouse("backup", "root/backup.tar", "--config", configuration)
        #expect(made.code == 0, "\(made)")
        #expect(rootsFiles == ["backup.tar", "secret"], "the link was replaced, not followed")
        #expect(try folder.read("root/secret") == Self.secret)
    }

    @Test func noAcceptanceGoesWhereALinkLeads() async throws {
        let date = try await folder.gatehouse("clock", "accept", "--config", configuration)
        #expect(date.code == 0, "\(date)")
        var status = stat()
        #expect(lstat(folder.path("state/gatehouse.db.clock"), &status) == 0 && status.st_uid == Self.user)
        // The owner's folder itself is a link to a folder of root.
        #expect(rename(state, folder.path("moved")) == 0)
        #expect(symlink(folder.path("root"), state) == 0 && lchown(state, Self.user, Self.group) == 0)
        let refused = try await folder.gatehouse("clock", "accept", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy, "\(refused)")
        #expect(rootsFiles == ["secret"])
    }

    @Test func noBundleGoesWhereALinkLeads() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem")
        let trust = try #require(key.lines.first)
        let text = try folder.read("gate.toml").replacingOccurrences(
            of: "bundleKeys = []", with: "bundleKeys = [\"\(trust)\"]")
        try folder.write("gate.toml", text)
        try folder.write("trusted/issuers.toml", "")
        let made = try await folder.gatehouse(
            "trust", "bundle", "trusted", "--key", "operator.pem", "--number", "1", "--output", "trust.bundle")
        #expect(made.code == 0, "\(made)")
        let trustFolder = folder.path("state/trust")
        #expect(rename(trustFolder, folder.path("state/moved")) == 0)
        #expect(symlink(folder.path("root"), trustFolder) == 0 && lchown(trustFolder, Self.user, Self.group) == 0)
        let refused = try await folder.gatehouse("trust", "import", "trust.bundle", "--config", configuration)
        #expect(refused.code != 0 && refused.hasRemedy, "\(refused)")
        #expect(rootsFiles == ["secret"])
        #expect(unlink(trustFolder) == 0 && rename(folder.path("state/moved"), trustFolder) == 0)
        let taken = try await folder.gatehouse("trust", "import", "trust.bundle", "--config", configuration)
        #expect(taken.code == 0, "\(taken)")
        var status = stat()
        #expect(lstat(trustFolder + "/bundle", &status) == 0 && status.st_uid == Self.user)
    }
}
