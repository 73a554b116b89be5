package import Encoding

/// One entry of the ledger, as it is sent to a destination.
package struct ReportEntry: Hashable, Sendable {
    /// The position of the entry in the ledger, from 1.
    package let position: Int
    /// The hash of the entry, ``ReportPoint/hashBytes`` bytes.
    package let hash: [UInt8]
    /// The bytes of the entry, which the hash covers: compact JSON.
    package let body: [UInt8]
    /// The report as a JSON object with `id` and `time`, for controllers that do not read entries. Nil for an intent,
    /// and for every entry if no reports were requested.
    package let report: JSON?

    /// Creates an entry from the values of its properties. A `report` that is no JSON object counts as nil.
    package init(position: Int, hash: [UInt8], body: [UInt8], report: JSON?) {
        (self.position, self.hash, self.body) = (position, hash, body)
        self.report = report?.object == nil ? nil : report
    }

    /// The entry in a `records` message. The body is sent as a JSON string: agents parse the message and write it
    /// again, and only inside a string the bytes stay the same.
    var json: JSON {
        [
            "position": .int(position), "hash": .text(Hex.encode(hash)),
            "body": .text(String(decoding: body, as: UTF8.self)),
        ]
    }

    /// Reads an entry in the form of ``json``. Its `report` is nil.
    init(_ json: JSON) throws(ReportError) {
        position = try ReportPoint.position(json["position"])
        hash = try ReportPoint.hash(json["hash"])
        guard let body = json["body"]?.string, !body.isEmpty else { throw .malformed(member: "body") }
        self.body = Array(body.utf8)
        report = nil
    }

    /// The id of the report, which is also the id of the visit; nil if there is no report.
    var reportID: Text? { report?["id"]?.string }
}
