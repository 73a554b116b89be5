package import Credentials
package import Encoding
package import Kiosk

// The parts of the report about the services outside the kiosk.

extension StatusReport {
    /// The ledger.
    package struct Ledger: StatusObject {
        /// The name of the ledger.
        package var id: Text?
        /// The number of entries.
        package var entries: Int?
        /// The number of visits.
        package var visits: Int?
        /// The visits without a recorded outcome.
        package var open: Int?
        /// The number of reports lost for lack of room.
        package var lostReports: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Ledger>] = [
            .init("id", \.id, .text), .init("entries", \.entries, .int), .init("visits", \.visits, .int),
            .init("open", \.open, .int), .init("lostReports", \.lostReports, .int),
        ]
    }

    /// The sizes of the ledger's disk, in bytes.
    package struct Disk: StatusObject {
        /// The size of the database's files.
        package var ledger: Int?
        /// The number of bytes that the service may still write.
        package var free: Int?
        /// The size of the file system.
        package var total: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Disk>] = [
            .init("ledgerBytes", \.ledger, .int), .init("freeBytes", \.free, .int), .init("totalBytes", \.total, .int),
        ]
    }

    /// The clock.
    package struct Clock: StatusObject {
        /// The date of the gate.
        package var utc: Timestamp?
        /// The source of the date.
        package var source: WallTime.Provenance?
        /// The seconds since the last synchronisation; nil without a synchronisation since the start.
        package var unsynchronised: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
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
        /// The date at which the bundle was made; nil without a bundle, as are the next two members.
        package var issued: Timestamp?
        /// The last date for which the bundle should be used.
        package var validUntil: Timestamp?
        /// The age of the bundle.
        package var age: TrustEdition.Age?
        /// The name of the rules; nil if the gate has no rules or they are unusable.
        package var policy: Text?
        /// The kind of source of the rules.
        package var policySource: Text?
        /// The path of the rules; nil if they are in a bundle or the gate has none.
        package var policyFile: Text?
        /// The source of the rules, in words.
        package var policyOrigin: String?
        /// The profile by which credentials are checked.
        package var profile: Profile?
        /// The date at which the oldest document or status list was confirmed.
        package var oldest: Timestamp?
        /// The date at which the oldest fetched document or status list was confirmed.
        package var refreshed: Timestamp?
        /// The first expiry date of bundle, issuers and roots, which may be past.
        package var soonestExpiry: Timestamp?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
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
        /// Whether a connection to the destination exists.
        package var isConnected: Bool?
        /// The position up to which the destination has confirmed all entries.
        package var confirmed: Int?
        /// The number of entries that the destination has not confirmed.
        package var waiting: Int?
        /// The date of the destination's last confirmation; nil without one since the start.
        package var lastReceipt: Timestamp?
        /// The reason codes of its faults.
        package var faults: [Text]?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Destination>] = [
            .init("name", \.name, .text), .init("connected", \.isConnected, .flag),
            .init("confirmed", \.confirmed, .int), .init("waiting", \.waiting, .int),
            .init("lastReceipt", \.lastReceipt, .date, isAlways: true), .init("faults", \.faults, .list(.text)),
        ]
    }

    /// The expiry dates.
    package struct Expiries: StatusObject {
        /// Whether the date is trusted. Without a trusted date there are no warnings.
        package var isDated: Bool?
        /// The warnings, the soonest expiry first.
        package var warnings: [Expiring]?
        /// The next expiry without a warning.
        package var next: Expiring?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Expiries>] = [
            .init("dated", \.isDated, .flag), .init("warnings", \.warnings, .list(.part)), .init("next", \.next, .part),
        ]
    }

    /// An item that expires.
    package struct Expiring: StatusObject {
        /// The kind of the item that expires.
        package var kind: Expiry.Kind?
        /// The item: an id, a URL or a name.
        package var name: Text?
        /// The date of the expiry.
        package var end: Timestamp?
        /// The expiry, or the warning, in words.
        package var words: String?
        /// The step of the warning, in days before the end.
        package var days: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Expiring>] = [
            .init("kind", \.kind, .word), .init("name", \.name, .text), .init("end", \.end, .date),
            .init("text", \.words, .prose), .init("days", \.days, .int),
        ]
    }

    /// A printed code in force.
    package struct Sticker: StatusObject {
        /// The day on which the key was made.
        package var made: String?
        /// The end of the key, in words.
        package var until: String?
        /// The warning about printed codes.
        package var warning: String?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Sticker>] = [
            .init("made", \.made, .prose), .init("until", \.until, .prose), .init("warning", \.warning, .prose),
        ]
    }

    /// The log.
    package struct Log: StatusObject {
        /// The number of lines that were dropped.
        package var dropped: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Log>] = [.init("dropped", \.dropped, .int)]
    }
}
