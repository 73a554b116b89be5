package import Encoding

/// The intent: a visit may soon have an effect. The intent is written before any light, status byte or gate pulse. An
/// unused intent is used for the next phone. The outcome that names the intent's position determines the visit of the
/// intent.
package struct IntentRecord: Hashable, Sendable {
    /// The number of the visit that will use the intent (``OutcomeRecord/seq``).
    package var seq: Int
    /// The UUID of the intent in lower case, in the member `visit`. In records of earlier versions, the UUID of the
    /// visit.
    package var intent: Text
    /// The place and time of the record.
    package var stamp: RecordStamp
}

/// The outcome: a visit has ended. ``Report`` is made from this record.
package struct OutcomeRecord: Hashable, Sendable {
    /// The number of the visit. Each ledger has one series of numbers without gaps, which begins with 1 and continues
    /// across restarts.
    ///
    /// A visit takes its number with its *first* record, so its intent and its outcome have the same number. Every
    /// intent gets exactly one outcome (``Recovery`` writes missing outcomes), so the reports have no gaps either. A
    /// number that a receiver lacks belongs to an open visit, to a report that is being delivered, or to a report
    /// counted in `dropped`.
    package var seq: Int
    /// The UUID of the visit in lower case, which is also the id of the visit's report.
    package var visit: Text
    /// The position of the visit's intent; nil for a visit without an intent (the visit failed before the intent was
    /// written, or the ledger failed). Only this position connects the two records, because each has an id of its own.
    package var intent: Int?
    /// The place and time of the record.
    package var stamp: RecordStamp
    /// The result of the visit.
    package var outcome: Outcome
    /// The number of reports lost since the previous outcome for lack of room for unconfirmed entries.
    package var dropped: Int
}

/// The content of a ledger entry.
package enum LedgerRecord: Hashable, Sendable {
    /// A visit has begun.
    case intent(IntentRecord)
    /// A visit has ended.
    case outcome(OutcomeRecord)

    /// The version of the record format, member `v`.
    static let version = 1

    /// The UUID: the visit's, or the intent's own.
    package var visit: Text {
        switch self {
        case .intent(let record): record.intent
        case .outcome(let record): record.visit
        }
    }

    /// The number of the visit.
    package var seq: Int {
        switch self {
        case .intent(let record): record.seq
        case .outcome(let record): record.seq
        }
    }

    /// The place and time of the record.
    package var stamp: RecordStamp {
        switch self {
        case .intent(let record): record.stamp
        case .outcome(let record): record.stamp
        }
    }

    /// The bytes of the record: compact JSON with members in fixed order. These bytes are hashed, stored and exported.
    package var bytes: [UInt8] {
        var members = [JSONObject.Member("v", .int(Self.version))]
        switch self {
        case .intent(let record):
            members += [
                .init("kind", "intent"), .init("seq", .int(record.seq)), .init("visit", .string(record.intent)),
            ]
            members += record.stamp.members
        case .outcome(let record):
            members += [
                .init("kind", "outcome"), .init("seq", .int(record.seq)), .init("visit", .string(record.visit)),
            ]
            if let intent = record.intent { members.append(.init("intent", .int(intent))) }
            members += record.stamp.members
            members += record.outcome.members
            members.append(.init("dropped", .int(record.dropped)))
        }
        return JSON.object(JSONObject(members)).compactBytes
    }

    /// Parses a record. Throws if the bytes are not a record in exactly the form of ``bytes``.
    package init(bytes: [UInt8]) throws(RecordError) {
        guard let json = try? JSON.parse(bytes) else { throw RecordError(member: "") }
        let fields = try RecordFields(json)
        guard try fields.int("v") == Self.version else { throw RecordError(member: "v") }
        let (seq, visit) = (try fields.figure("seq"), try fields.text("visit"))
        switch try fields.text("kind") {
        case "intent": self = .intent(IntentRecord(seq: seq, intent: visit, stamp: try RecordStamp(fields)))
        case "outcome":
            self = .outcome(
                OutcomeRecord(
                    seq: seq, visit: visit, intent: try fields.figureIfPresent("intent"),
                    stamp: try RecordStamp(fields),
                    outcome: try Outcome(fields), dropped: try fields.figure("dropped")))
        default: throw RecordError(member: "kind")
        }
        // Each record has exactly one encoding. Other bytes with the same meaning are rejected.
        guard self.bytes == bytes else { throw RecordError(member: "") }
    }
}
