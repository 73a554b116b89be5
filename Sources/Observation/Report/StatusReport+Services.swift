package import Credentials
package import Encoding
package import Kiosk

// The parts of the status report about services other than the kiosk.

extension StatusReport {
    /// The ledger.
    package struct Ledger: StatusObject {
        /// The name of the ledger.
        package var id: Text?
        /// The number of entries in the ledger since it began.
        package var entries: Int?
        /// The number of visits in the ledger.
        package var visits: Int?
        /// The number of visits without a recorded outcome.
        package var open: Int?
        /// The number of reports that were deleted undelivered, because the space was needed.
        package var lostReports: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Ledger>] = [
            .init("id", \.id, .text), .init("entries", \.entries, .int), .init("visits", \.visits, .int),
            .init("open", \.open, .int), .init("lostReports", \.lostReports, .int),
        ]
    }

    /// The disk of the ledger. All sizes are in bytes.
    package struct Disk: StatusObject {
        /// The size of the database's files.
        package var ledger: Int?
        /// The space that the service may still use.
        package var free: Int?
        /// The size of the file system.
        package var total: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Disk>] = [
            .init("ledgerBytes", \.ledger, .int), .init("freeBytes", \.free, .int), .init("totalBytes", \.total, .int),
        ]
    }

    /// The date of the gate.
    package struct Clock: StatusObject {
        /// The present date.
        package var utc: Timestamp?
        /// The provenance of the date.
        package var source: WallTime.Provenance?
        /// The time since the last contact with a time server in seconds; nil: none since the start.
        package var unsynchronised: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Clock>] = [
            .init("utc", \.utc, .date), .init("source", \.source, .word),
            .init("unsynchronisedSeconds", \.unsynchronised, .int),
        ]
    }

    /// The trust data and the rules in force.
    package struct Trust: StatusObject {
        /// The name of the trust data.
        package var version: Text?
        /// The number of trusted issuers.
        package var issuers: Int?
        /// The date at which the bundle in force was made; nil: no bundle is in force. The next two members are then
        /// nil too.
        package var issued: Timestamp?
        /// The date until which the bundle should be used.
        package var validUntil: Timestamp?
        /// Whether the bundle is still valid, overdue or stale.
        package var age: TrustEdition.Age?
        /// The name of the rules; nil if the gate has no rules or they are unusable.
        package var policy: Text?
        /// The kind of the rules' source: `file`, `directory`, `bundle` or `none`.
        package var policySource: Text?
        /// The path of the file with the rules; nil if they are in a bundle, or the gate has none.
        package var policyFile: Text?
        /// The source of the rules, in plain words.
        package var policyOrigin: String?
        /// The profile by which credentials are read.
        package var profile: Profile?
        /// The date at which the document or status list with the oldest confirmation was confirmed.
        package var oldest: Timestamp?
        /// The same date, counting only the documents and status lists that are fetched; nil: none are.
        package var refreshed: Timestamp?
        /// The earliest expiry date of the bundle, the issuers and the roots. It may be past.
        package var soonestExpiry: Timestamp?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Trust>] = [
            .init("version", \.version, .text), .init("issuers", \.issuers, .int), .init("issued", \.issued, .date),
            .init("validUntil", \.validUntil, .date), .init("age", \.age, .word), .init("policy", \.policy, .text),
            .init("policySource", \.policySource, .text), .init("policyFile", \.policyFile, .text),
            .init("policyOrigin", \.policyOrigin, .prose), .init("profile", \.profile, .word),
            .init("oldest", \.oldest, .date), .init("refreshed", \.refreshed, .date),
            .init("soonestExpiry", \.soonestExpiry, .date),
        ]
    }

    /// A destination of the reports.
    package struct Destination: StatusObject {
        /// The name of the destination.
        package var name: Text?
        /// Whether the destination has an active connection; nil: unknown, because the connections are not loaded.
        package var isConnected: Bool?
        /// The ledger position up to which the destination has confirmed all entries.
        package var confirmed: Int?
        /// The number of entries that the destination has not confirmed.
        package var waiting: Int?
        /// The date of the destination's last confirmation; nil: none since the start of the service.
        package var lastReceipt: Timestamp?
        /// The reason codes of the destination's faults.
        package var faults: [Text]?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Destination>] = [
            .init("name", \.name, .text), .init("connected", \.isConnected, .flag),
            .init("confirmed", \.confirmed, .int), .init("waiting", \.waiting, .int),
            .init("lastReceipt", \.lastReceipt, .date, isAlways: true), .init("faults", \.faults, .list(.text)),
        ]
    }

    /// The expiry dates of trust data, rules and certificates.
    package struct Expiries: StatusObject {
        /// Whether the date is trusted. Without a trusted date there are no warnings.
        package var isDated: Bool?
        /// The warnings, beginning with the earliest expiry.
        package var warnings: [Expiring]?
        /// The next expiry for which there is no warning yet; nil: there is none.
        package var next: Expiring?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Expiries>] = [
            .init("dated", \.isDated, .flag), .init("warnings", \.warnings, .list(.part)), .init("next", \.next, .part),
        ]
    }

    /// An item that expires.
    package struct Expiring: StatusObject {
        /// The kind of the item.
        package var kind: Expiry.Kind?
        /// The name of the item: an id, a URL or a name.
        package var name: Text?
        /// The date of the expiry.
        package var end: Timestamp?
        /// The expiry or the warning, in plain words.
        package var words: String?
        /// The step of the warning: the warning was given within this number of days before the expiry.
        package var days: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Expiring>] = [
            .init("kind", \.kind, .word), .init("name", \.name, .text), .init("end", \.end, .date),
            .init("text", \.words, .prose), .init("days", \.days, .int),
        ]
    }

    /// A printed code in force.
    package struct Sticker: StatusObject {
        /// The day on which the key of the code was made.
        package var made: String?
        /// The last day of the key, in words.
        package var until: String?
        /// The text about the risk of printed codes.
        package var warning: String?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Sticker>] = [
            .init("made", \.made, .prose), .init("until", \.until, .prose), .init("warning", \.warning, .prose),
        ]
    }

    /// The log of the service.
    package struct Log: StatusObject {
        /// The number of lines that were dropped since the start of the service.
        package var dropped: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Log>] = [.init("dropped", \.dropped, .int)]
    }
}
