package import Credentials
import Encoding
package import Foundation

/// A credential for which the decision time is measured, and the rows of the table of results.
package struct BenchSample: Sendable {
    /// The name of the sample in the table, of at most ten characters.
    package let name: String
    /// The payload that the wallets send.
    package let payload: [UInt8]
    private let verifier: Verifier
    private let visits: Int

    /// Creates a sample that `visits` visitors present. `verifier` must accept the payload at ``Samples/validDate``.
    package init(name: String, payload: [UInt8], verifier: Verifier, visits: Int) {
        (self.name, self.payload, self.verifier, self.visits) = (name, payload, verifier, visits)
    }

    /// Returns the small sample (1.4 KB), with the credential of the demonstration.
    package static func lean(visits: Int) throws -> BenchSample {
        BenchSample(
            name: "lean", payload: Samples.record(Samples.credential),
            verifier: Verifier(trust: try TrustStore(Samples.trust)), visits: visits)
    }

    /// Plays the visits on a new ledger below `parent`, and removes the ledger afterwards. Each sync of the ledger
    /// takes longer by `sync`. For `choosing`, see ``DecisionBench``. Throws a `DecisionBench.Failure` if there is no
    /// result, and a `CocoaError` if the ledger cannot be created.
    package func measure(
        below parent: URL, sync: Duration = .zero, choosing: Duration = .milliseconds(300)
    ) async throws -> DecisionBench.Result {
        let ledger = try await BenchLedger(below: parent)
        ledger.slow(by: sync)
        let result: Result<DecisionBench.Result, any Error>
        do {
            result = .success(
                try await DecisionBench.run(
                    payload: payload, verifier: verifier, at: WallTime(utc: Samples.validDate, provenance: .given),
                    visits: visits, ledger: ledger, choosing: choosing))
        } catch {
            result = .failure(error)
        }
        let missing = await ledger.finish()
        _ = await ledger.remove()
        let measured = try result.get()
        guard missing == 0 else { throw DecisionBench.Failure(reason: "the disk took not all records") }
        return measured
    }

    // MARK: - The table

    /// The lines above the rows of the table. They name the machine's processor.
    package static var heading: [String] {
        [
            "From T0 (the write that completes the credential) to lights and gate, \(machine)",
            "sample        bytes   sync +   visits  refused       p50         p99         max",
        ]
    }

    /// Returns the row for a result, and a second line if phones gave up. `sync`: the milliseconds by which each sync
    /// was delayed.
    package func lines(_ result: DecisionBench.Result, sync: Int = 0) -> [String] {
        let figures = [50, 99, 100].map { String(format: "%9.2f ms", result.percentile($0).milliseconds) }
        let head = name.padding(toLength: 10, withPad: " ", startingAt: 0)
        let row =
            head + String(format: "%9d%6d ms%9d%9d", payload.count, sync, result.times.count, result.refused)
            + figures.joined()
        guard result.absent > 0 else { return [row] }
        return [row, "          \(result.absent) phones gave up: this machine is too busy for its virtual radio"]
    }

    /// The name of the processor from /proc/cpuinfo, and the number of its cores.
    private static var machine: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
        let name = model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        return "\(name), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
