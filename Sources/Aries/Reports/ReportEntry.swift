package import Encoding

/// One entry of the ledger on its way to a destination.
package struct ReportEntry: Hashable, Sendable {
    /// The position of the entry in the ledger, from 1.
    package let position: Int
    /// The hash of the entry, ``ReportPoint/hashBytes`` bytes.
    package let hash: [UInt8]
    /// The record's bytes, which the hash covers: compact JSON.
    package let body: [UInt8]
    /// The report for a controller that does not know entries, with `id` and `time`. Nil for an entry that is
    /// no report (an intent), and for all entries if no reports were requested. JSON's own `null` counts as
    /// no report.
    package let report: JSON?

    /// Creates an entry from the values of its properties. A `report` that is no JSON object counts as nil.
    package init(position: Int, hash: [UInt8], body: [UInt8], report: JSON?) {
        (self.position, self.hash, self.body) = (position, hash, body)
        self.report = report?.object == nil ? nil : report
    }

    /// The entry in a `records` message. The body is sent as text inside a string: agents parse and write
    /// JSON on the way, and only a string keeps its bytes.
    var json: JSON {
        [
            "position": .int(position), "hash": .text(Hex.encode(hash)),
            "body": .text(String(decoding: body, as: UTF8.self)),
        ]
    }

    /// Reads ``json``; `report` is nil.
    init(_ json: JSON) throws(ReportError) {
        position = try ReportPoint.position(json["position"])
        hash = try ReportPoint.hash(json["hash"])
        guard let body = json["body"]?.string, !body.isEmpty else { throw .malformed(member: "body") }
        self.body = Array(body.utf8)
        report = nil
    }

    /// The id of the report, which is also the id of the visit. Nil if the entry has no report.
    var reportID: Text? { report?["id"]?.string }
}
