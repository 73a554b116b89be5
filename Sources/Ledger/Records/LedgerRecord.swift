package import Encoding

/// The record of an intent: a visit may soon have an effect. It is written before any light, status byte or pulse of
/// the gate. An intent that the visit did not need is used for the next phone, so only the outcome, which contains the
/// intent's position, shows the visit to which the intent belongs.
package struct IntentRecord: Hashable, Sendable {
    /// The number of the visit to which the intent will belong (``OutcomeRecord/seq``).
    package var seq: Int
    /// The UUID of the intent in lower case, in the member `visit`. In records of earlier versions it is the UUID of
    /// the visit.
    package var intent: Text
    /// The gate, the boot and the time of the record.
    package var stamp: RecordStamp
}

/// The record of an outcome: a visit has ended. ``Report`` is made from it.
package struct OutcomeRecord: Hashable, Sendable {
    /// The number of the visit. The numbers of a ledger begin with 1, have no gaps, and continue after a restart.
    ///
    /// A visit gets its number with its *first* record, so its intent and its outcome have the same number. Every
    /// intent gets exactly one outcome (``Recovery`` writes missing ones), so the reports have no gaps either. If a
    /// receiver of reports lacks a number, the visit is open, its report is being delivered, or its report is counted
    /// in `dropped`.
    package var seq: Int
    /// The UUID of the visit in lower case, which is also the id of its report.
    package var visit: Text
    /// The position of the visit's intent; nil for a visit without an intent, which failed before the intent was
    /// written or for which the ledger failed. Only this position connects the two records, because each has its own
    /// id.
    package var intent: Int?
    /// The gate, the boot and the time of the record.
    package var stamp: RecordStamp
    /// The result of the visit.
    package var outcome: Outcome
    /// The number of reports that were lost since the outcome before, because there was no room for unconfirmed
    /// entries.
    package var dropped: Int
}

/// The record in an entry of the ledger.
package enum LedgerRecord: Hashable, Sendable {
    /// A visit has begun.
    case intent(IntentRecord)
    /// A visit has ended.
    case outcome(OutcomeRecord)

    /// The version of the record format, which the member `v` contains.
    static let version = 1

    /// The UUID in the record: that of the visit or, for an intent, that of the intent.
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

    /// The gate, the boot and the time of the record.
    package var stamp: RecordStamp {
        switch self {
        case .intent(let record): record.stamp
        case .outcome(let record): record.stamp
        }
    }

    /// The record as compact JSON with its members in a fixed order. These bytes are hashed, stored and exported.
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

    /// Reads a record. Throws if the bytes differ in any way from those that this program writes (``bytes``).
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
        // Each record has exactly one encoding, so refuse other bytes with the same meaning.
        guard self.bytes == bytes else { throw RecordError(member: "") }
    }
}
