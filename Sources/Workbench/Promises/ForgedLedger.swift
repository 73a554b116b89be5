package import Encoding
import Foundation
package import Ledger
import Store

/// The promise that the verification of a ledger detects every change of its files.
package struct ForgedLedger: Sendable {
    /// A change of the ledger's files by an attacker.
    package struct Forgery: Sendable {
        /// The change, in words.
        package let what: String
        /// Changes the database in `folder`. `earlier` is the content of the database one day before. Throws an error
        /// that prevents the change.
        package let forge: @Sendable (_ folder: String, _ earlier: [UInt8]) throws -> Void

        /// Creates a forgery from its description and the function that changes the files.
        package init(
            _ what: String, _ forge: @escaping @Sendable (_ folder: String, _ earlier: [UInt8]) throws -> Void
        ) {
            (self.what, self.forge) = (what, forge)
        }
    }

    /// The changes that an attacker can make with a text editor or with a copy of a file.
    package static let usual = [
        Forgery("a rejected visitor becomes an accepted one") { folder, _ in
            try change(PromiseLedger.database(folder), "\"result\":\"rejected\"", "\"result\":\"accepted\"")
        },
        Forgery("the gate was open for 900 ms, and not for 200") { folder, _ in
            try change(PromiseLedger.database(folder), "\"pulseMs\":200", "\"pulseMs\":900")
        },
        Forgery("yesterday's database replaces today's") { folder, earlier in
            try Data(earlier).write(to: URL(fileURLWithPath: PromiseLedger.database(folder)))
        },
    ]

    /// Returns the entries with which an attacker replaces the entries of a ledger.
    package typealias Rewriting = @Sendable (_ entries: [LedgerEntry], _ ledger: Text) -> [LedgerEntry]

    private let tools: DemoPromise.Tools
    private let forgeries: [Forgery]
    private let rewrite: Rewriting

    /// Creates the promise. `forgeries` are the changes of the files to test. `rewrite` is the change of all entries by
    /// an attacker who knows how the chain is computed.
    package init(
        _ tools: DemoPromise.Tools, forgeries: [Forgery] = Self.usual,
        rewrite: @escaping Rewriting = Self.rewritten
    ) {
        (self.tools, self.forgeries, self.rewrite) = (tools, forgeries, rewrite)
    }

    /// Simulates two days, then tests each forgery on a separate copy of the files.
    package func play(_ tell: @escaping DemoPromise.StepReporter) async throws -> [DemoPromise.Finding] {
        let folder = tools.folder + "/gate"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await live([Samples.credential, Samples.tamperedCredential], on: 1, in: folder, tell)
        let earlier = [UInt8](try Data(contentsOf: URL(fileURLWithPath: PromiseLedger.database(folder))))
        try await live([Samples.credential], on: 2, in: folder, tell)

        let entries = try await LedgerReader(path: PromiseLedger.database(folder)).entries(after: 0, limit: 1000)
        // Use the head of the ledger as the operator's agent confirms it: the agent stores it outside the gate.
        let receipts = entries.suffix(1).map { Checkpoint(ledger: nil, count: $0.position, hash: $0.hash) }
        let honest = try await PromiseLedger.verify(folder, checkpoints: receipts)
        for line in honest.lines.prefix(1) { tell(.init("verify", line)) }
        var findings = [
            DemoPromise.Finding("unmodified files verify", honest.lines.first ?? "", isKept: honest.isIntact)
        ]
        for (number, forgery) in forgeries.enumerated() {
            tell(.init("forger", forgery.what))
            let copy = tools.folder + "/forged-\(number + 1)"
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            try forgery.forge(copy, earlier)
            findings.append(Self.finding(forgery.what, try await PromiseLedger.verify(copy), tell))
        }
        findings += try await rewritten(folder, entries, receipts, tell)
        return findings
    }

    /// Replaces all entries by a consistent chain, and tests whether the agent's receipts contradict it.
    private func rewritten(
        _ folder: String, _ entries: [LedgerEntry], _ receipts: [Checkpoint], _ tell: DemoPromise.StepReporter
    ) async throws -> [DemoPromise.Finding] {
        let what = "every entry is rewritten, with matching hashes"
        tell(.init("forger", what))
        let id = try await LedgerReader(path: PromiseLedger.database(folder)).state().ledger
        let forged = rewrite(entries, id)
        let alone = Self.chain(forged, id, [])
        tell(.init("verify", "by itself: " + (alone.lines.first ?? "")))
        return [Self.finding(what, Self.chain(forged, id, receipts), tell)]
    }

    private func live(
        _ credentials: [[UInt8]], on day: UInt64, in folder: String, _ tell: DemoPromise.StepReporter
    ) async throws {
        let ledger = try await PromiseLedger(in: folder, version: tools.version)
        // Give each day a seed of its own, so that visits of different days have different ids.
        let gate = try PromiseGate(
            seed: tools.seed &+ day, ledger: ledger, date: { WallTime(utc: Samples.validDate, provenance: .given) })
        let seen = await gate.play(credentials.map { Samples.record($0) })
        await ledger.close()
        tell(.init("gate", "day \(day): records \(seen.reasons.count) visits, and opens \(seen.openings) times"))
    }

    private static func finding(
        _ what: String, _ report: ChainReport, _ tell: DemoPromise.StepReporter
    ) -> DemoPromise.Finding {
        let found = report.findings.first?.text ?? "nothing was detected"
        tell(.init("verify", report.isIntact ? "intact" : "NOT INTACT: " + found))
        return .init("detected: " + what, found, isKept: !report.isIntact)
    }

    private static func chain(_ entries: [LedgerEntry], _ id: Text, _ checkpoints: [Checkpoint]) -> ChainReport {
        var verifier = ChainVerifier(ledger: id, start: .genesis(ledger: id), checkpoints: checkpoints)
        for entry in entries { verifier.add(entry) }
        return verifier.finish()
    }

    /// Returns the entries with another length of the pulse and with matching hashes. An attacker who has read the
    /// program can make this forgery.
    package static let rewritten: Rewriting = { entries, ledger in
        var hash = ChainHash.genesis(ledger: ledger)
        return entries.map { entry in
            let text = String(decoding: entry.body, as: UTF8.self)
            let body = Array(text.replacing("\"pulseMs\":200", with: "\"pulseMs\":900").utf8)
            hash = hash.next(position: entry.position, body: body)
            return LedgerEntry(position: entry.position, hash: hash, body: body)
        }
    }

    /// Replaces every occurrence of a text in a file by a text of the same length. A database also contains copies of
    /// data that it has moved, so one occurrence is not enough. Throws if there is no occurrence, because the test
    /// would then forge nothing.
    private static func change(_ path: String, _ text: String, _ other: String) throws {
        let file = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: file)
        guard text.utf8.count == other.utf8.count, bytes.range(of: Data(text.utf8)) != nil else {
            throw CocoaError(.fileReadCorruptFile)
        }
        while let range = bytes.range(of: Data(text.utf8)) { bytes.replaceSubrange(range, with: Data(other.utf8)) }
        try bytes.write(to: file)
    }
}
