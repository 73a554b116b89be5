import Foundation
import TestKit
import Testing

/// `Tests/Hermetic/run`, in which tests run: it detects every use of the machine's own folders. Also
/// `GATEHOUSE_ROOT`, with which the program does not use them.
@Suite(.tags(.realTime)) struct HermeticTests {
    private let folder: Scratch
    private let trap = Vectors.repository.appendingPathComponent("Tests/Hermetic/run").path

    init() throws { folder = try Scratch() }

    /// Runs a line in the trap; nil, with a message, where no trap is possible.
    private func run(_ line: String, environment: [String: String] = [:]) async throws -> Ending? {
        let ending = try await Program.run(
            "timeout", ["100", trap, "sh", "-c", line, Program.gatehouse], in: folder, environment: environment)
        guard ending.errors.contains("no mount namespace can be made") else { return ending }
        print("skipped: no name space")
        return nil
    }

    /// The uses, each of a different path, and the path that must be reported.
    private static let uses: [(line: String, path: String)] = [
        ("cat /var/lib/gatehouse/gatehouse.db", "/var/lib/gatehouse/gatehouse.db"),
        ("cat /var/lib/gatehouse/trust/policy-*.good", "/var/lib/gatehouse/kept/policy-0123456789abcdef.good"),
        ("ls /etc/gatehouse", "/etc/gatehouse"), ("readlink /etc/gatehouse/trust", "/etc/gatehouse/trust"),
        ("cat /run/gatehouse/invitation.png", "/run/gatehouse/invitation.png"),
        ("touch /run/gatehouse/more", "/run/gatehouse/more"),
        ("mkdir /var/lib/gatehouse-out", "/var/lib/gatehouse-out"),
        ("chmod 700 /run/gatehouse/control.sock", "/run/gatehouse/control.sock"),
        ("rm /run/gatehouse/status.json", "/run/gatehouse/status.json"),
        ("chmod 600 /etc/gatehouse/agent.invitation", "/etc/gatehouse-elsewhere"),
    ]

    @Test func useOfTheMachinesFoldersIsFound() async throws {
        let all = Self.uses.map { $0.line + " >/dev/null" }.joined(separator: "; ")
        guard let ending = try await run(all) else { return }
        #expect(ending.code == 1, "\(ending)")
        for (line, path) in Self.uses { #expect(ending.errors.contains(" \(path): "), "\(line): \(ending.errors)") }
        let one = try await run("cat /var/lib/gatehouse/gatehouse.db >/dev/null")
        #expect(one?.code == 1, "\(String(describing: one))")
    }

    @Test func otherUsesPass() async throws {
        let line = "test -e /var/lib/gatehouse/gatehouse.db -a -p /etc/gatehouse/policy.toml && echo seen && exit 3"
        guard let ending = try await run(line) else { return }
        #expect(ending.code == 3 && ending.output == "seen\n" && ending.errors.isEmpty, "\(ending)")
    }

    /// Where no namespace can be made, the command runs nevertheless, and a message at the end says so;
    /// unless a namespace is required.
    @Test func withoutNamespaces() async throws {
        let path = try await folder.programs(["unshare": "exit 1"])
        for (word, code) in [("", Int32(5)), ("required", 2)] {
            let ending = try await Program.run(
                trap, ["sh", "-c", "echo ran >&2; exit 5"], in: folder,
                environment: ["PATH": path, "GATEHOUSE_HERMETIC": word])
            #expect(ending.code == code && ending.errors.contains("no mount namespace can be made"), "\(ending)")
            #expect(ending.errors.contains("ran\n") == (code == 5), "\(ending)")
            #expect(ending.errors.hasSuffix("so nothing was proved\n") == (code == 5), "\(ending)")
        }
    }

    /// The commands of a person, with the usual folders: by default, in the example that names them, and as
    /// an argument.
    private static let commands = [
        "config check deploy/gatehouse.toml", "config check --json deploy/gatehouse.toml",
        "config check --here deploy/gatehouse.toml", "doctor --config deploy/gatehouse.toml",
        "report --config deploy/gatehouse.toml", "agent list --config deploy/gatehouse.toml",
        "ledger verify --config deploy/gatehouse.toml", "trust list --config deploy/gatehouse.toml",
        "status", "doctor", "report", "agent list", "ledger list", "clock show", "config check",
        "config check /etc/gatehouse/gatehouse.toml", "status --config /etc/gatehouse/out.toml",
        "setup --yes --name N --board none --root /nowhere",
    ]

    @Test(.timeLimit(.minutes(2))) func theProgramUsesNoFolderOfTheMachine() async throws {
        let lines = Self.commands.map { "\"$0\" \($0) >/dev/null 2>&1" }
        let line = "cd '\(Vectors.repository.path)'; " + lines.joined(separator: "; ") + "; exit 0"
        guard let kept = try await run(line) else { return }
        #expect(kept.code == 0 && kept.errors.isEmpty, "\(kept)")
        // Without `GATEHOUSE_ROOT` the same commands are reported, so the trap works.
        let open = try await run("exec env -u GATEHOUSE_ROOT timeout 10 \"$0\" trust list >/dev/null 2>&1")
        #expect(open?.errors.contains(" /etc/gatehouse/gatehouse.toml: ") == true, "\(String(describing: open))")
    }

    @Test(arguments: ["here", "./here", "/tmp/../etc", "/tmp/."]) func invalidRootsAreRefused(_ root: String)
        async throws
    {
        let ending = try await Program.run(
            Program.gatehouse, ["config", "check"], in: folder, environment: ["GATEHOUSE_ROOT": root])
        #expect(ending.code == 2 && ending.hasRemedy && ending.errors.contains("GATEHOUSE_ROOT is no"), "\(ending)")
    }
}
