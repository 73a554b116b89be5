import ArgumentParser
import Console
import Encoding
import Foundation
import GateService
import Ledger
import Reasons
import Settings
import Store

/// The command `gatehouse ledger`: lists visits, and verifies the chain of the ledger.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Lists visits and proves that no visit was removed or changed.",
        discussion: "May be used while the service runs.",
        subcommands: [List.self, Head.self, Verify.self, Export.self])

    /// The options that name the ledger to read.
    struct Input: ParsableArguments {
        @OptionGroup var configuration: ConfigurationInput
        @Option(
            help: ArgumentHelp(
                "The database, in place of the one in the configuration.", valueName: "file"))
        var database: String?

        func reading<Result>(_ body: (LedgerReader) async throws -> Result) async throws -> Result {
            try await failing {
                if let database { CommandRole.take(for: database) }
                if let database { return try await body(try LedgerReader(path: database)) }
                let ledger = try configuration.load().ledger
                let witness = ledger.witness(ProcessInfo.processInfo.environment)
                if let doubt = witness.contradiction(toAbsent: ledger.path) { throw doubt }
                return try await body(try LedgerReader(path: ledger.path))
            }
        }

        /// Returns the witness of the configured ledger, and the key that signs it; nil if `--database` names the
        /// database. A key that this user may not read counts as missing.
        func proof() async throws -> Proof? {
            guard database == nil else { return nil }
            let source = try configuration.load().ledger.witness(ProcessInfo.processInfo.environment)
            let key = try? source.key()
            return Proof(key: key, witness: source.reading(key))
        }

        /// Runs `body`. Converts an error of the database to a ``CommandFailure`` with a remedy.
        func failing<Result>(_ body: () async throws -> Result) async throws -> Result {
            do {
                return try await body()
            } catch let error as StoreError {
                throw CommandFailure(error.text, remedy: error.remedy)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the last visits, newest first.")
        @OptionGroup var input: Input
        @Option(help: ArgumentHelp("The number of visits.", valueName: "number"))
        var last = 20
        @Flag(help: "One JSON object per line, for machines.")
        var json = false

        func run() async throws {
            guard last > 0 else { throw CommandFailure("--last takes a positive number") }
            let visits = try await input.reading { try await $0.visits(last: last) }
            if visits.isEmpty, !json { return Terminal.line("no visit recorded yet") }
            if !json { Terminal.line(Terminal.styled(LedgerListing.header, .bold)) }
            for visit in visits {
                let remedy = Self.remedy(of: visit.record)
                if json {
                    Terminal.json(text: LedgerListing.json(visit, remedy: remedy))
                } else {
                    for line in LedgerListing.lines(visit) { Terminal.line(line) }
                    for line in remedy.map({ Terminal.folded("  → " + $0, hanging: 4) }) ?? [] {
                        Terminal.line(Terminal.styled(line, .dim))
                    }
                }
            }
        }

        /// Returns the remedy for the visit of a record; nil for an accepted visit, for an intent, and if this version
        /// does not know the reason code. The record is nil if the stored entry cannot be read.
        private static func remedy(of record: LedgerRecord?) -> String? {
            guard let record else { return "keep the database as evidence: gatehouse ledger verify" }
            guard case .outcome(let outcome) = record, outcome.outcome.result != .accepted else { return nil }
            return ReasonCode.telling(outcome.outcome.reasons.map(\.code))?.remedy
        }
    }
}
