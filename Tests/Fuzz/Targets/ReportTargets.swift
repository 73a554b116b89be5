import Aries
import Encoding

extension FuzzTarget {
    /// Messages of verification-report/1.0: records as a keeper receives them, receipts and heads as a gate
    /// receives them.
    static let report = FuzzTarget(
        name: "report", longest: 4096,
        seeds: { ReportSamples.messages },
        check: { bytes in
            guard let message = try? Message(plaintext: bytes) else { return }
            if let records = try? ReportRecords(message.body) {
                require((1...ReportRecords.entriesLimit).contains(records.entries.count), "at most 256 entries")
                require(records.entries.reduce(0) { $0 + $1.body.count } <= ReportRecords.bytesLimit, "256 KiB")
                for (number, entry) in records.entries.enumerated() {
                    require(entry.position == (records.entries[0].position + number), "one behind the other")
                    require(entry.hash.count == ReportPoint.hashBytes && !entry.body.isEmpty, "whole entries")
                }
                let written = ReportSamples.json(records)
                require((try? ReportRecords(written)) == records, "written records read as the same")
            }
            guard let answer = try? VerificationReport.answer(message) else { return }
            switch answer {
            case .receipt(let point, let head), .head(let point, let head):
                for point in [point, head].compactMap(\.self) {
                    require((0...ReportPoint.positionLimit).contains(point.position), "positions are bounded")
                    require((1...ReportPoint.ledgerBytes).contains(point.ledger.utf8.count), "ledgers are bounded")
                    let length = point.signature?.count ?? ReportPoint.signatureBytes
                    require(length == ReportPoint.signatureBytes, "signatures have their length")
                }
            }
            let again = VerificationReport.message(answer, .didcomm, id: "i", thread: "t")
            let read = (try? Message(plaintext: again.compactBytes)).flatMap { try? VerificationReport.answer($0) }
            require(read == answer, "a written answer reads as the same")
        })

    /// A delivery with arbitrary events of its driver and its peer, two bytes for each event.
    static let delivery = FuzzTarget(
        name: "delivery", longest: 512,
        seeds: {
            [
                [0, 0, 1, 40, 3, 0, 9, 0, 3, 0, 2, 0], [0, 1, 1, 200, 2, 0, 3, 0, 6, 0, 7, 0, 10, 255],
                [0, 2, 1, 9, 2, 0, 4, 3, 4, 3, 6, 0, 7, 0, 8, 9, 10, 60, 11, 1],
            ]
        },
        check: { bytes in
            var script = ReportScript(way: Int(bytes.count > 1 ? bytes[1] : 0))
            for index in stride(from: 0, to: bytes.count - 1, by: 2) {
                script.step(bytes[index], Int(bytes[index + 1]))
            }
        })
}

/// Carries out the actions of a delivery only when the input says so.
private struct ReportScript {
    private var delivery: ReportDelivery
    private var now = Instant.zero
    private var end = 0
    private var cursor = 0
    private var lastSent: OutboundMessage?
    private var lastRead: (after: Int, entries: Int)?
    private var pings = 0

    init(way: Int) {
        let ways = [
            ReportSettings(), ReportSettings(format: .basicmessage), ReportSettings(format: .several),
            ReportSettings(format: .basicmessage, confirm: .controller), ReportSettings(format: .records),
        ]
        delivery = ReportDelivery(ways[way % ways.count], end: ReportSamples.point(0), confirmed: 0)
    }

    mutating func step(_ kind: UInt8, _ value: Int) {
        switch kind % 14 {
        case 0: feed(.connected)
        case 1:
            end += value
            feed(.available(end: ReportSamples.point(end), isUrgent: value % 2 == 1))
        case 2:
            guard let read = lastRead else { return feed(.entries([])) }
            lastRead = nil
            let last = min(read.after + min(read.entries, value + 1), end)
            feed(.entries(read.after < last ? (read.after + 1...last).map(ReportSamples.entry) : []))
        case 3: feed(.sent(lastSent?.id ?? ""))
        case 4: feed(.failed(lastSent?.id ?? "", value % 2 == 0 ? .refused(status: 413) : .uncertain))
        case 5: feed(.disclosed(value % 2 == 0 ? [VerificationReport.name] : []))
        case 6: feed(.pinged("p\(pings)"))
        case 7: feed(.pong("p\(max(0, pings - value))"))
        case 8: feed(.acknowledged((0...value).map { Text("r\($0)") }))
        case 9: feed(.receipt(ReportSamples.point(value < 128 ? end : value)))
        case 10:
            now = now.advanced(by: .seconds(value))
            feed(.deadlineReached)
        case 11:
            let signed = value % 3 == 0 ? ReportSamples.point(value / 2) : nil
            feed(.head(ReportSamples.point(value), signed: signed))
        case 12: feed(.hash(value % 2 == 0 ? nil : ReportSamples.point(value).hash, at: value))
        default:
            let codes: [Text] = ["records-not-stored", "records-refused", "message-parse-failure", "x"]
            feed(.problem(code: codes[value % codes.count], thread: lastSent?.id ?? ""))
        }
    }

    private mutating func feed(_ event: ReportDelivery.Event) {
        let actions = delivery.handle(event, at: now)
        require(actions.count <= 512, "so many actions")
        for action in actions {
            switch action {
            case .send(let message): lastSent = message
            case .read(let after, let entries, _, _):
                require(entries > 0 && after >= 0, "something is read")
                lastRead = (after, entries)
            case .ping: pings += 1
            case .confirmed(let point, _):
                require(point.position > cursor && point.position <= end, "the cursor moves on, inside the ledger")
                cursor = point.position
            default: break
            }
        }
        require(delivery.deadline.map { $0 > now } ?? true, "what is due is done")
    }
}

/// A ledger whose entries are functions of their positions.
private enum ReportSamples {
    static func point(_ position: Int) -> ReportPoint {
        ReportPoint(
            ledger: "l", position: position, hash: [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: 32))
    }

    static func entry(_ position: Int) -> ReportEntry {
        ReportEntry(
            position: position, hash: point(position).hash, body: Array("{}".utf8),
            report: position % 3 == 1 ? nil : ["id": .text("r\(position)"), "time": "2026-01-01T00:00:00Z"])
    }

    static func json(_ records: ReportRecords) -> JSON {
        var head: JSONObject = ["position": .int(records.head.position), "hash": .text(Hex.encode(records.head.hash))]
        head["signature"] = records.head.signature.map { .text(Hex.encode($0)) }
        return [
            "ledger": .string(records.ledger),
            "entries": .array(
                records.entries.map {
                    [
                        "position": .int($0.position), "hash": .text(Hex.encode($0.hash)),
                        "body": .text(String(decoding: $0.body, as: UTF8.self)),
                    ]
                }),
            "head": .object(head),
        ]
    }

    static let messages: [[UInt8]] = {
        var records = json(ReportRecords((1...3).map(entry), head: point(4))).object ?? [:]
        records["@type"] = "https://didcomm.org/verification-report/1.0/records"
        records["@id"] = "r"
        return [
            JSON.object(records), VerificationReport.message(.receipt(point(3)), .didcomm, id: "a", thread: "r"),
            VerificationReport.message(.head(point(0)), .legacy, id: "b", thread: "q"),
        ].map(\.compactBytes)
    }()
}
