package import Encoding

/// A visit may soon have an effect: written before any light, status byte or gate pulse. One that served no phone
/// serves the next: the visit that used it up is the one whose outcome names its position.
package struct IntentRecord: Hashable, Sendable {
    /// The number of the visit that it will serve; see ``OutcomeRecord/seq``.
    package var seq: Int
    /// The intent's own UUID, lower case, in the member `visit`; in records of earlier versions that of its visit.
    package var intent: Text
    /// Where and when.
    package var stamp: RecordStamp
}

/// A visit has ended. The record is also the report: ``Report``.
package struct OutcomeRecord: Hashable, Sendable {
    /// The visit's number: one gap-free series for each ledger, begun at 1, that survives restarts.
    ///
    /// A visit takes its number with its *first* record, so intent and outcome share it, and since every intent gets
    /// exactly one outcome (``Recovery`` writes the missing ones) the reports are gap-free too: a number that a
    /// receiver lacks is a visit still open, a report under way, or one counted in `dropped`.
    package var seq: Int
    /// The visit's UUID, lower case; also the id of its report.
    package var visit: Text
    /// Position of the intent that the visit used up; nil when there was none (the visit failed before, or the ledger
    /// did). It alone ties them together: each has an id of its own.
    package var intent: Int?
    /// Where and when.
    package var stamp: RecordStamp
    /// How it ended.
    package var outcome: Outcome
    /// Reports given up since the outcome before this one, because the ledger had no more room for what was not confirmed.
    package var dropped: Int
}

/// What an entry of the ledger says.
package enum LedgerRecord: Hashable, Sendable {
    /// A visit has begun.
    case intent(IntentRecord)
    /// A visit has ended.
    case outcome(OutcomeRecord)

    /// The version of the record format, member `v`.
    static let version = 1

    /// The UUID: the visit's, or an intent's own.
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

    /// Where and when.
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

    /// Reads a record back. Throws when it is not one, or is not written exactly as ``bytes`` writes it.
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
        // One record, one text: what reads alike but is written otherwise is not ours.
        guard self.bytes == bytes else { throw RecordError(member: "") }
    }
}
