import ArgumentParser
import Console
import Encoding
import Foundation
import Glibc
import Ledger
import Store

extension LedgerCommand {
    struct Head: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the ledger's head. A copy elsewhere proves later that nothing was truncated.")
        @OptionGroup var input: Input
        @Flag(help: "The signed statement of the witness as one JSON object, the input of `verify --head`.")
        var json = false

        func run() async throws {
            guard case .read(let signed, _)? = try await input.proof()?.witness else {
                return try await withoutWitness()
            }
            if json { return Terminal.json(signed.json) }
            let state = signed.head.state
            Terminal.line("\(signed.head.checkpoint.text)")
            Terminal.line("ledger \(Terminal.printable(state.ledger.string)), next visit \(state.end.nextSeq)")
            Terminal.line("statement \(signed.head.number) of the witness, signed by \(Hex.encode(signed.key))")
            if let finding = signed.head.finding {
                Terminal.line("the running service found: \(Terminal.printable(finding.string))")
            }
        }

        /// Prints the head that is stored in the database itself. No witness confirms this head.
        private func withoutWitness() async throws {
            let state = try await input.reading { try await $0.state() }
            let head = Checkpoint(ledger: state.ledger, count: state.end.count, hash: state.end.hash)
            if json {
                let object: JSON = ["ledger": .string(state.ledger), "end": state.end.json, "witness": .null]
                return Terminal.json(object)
            }
            Terminal.line("\(head.text)")
            Terminal.line("ledger \(Terminal.printable(state.ledger.string)), next visit \(state.end.nextSeq)")
            Terminal.line("no witness: this is only the database's own statement")
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Proves that no entry was removed, changed, inserted or moved.",
            discussion:
                "Exit code: 0 when the chain is intact and continues its witness and every head given, 1 when not.")
        @OptionGroup var input: Input
        @Option(
            help: ArgumentHelp(
                "A head that was stored elsewhere: N:HASH, or a file with a signed statement.", valueName: "head"))
        var head: [String] = []
        @Option(help: ArgumentHelp("Verify an exported part, without a database.", valueName: "file"))
        var export: String?
        @Option(
            help: ArgumentHelp(
                "The public key that must have signed heads and export, 64 hex digits.", valueName: "hex"))
        var key: String?
        @Flag(help: "A JSON object, for machines.")
        var json = false

        func run() async throws {
            let key = try self.key.map { text in
                guard let key = Hex.decode(text), key.count == 32 else {
                    throw CommandFailure("--key takes 64 hex digits", remedy: "`gatehouse ledger head` shows the key")
                }
                return key
            }
            var report: ChainReport
            if let export {
                report = try Self.prove(export, key)
            } else {
                let (checkpoints, proof) = (try head.map { try Self.checkpoint($0, key) }, try await input.proof())
                report = try await input.reading { try await $0.verify(checkpoints: checkpoints, proof: proof) }
            }
            if json {
                Terminal.json(report.json)
            } else {
                for line in report.lines { Terminal.line(line) }
            }
            if !report.isIntact { throw ExitCode(1) }
        }

        /// Returns the checkpoint in a text of the form `N:HASH`, or in the file with a signed head at that path.
        /// Throws if the file was signed with a key other than `key`.
        private static func checkpoint(_ text: String, _ key: [UInt8]?) throws -> Checkpoint {
            if let checkpoint = Checkpoint(Text(text)) { return checkpoint }
            let bytes = try InputFile.bytes(text, limit: 64 * 1024)
            let signed: SignedHead
            do throws(RecordError) {
                signed = try SignedHead(bytes: bytes)
            } catch {
                throw CommandFailure(
                    error.member == "signature"
                        ? "\(text): the signature is wrong" : "\(text) is not a head (member \"\(error.member)\")",
                    remedy: "give N:HASH, or a file from `gatehouse ledger head --json`")
            }
            if let key, signed.key != key {
                throw CommandFailure(
                    "\(text) was signed with another key, \(Hex.encode(signed.key))",
                    remedy: "find out where it "
                        + "comes from")
            }
            return signed.head.checkpoint
        }

        /// Verifies an exported part of the ledger. Reads the file line by line, because it may be as long as the
        /// ledger.
        private static func prove(_ path: String, _ key: [UInt8]?) throws -> ChainReport {
            guard let file = fopen(path, "re") else {
                throw CommandFailure(
                    "cannot read \(path): \(String(cString: strerror(errno)))",
                    remedy: "check the path and its permissions")
            }
            defer { fclose(file) }
            var (buffer, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            defer { free(buffer) }
            var verifier = ExportVerifier()
            var number = 0
            do throws(RecordError) {
                while true {
                    let count = getline(&buffer, &capacity, file)
                    guard count > 0, let buffer else { break }
                    number += 1
                    let line = UnsafeRawBufferPointer(start: buffer, count: count)
                    try verifier.add(line: Array(line.last == 0x0A ? line.dropLast() : line[...]))
                }
                var result = try verifier.finish()
                result.report.witness = result.signer.map { "signed by \(Hex.encode($0))" } ?? "not signed"
                if let key, result.signer != key {
                    result.report.findings.append(.witness("the export was not signed with the key that was given"))
                }
                return result.report
            } catch {
                throw CommandFailure(
                    error.member == "signature"
                        ? "\(path): the signature is wrong"
                        : error.member == "end"
                            ? "\(path): the last line is missing or belongs to another export"
                            : "\(path):\(number): this is not a line of an export (member \"\(error.member)\")",
                    remedy: "export again: gatehouse ledger export; keep this file if you received it from another "
                        + "person",
                    exitCode: 1)
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes a part of the ledger with its proof as JSON lines.",
            discussion:
                """
                `ledger verify --export` verifies it without the database. Exit code: 0, or 1 when the ledger is not \
                intact: the export is then written, but not signed. A table proves nothing; export the JSON lines as \
                well.
                """)
        @OptionGroup var input: Input
        @Option(
            help: ArgumentHelp("The first entry, or the first day or time (2026-01-31, RFC 3339).", valueName: "start"))
        var from: String?
        @Option(help: ArgumentHelp("The last entry, or the last day or time.", valueName: "end"))
        var to: String?
        @Flag(help: "Comma-separated values for a spreadsheet, one line an entry, without the proof.")
        var csv = false

        func run() async throws {
            let (first, last) = (
                try from.map { try Bound($0, isEnd: false) }, try to.map { try Bound($0, isEnd: true) }
            )
            let proof = try await input.proof()
            let isIntact = try await input.reading { reader in
                // Verify the whole ledger before signing the export. A signature would make a part of a forged ledger
                // look genuine.
                let whole = try await reader.verify(proof: proof)
                if csv {
                    try await Self.writeTable(reader, first, last)
                } else {
                    try await Self.write(reader, first, last, proof, isIntact: whole.isIntact)
                }
                return whole.isIntact
            }
            guard isIntact else {
                throw CommandFailure(
                    csv ? "the ledger is not intact" : "the ledger is not intact; the export is not signed",
                    remedy: "gatehouse ledger verify", exitCode: 1
                )
            }
            if proof?.key == nil, !csv {
                Terminal.error(
                    "the export is not signed: there is no key for it",
                    remedy: "run it as the user with permission to read `ledger.witnessKey`, without --database")
            }
        }

        private static func write(
            _ reader: LedgerReader, _ first: Bound?, _ last: Bound?, _ proof: Proof?, isIntact: Bool
        ) async throws {
            let state = try await reader.state()
            let (from, to) = try await positions(reader, first, last, state)
            var verifier = ChainVerifier(ledger: state.ledger, start: state.start)
            var (start, position) = (state.start, state.start.count)
            while position < to {
                let page = try await reader.entries(after: position, limit: 1000)
                if page.isEmpty { break }
                for entry in page where entry.position <= to {
                    if entry.position == from {
                        start = verifier.end
                        Terminal.json(LedgerExport.first(ledger: state.ledger, start: start))
                    }
                    verifier.add(entry)
                    if entry.position >= from { Terminal.json(LedgerExport.line(entry)) }
                }
                position = page.last?.position ?? to
            }
            if from > to { Terminal.json(LedgerExport.first(ledger: state.ledger, start: verifier.end)) }
            if from > to { start = verifier.end }
            let signed: SignedHead? = if case .read(let signed, _)? = proof?.witness { signed } else { nil }
            let end = LedgerExport.last(
                ledger: state.ledger, start: start, end: verifier.end, head: signed, key: isIntact ? proof?.key : nil)
            Terminal.json(end)
        }

        private static func writeTable(_ reader: LedgerReader, _ first: Bound?, _ last: Bound?) async throws {
            let state = try await reader.state()
            let (from, to) = try await positions(reader, first, last, state)
            Terminal.data(LedgerTable.header + "\r\n")
            var position = from <= to ? from - 1 : to
            while position < to {
                let page = try await reader.entries(after: position, limit: 1000)
                for entry in page where entry.position <= to { Terminal.data(LedgerTable.line(entry) + "\r\n") }
                position = page.last?.position ?? to
            }
        }

        /// Returns the positions of the first and the last entry within the bounds. If no entry is within the bounds,
        /// `from` is greater than `to`.
        private static func positions(
            _ reader: LedgerReader, _ first: Bound?, _ last: Bound?, _ state: LedgerState
        ) async throws -> (from: Int, to: Int) {
            var (from, to) = (Int.max, state.start.count)
            var position = state.start.count
            while true {
                let page = try await reader.entries(after: position, limit: 1000)
                guard let end = page.last else { break }
                for entry in page {
                    let time = (try? LedgerRecord(bytes: entry.body))?.stamp.time.utc
                    guard first?.admits(entry.position, time) != false, last?.admits(entry.position, time) != false
                    else { continue }
                    (from, to) = (min(from, entry.position), entry.position)
                }
                position = end.position
            }
            return (from, to)
        }
    }
}

/// The lower or upper bound of an export: a position, a first time (`time`) or a time that is no longer included
/// (`until`).
private enum Bound {
    case position(ClosedRange<Int>)
    case time(PartialRangeFrom<Timestamp>)
    case until(PartialRangeUpTo<Timestamp>)

    init(_ text: String, isEnd: Bool) throws {
        if let position = Int(text), position >= 0 {
            self = .position(isEnd ? 0...position : position...Int.max)
        } else if let day = Timestamp(rfc3339: text + "T00:00:00Z") {
            self = isEnd ? .until(..<day.advanced(by: .seconds(86_400))) : .time(day...)
        } else if let time = Timestamp(rfc3339: text) {
            self = isEnd ? .until(..<time) : .time(time...)
        } else {
            throw CommandFailure(
                "\"\(text)\" is neither an entry nor a date",
                remedy: "write for example 120, 2026-01-31 or 2026-01-31T08:00:00Z")
        }
    }

    /// Returns whether the entry at a position, with the time of its record, is within the bound. The time is nil for a
    /// record that cannot be read: such an entry is within every bound of time.
    func admits(_ position: Int, _ time: Timestamp?) -> Bool {
        switch self {
        case .position(let range): range.contains(position)
        case .time(let range): time.map(range.contains) ?? true
        case .until(let range): time.map(range.contains) ?? true
        }
    }
}
