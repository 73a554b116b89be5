package import Encoding

/// How a visit ended, as its caller states it; ``LedgerHead`` makes an ``OutcomeRecord`` of it. Holds no claims.
package struct Outcome: Hashable, Sendable {
    /// The recorded ends of a visit (abandoned visits are only counted).
    package enum Result: String, CaseIterable, Sendable {
        /// Let in.
        case accepted
        /// Not let in, for the reasons given.
        case rejected
        /// The transfer or the kiosk failed before there was a verdict.
        case failed
        /// The power or the process went away between intent and outcome: what happened at the gate is not known.
        case interrupted
    }

    /// Why: a code of the one table of reasons, as text, so that a record can be read by every later version. After the first,
    /// which decided, come findings of the verification, or behind a code of Tuvali the one that tells its causes apart.
    package struct Reason: Hashable, Sendable {
        /// The reason code.
        package var code: Text
        /// JSON pointer (RFC 6901) to the member that caused it. Never the member's value.
        package var pointer: Text?

        /// A code and, where one member caused it, its place.
        package init(_ code: Text, pointer: Text? = nil) {
            self.code = code
            self.pointer = pointer
        }
    }

    /// A credential that was shown, without what it says.
    package struct Credential: Hashable, Sendable {
        /// `ldp_vc`, `vc+sd-jwt`, `mso_mdoc`, …
        package var format: Text
        /// The issuer's identifier, when the credential named one.
        package var issuer: Text?
        /// The credential's types in its order.
        package var types: [Text]
        /// HMAC(site key, hash of the signed content), lower-case hex (``SiteKey/name(ofSignedContent:)``): equal for
        /// every copy of one credential at one site, useless elsewhere. Nil before a proof was checked.
        package var name: Text?
        /// First day of validity, at its first second in UTC: to the second, many a credential has a date of its own, by which
        /// one person could be followed.
        package let validFrom: Timestamp?
        /// Last day of validity, written in the same way.
        package let validUntil: Timestamp?
        /// SHA-256 of the bytes as received, lower-case hex: only in records of earlier versions, which had their dates to the
        /// millisecond too. Read so that those can still be proven; never written anew.
        package let oldDigest: Text?

        /// A credential by its outer facts; of the dates the days are kept.
        package init(
            format: Text, issuer: Text?, types: [Text], name: Text? = nil, validFrom: Timestamp? = nil,
            validUntil: Timestamp? = nil
        ) {
            self.init(
                format, issuer, types, name, validFrom?.recordDay, validUntil?.recordDay, oldDigest: nil)
        }

        /// A credential exactly as a record has it.
        init(
            _ format: Text, _ issuer: Text?, _ types: [Text], _ name: Text?, _ validFrom: Timestamp?,
            _ validUntil: Timestamp?, oldDigest: Text?
        ) {
            self.format = format
            self.issuer = issuer
            self.types = types
            self.name = name
            self.validFrom = validFrom
            self.validUntil = validUntil
            self.oldDigest = oldDigest
        }
    }

    /// The figures of the transfer.
    package struct Session: Hashable, Sendable {
        /// `tuvali`.
        package var transport: Text
        /// From the phone's connection to the decision, in milliseconds.
        package var milliseconds: Int
        /// Chunks of the transfer.
        package var chunks: Int
        /// Chunks dropped for a wrong CRC.
        package var crcErrors: Int
        /// Repair rounds asked for.
        package var retries: Int

        /// The figures of one transfer.
        package init(transport: Text, milliseconds: Int, chunks: Int, crcErrors: Int, retries: Int) {
            self.transport = transport
            self.milliseconds = milliseconds
            self.chunks = chunks
            self.crcErrors = crcErrors
            self.retries = retries
        }
    }

    /// What the gate did, by the thread of its line.
    package struct Gate: Hashable, Sendable {
        /// Whether the relay was energised, or a controller sent its frame.
        package var opened: Bool
        /// For how long the relay was, in milliseconds; 0 when it was not.
        package var pulseMilliseconds: Int
        /// Whether somebody was seen to pass; nil: nobody looked, or nobody could tell.
        package var passage: Bool?

        /// Opened for that long.
        package static func pulsed(milliseconds: Int) -> Gate { Gate(opened: true, pulseMilliseconds: milliseconds) }
        /// Stayed shut.
        package static let shut = Gate(opened: false, pulseMilliseconds: 0)
    }

    /// What decided: needed to judge a record years later.
    package struct Software: Hashable, Sendable {
        /// The program's name.
        package var name: Text
        /// Its version.
        package var version: Text
        /// Version of the trust directory in force.
        package var trust: Text?
        /// Version of the policy in force.
        package var policy: Text?

        /// A program and the rules it followed.
        package init(name: Text, version: Text, trust: Text? = nil, policy: Text? = nil) {
            self.name = name
            self.version = version
            self.trust = trust
            self.policy = policy
        }
    }

    /// How it ended.
    package var result: Result
    /// Why, most important first; may be empty for `accepted` and `interrupted`.
    package var reasons: [Reason]
    /// The credential that decided, when it came that far: the one that the accepting rule was about, or that failed.
    package var credential: Credential?
    /// What was shown with it, for almost all nothing: first those that fulfil the accepting rule too, which have a name and dates,
    /// then those that did not matter.
    package var others: [Credential] = []
    /// The transfer, when there was one.
    package var session: Session?
    /// What the gate did; nil: there is nothing to open on this box, or, of an interrupted visit, it is not known.
    package var gate: Gate?
    /// What decided.
    package var software: Software
    /// Further visits that ended alike shortly before and have no record of their own; 0 for almost all.
    package var repeated = 0
    /// When the first and the last of them ended, on the clock of ``RecordStamp/monotonic``; nil: there are none, or a
    /// version before this one wrote the record.
    package var repeatedSpan: ClosedRange<Instant>?
    /// The most that ``repeated`` may be: more than a radio can bring, and little enough that sums of it stay within range.
    package static let mostRepeated = 1 << 32
    /// Only in the first record of a ledger that took the place of another: which one.
    package var predecessor: Predecessor?
    /// Only there: what was wrong with that one, in words.
    package var finding: Text?

    /// An outcome of these parts.
    package init(
        _ result: Result, reasons: [Reason] = [], credential: Credential? = nil, session: Session? = nil, gate: Gate?,
        software: Software
    ) {
        self.result = result
        self.reasons = reasons
        self.credential = credential
        self.session = session
        self.gate = gate
        self.software = software
    }
}

extension Outcome {
    /// What a record is worth where there is no room for all.
    package enum Weight: String, CaseIterable, Sendable {
        /// A transfer failed before there was a credential to judge, and the gate stayed shut: anybody can make these.
        case junk
        /// Turned away, or failed for a reason of our own.
        case ordinary
        /// The gate opened, or may have: the last to be given up.
        case opened
    }

    /// What this one is worth.
    package var weight: Weight {
        if result == .accepted || gate?.opened ?? true { return .opened }
        let isTransfer = reasons.first?.code.utf8.starts(with: Array("transfer".utf8)) ?? false
        return result == .failed && credential == nil && isTransfer ? .junk : .ordinary
    }
}
