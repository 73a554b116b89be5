import Console
import Encoding
import Foundation
import Workbench

/// Runs a soak, the simulation of thousands of visits, and prints its results.
enum SoakReport {
    /// The number of visits per day for which the report computes the wear of the memory card.
    private static let visitsADay = 2000
    /// The number of bytes that can be written to a small, cheap card: 32 GB whose cells endure 1,000 writes.
    private static let cardBytes = 32_000_000_000 * 1000

    static func run(visits: Int, json: Bool) async throws {
        guard visits >= 100 else { throw CommandFailure("--soak takes at least 100 visits") }
        let figures: Soak.Figures
        do {
            figures = try await Soak.run(visits: visits) { played, process in
                guard !json, played % 5000 == 0 else { return }
                Terminal.error(
                    "\(played) visits, \(megabytes(process.resident)) resident, \(process.descriptors) descriptors",
                    remedy: nil)
            }
        } catch let failure as DecisionBench.Failure {
            throw CommandFailure(failure.reason, exitCode: 1)
        }
        if json { Terminal.json(value(figures)) } else { lines(figures).forEach { Terminal.line($0) } }
        if !figures.isRight { throw CommandFailure("the soak found mistakes", exitCode: 1) }
    }

    private static func lines(_ figures: Soak.Figures) -> [String] {
        let kinds = Soak.Kind.allCases.map { "\(figures.visits[$0, default: 0]) \($0.rawValue)" }
        let records = figures.records.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let seconds = figures.time.milliseconds / 1000
        let alone = figures.alone
        let each = alone.counts.bytes / max(1, alone.visits)
        let blocks = 4096 * alone.counts.blocks / max(1, alone.visits)
        let year = Double(blocks * visitsADay * 365)
        return [
            "visits            \(figures.total) (\(kinds.joined(separator: ", ")))",
            String(format: "pace              %.0f visits a second", Double(figures.total) / max(0.001, seconds)),
            "records           \(records.joined(separator: ", "))",
            "wrong results     \(figures.wrong), unanswered \(figures.unanswered), rules broken "
                + "\(figures.violations.count), ledger \(figures.findings.isEmpty ? "intact" : "not in order")",
            "resident memory   \(megabytes(figures.start.resident)) after a tenth of the visits, "
                + "\(megabytes(figures.end.resident)) at the end, in between \(megabytes(figures.resident.lowerBound)) to "
                + megabytes(figures.resident.upperBound),
            "descriptors       \(figures.start.descriptors), \(figures.end.descriptors) at the end, in between "
                + "\(figures.descriptors.lowerBound) to \(figures.descriptors.upperBound)",
            "written, crowd    \(figures.written.bytes / max(1, figures.total)) bytes a visit, "
                + "\(4096 * figures.written.blocks / max(1, figures.total)) in blocks of 4 KiB",
            "written, alone    \(each) bytes for an admitted visitor, \(blocks) in blocks of 4 KiB, "
                + String(format: "%.1f syncs", Double(alone.counts.syncs) / Double(max(1, alone.visits))),
            "growth            \(figures.growth) bytes for an admitted visitor",
            String(
                format: "at 2,000 a day    %.0f MB written a day, %.1f GB a year; database + %.2f GB a year",
                Double(blocks * visitsADay) / 1e6, year / 1e9, Double(figures.growth * visitsADay * 365) / 1e9),
            String(
                format:
                    "card              32 GB × 1,000 writes last %.0f years if the card writes each block once, %.0f if "
                    + "eight times", Double(cardBytes) / max(1, year), Double(cardBytes) / max(1, 8 * year)),
        ] + (figures.violations + figures.findings).map { "mistake           \($0)" }
    }

    private static func value(_ figures: Soak.Figures) -> JSON {
        let alone = figures.alone
        return [
            "visits": .int(figures.total), "milliseconds": .int(Int(figures.time.milliseconds)),
            "wrong": .int(figures.wrong), "unanswered": .int(figures.unanswered),
            "mistakes": .array((figures.violations + figures.findings).map { .text($0) }),
            "residentStart": .int(figures.start.resident), "residentEnd": .int(figures.end.resident),
            "residentLowest": .int(figures.resident.lowerBound), "residentHighest": .int(figures.resident.upperBound),
            "descriptorsStart": .int(figures.start.descriptors), "descriptorsEnd": .int(figures.end.descriptors),
            "bytesACrowdVisit": .int(figures.written.bytes / max(1, figures.total)),
            "bytesAlone": .int(alone.counts.bytes / max(1, alone.visits)),
            "blocksAlone": .int(alone.counts.blocks / max(1, alone.visits)), "growth": .int(figures.growth),
        ]
    }

    private static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
