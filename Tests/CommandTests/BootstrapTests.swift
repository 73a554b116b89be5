import Foundation
import TestKit
import Testing

/// `deploy/bootstrap`: it uses no network when nothing is missing, and prints one line to run when something
/// is missing and the user is not root.
@Suite(.tags(.realTime)) struct BootstrapTests {
    private let folder: Scratch
    private let bootstrap = Vectors.repository.appendingPathComponent("deploy/bootstrap").path

    init() throws { folder = try Scratch() }

    private let installed = "echo 'Status: install ok installed'"

    @Test func theSecondRunUsesNoNetwork() async throws {
        guard try await Program.run("unshare", ["-rn", "true"], in: folder).code == 0 else {
            return print("skipped: unshare -n is not permitted here")
        }
        let ending = try await Program.run("unshare", ["-rn", bootstrap], in: folder, within: .seconds(60))
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.output.isEmpty && ending.errors.isEmpty, "\(ending)")
    }

    @Test func withoutRootItSaysWhatToRun() async throws {
        let path = try await folder.programs([
            "id": "echo 1000", "apt-get": "touch \(folder.path("called")); exit 1",
            "dpkg": "case $2 in libqrencode-dev) exit 1;; esac; \(installed)",
        ])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code == 2, "\(ending)")
        let commands = ending.errors.split(separator: "\n").filter { $0.hasPrefix("sudo ") }
        #expect(commands == ["sudo apt-get install --yes --no-install-recommends libqrencode-dev"])
        #expect(!FileManager.default.fileExists(atPath: folder.path("called")), "it installs nothing itself")
    }

    @Test func aRemovedPackageIsMissing() async throws {
        let path = try await folder.programs([
            "id": "echo 1000",
            "dpkg": "case $2 in zlib1g-dev) echo 'Status: deinstall ok config-files';; *) \(installed);; esac",
        ])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code == 2)
        #expect(ending.errors.contains("--no-install-recommends zlib1g-dev\n"))
    }

    @Test func rootInstallsWhatIsMissingWithoutBeingAsked() async throws {
        let path = try await folder.programs([
            "id": "echo 0", "apt-get": "echo \"$@\" >> \(folder.path("calls"))",
            "dpkg": "case $2 in libsodium-dev) exit 1;; esac; \(installed)",
        ])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code == 0, "\(ending)")
        let calls = try folder.read("calls").split(separator: "\n")
        #expect(calls.count == 2)
        #expect(calls.last?.hasSuffix(" libsodium-dev") == true && calls.last?.contains("--yes") == true)
    }

    /// Package lists that could not be updated may be sufficient: the installation decides.
    @Test(arguments: [(1, 3), (9, 6)])
    func aMirrorThatIsAwayIsAskedAgain(_ failures: Int, _ expected: Int) async throws {
        let calls = folder.path("calls")
        let path = try await folder.programs([
            "id": "echo 0", "sleep": "",
            "apt-get": "echo \"$@\" >> \(calls); case $1 in update) [ $(wc -l < \(calls)) -gt \(failures) ];; esac",
            "dpkg": "case $2 in libsodium-dev) exit 1;; esac; \(installed)",
        ])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.errors.contains("could not be brought up to date") == (failures > 1), "\(ending)")
        let made = try folder.read("calls").split(separator: "\n")
        #expect(made.count == expected)
        #expect(made.dropLast().allSatisfy { $0.hasPrefix("update ") } && made.last?.hasPrefix("install ") == true)
    }

    @Test func aPackageThatCannotBeInstalledIsAnError() async throws {
        let path = try await folder.programs([
            "id": "echo 0", "sleep": "", "apt-get": "exit 100",
            "dpkg": "case $2 in libsodium-dev) exit 1;; esac; \(installed)",
        ])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code != 0, "\(ending)")
    }

    @Test(arguments: ["", "echo 'Swift version 6.2.1 (swift-6.2.1-RELEASE)'", "echo 'Swift version 5.10'"])
    func anOldSwiftIsNamed(_ script: String) async throws {
        let path = try await folder.programs(["swift": script, "dpkg": installed])
        let ending = try await Program.run(bootstrap, [], in: folder, environment: ["PATH": path])
        #expect(ending.code == 2)
        let found = script.isEmpty ? "an unknown version" : script.contains("5.10") ? "5.10" : "6.2"
        #expect(ending.errors.contains("this is \(found). "))
        #expect(ending.errors.contains("Swift 6.3 or later is needed") && ending.errors.contains("https://"))
    }
}
