import Foundation
import TestKit
import Testing

/// The operator's side of `deploy/acapy` in real agents with a real PostgreSQL database; the gate is
/// simulated.
@Suite(.serialized, .tags(.realTime, .agents)) struct KeeperTests {
    @Test(arguments: CloudAgent.versions)
    func theAgentKeepsLedgersAndSaysWhatIsWrong(version: String) async throws {
        guard Workplace.hasDatabase else { return print("skipped: no PostgreSQL (apt-get install postgresql)") }
        let python = try Workplace.requiredEnvironment("acapy-\(version)", "bin/python")
        let place = try Workplace("keeper")
        // The server refuses to run as root and then runs as the user nobody, which needs access to the
        // folder.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.folder.path)
        let script = Workplace.peers.appendingPathComponent("acapy/keeper_test.py").path
        let output = place.path("output")
        let test = try Child(python, ["-B", script, version, place.folder.path], output: output)
        let end = try await test.wait(within: .seconds(300))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        print(text, terminator: "")
        #expect(end == .exit(0), "\(text)")
        #expect(text.components(separatedBy: "holds: ").count == 9)
        place.remove()
    }
}
