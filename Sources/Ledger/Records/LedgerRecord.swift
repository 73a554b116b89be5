package import Encoding

/// The intent: a visit may soon have an effect. It is written before any light, status byte or gate pulse. An
/// intent that no phone used is used for the next phone. The visit that used up the intent is the visit whose
/// outcome names the intent's position.
package struct IntentRecord: Hashable, Sendable {
    /// The number of the visit for which the intent will be used; see ``OutcomeRecord/seq``.
    package var seq: Int
    /// The intent's own UUID, lower case, in the member `visit`; in records of earlier versions the UUID of
    /// its visit.
    package var intent: Text
    /// The place and time of the record.
    package var stamp: RecordStamp
}

/// The outcome: a visit has ended. The report is made from this record: ``Report``.
package struct OutcomeRecord: Hashable, Sendable {
    /// The visit's number. Each ledger has one series of numbers without gaps, which begins with 1 and
    /// continues across restarts.
    ///
    /// A visit takes its number with its *first* record, so intent and outcome share it. Every intent gets
    /// exactly one outcome (``Recovery`` writes the missing ones), so the reports have no gaps either. A
    /// number that a receiver lacks belongs to a visit that is still open, to a report that is being
    /// delivered, or to a report counted in `dropped`.
    package var seq: Int
    /// The UUID of the visit in lower case. It is also the id of the visit's report.
    package var visit: Text
    /// The position of the intent that the visit used up; nil if the visit had no intent (the visit failed
    /// before the intent was written, or the ledger failed). Only this position connects the two records,
    /// because each has its own id.
    package var intent: Int?
    /// The place and time of the record.
    package var stamp: RecordStamp
    /// The result of the visit.
    package var outcome: Outcome
    /// The number of reports given up since the previous outcome, because the ledger had no room left for
    /// unconfirmed entries.
    package var dropped: Int
}

/// The content of a ledger entry.
package enum LedgerRecord: Hashable, Sendable {
    /// The record says that a visit has begun.
    case intent(IntentRecord)
    /// The record says that a visit has ended.
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

    /// Parses a record. Throws if the bytes are no record, or if they are not exactly in the form of
    /// ``bytes``.
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
