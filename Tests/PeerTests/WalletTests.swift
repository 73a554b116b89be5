import Foundation
import TestKit
import Testing

/// Compares the third-party wallet with the recordings of the published wallets: otherwise its results would
/// prove nothing.
@Suite(.tags(.realTime)) struct WalletTests {
    @Test func theWalletMakesTheRecordedBytes() async throws {
        let place = try Workplace("wallet")
        guard let vectors = Vectors.path("tuvali") else { return place.remove() }
        let python = try Workplace.requiredEnvironment("wallet", "bin/python")
        let script = Workplace.peers.appendingPathComponent("wallet/selftest.py").path
        let output = place.path("output")
        let end = try await Child(python, ["-B", script, vectors.path], output: output).wait(within: .seconds(60))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        print(text, terminator: "")
        #expect(end == .exit(0), "\(text)")
        place.remove()
    }
}
