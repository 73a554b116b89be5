package import Encoding

/// The intent: a visit may soon have an effect. It is written before any light, status byte or gate pulse. An
/// intent that no phone used serves the next one: the visit that used it up is the one whose outcome names
/// its position.
package struct IntentRecord: Hashable, Sendable {
    /// The number of the visit that it will serve; see ``OutcomeRecord/seq``.
    package var seq: Int
    /// The intent's own UUID, lower case, in the member `visit`; in records of earlier versions the UUID of
    /// its visit.
    package var intent: Text
    /// The place and time.
    package var stamp: RecordStamp
}

/// The outcome: a visit has ended. The report is made from this record: ``Report``.
package struct OutcomeRecord: Hashable, Sendable {
    /// The visit's number: one series without gaps for each ledger, from 1, that continues across restarts.
    ///
    /// A visit takes its number with its *first* record, so intent and outcome share it. Every intent gets
    /// exactly one outcome (``Recovery`` writes the missing ones), so the reports have no gaps either. A
    /// number that a receiver lacks is a visit that is still open, a report being delivered, or one counted
    /// in `dropped`.
    package var seq: Int
    /// The visit's UUID, lower case; also the id of its report.
    package var visit: Text
    /// The position of the intent that the visit used up; nil when none existed (the visit failed before it
    /// was written, or the ledger failed). Only this position connects the two records: each has an id of its
    /// own.
    package var intent: Int?
    /// The place and time.
    package var stamp: RecordStamp
    /// The visit's result.
    package var outcome: Outcome
    /// The number of reports given up since the previous outcome, because the ledger had no room left for
    /// unconfirmed entries.
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

    /// The visit's number.
    package var seq: Int {
        switch self {
        case .intent(let record): record.seq
        case .outcome(let record): record.seq
        }
    }

    /// The place and time.
    package var stamp: RecordStamp {
        switch self {
        case .intent(let record): record.stamp
        case .outcome(let record): record.stamp
        }
    }

    /// The record's bytes: compact JSON, members in fixed order. These bytes are hashed, stored and exported.
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

    /// Parses a record. Throws when it is not one, or when it is not written exactly as ``bytes`` writes it.
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
        // Each record has exactly one encoding; other bytes that parse to the same record are rejected.
        guard self.bytes == bytes else { throw RecordError(member: "") }
    }
}
