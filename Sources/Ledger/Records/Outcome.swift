package import Encoding

/// The end of a visit, as the caller states it; ``LedgerHead`` makes an ``OutcomeRecord`` of it. It contains
/// no claims.
package struct Outcome: Hashable, Sendable {
    /// The recorded ends of a visit (abandoned visits are only counted).
    package enum Result: String, CaseIterable, Sendable {
        /// The visitor was admitted.
        case accepted
        /// The visitor was rejected, for the reasons given.
        case rejected
        /// The transfer or the gate failed before a verdict.
        case failed
        /// Power or process failed between intent and outcome, so the outcome at the gate is not known.
        case interrupted
    }

    /// A reason: a code of the single table of reason codes, as text, so that every later version can read
    /// the record. The first reason decided. The following ones are findings of the verification or, after a
    /// Tuvali code, the code that distinguishes its causes.
    package struct Reason: Hashable, Sendable {
        /// The reason code.
        package var code: Text
        /// A JSON pointer (RFC 6901) to the member that caused it. Never the member's value.
        package var pointer: Text?

        /// A code and, when one member caused it, the pointer to that member.
        package init(_ code: Text, pointer: Text? = nil) {
            self.code = code
            self.pointer = pointer
        }
    }

    /// A presented credential, without its claims.
    package struct Credential: Hashable, Sendable {
        /// `ldp_vc`, `vc+sd-jwt`, `mso_mdoc`, …
        package var format: Text
        /// The issuer's identifier, when the credential named one.
        package var issuer: Text?
        /// The credential's types in their order in the credential.
        package var types: [Text]
        /// HMAC(site key, hash of the signed content), lower-case hex (``SiteKey/name(ofSignedContent:)``): equal for
        /// every copy of one credential at one site, useless elsewhere. Nil before a proof was checked.
        package var name: Text?
        /// The first day of validity, as its first second in UTC. Only the day is kept: the time to the
        /// second is often unique to one credential, and a person could be followed by it.
        package let validFrom: Timestamp?
        /// The last day of validity, written in the same way.
        package let validUntil: Timestamp?
        /// SHA-256 of the bytes as received, lower-case hex. Only records of earlier versions contain it;
        /// those records also have dates to the millisecond. It is read so that those records can still be
        /// verified, and is never written in new ones.
        package let oldDigest: Text?

        /// A credential by its outer facts. Only the days of the dates are kept.
        package init(
            format: Text, issuer: Text?, types: [Text], name: Text? = nil, validFrom: Timestamp? = nil,
            validUntil: Timestamp? = nil
        ) {
            self.init(
                format, issuer, types, name, validFrom?.recordDay, validUntil?.recordDay, oldDigest: nil)
        }

        /// A credential exactly as a record contains it.
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
        /// The time from the phone's connection to the decision, in milliseconds.
        package var milliseconds: Int
        /// The number of chunks of the transfer.
        package var chunks: Int
        /// The number of chunks dropped for a wrong CRC.
        package var crcErrors: Int
        /// The number of repair rounds requested.
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

    /// What the gate did, as the thread that drives its line reported it.
    package struct Gate: Hashable, Sendable {
        /// Whether the relay was energised, or an access controller was sent its frame.
        package var opened: Bool
        /// How long the relay was energised, in milliseconds; 0 when it was not.
        package var pulseMilliseconds: Int
        /// Whether the sensor reported that a person passed; nil: no sensor, or no clear result.
        package var passage: Bool?

        /// The gate opened for that long.
        package static func pulsed(milliseconds: Int) -> Gate { Gate(opened: true, pulseMilliseconds: milliseconds) }
        /// The gate stayed shut.
        package static let shut = Gate(opened: false, pulseMilliseconds: 0)
    }

    /// The software and rules that decided, needed to assess a record years later.
    package struct Software: Hashable, Sendable {
        /// The program's name.
        package var name: Text
        /// Its version.
        package var version: Text
        /// Version of the trust directory in force.
        package var trust: Text?
        /// Version of the policy in force.
        package var policy: Text?

        /// A program and the rules that it applied.
        package init(name: Text, version: Text, trust: Text? = nil, policy: Text? = nil) {
            self.name = name
            self.version = version
            self.trust = trust
            self.policy = policy
        }
    }

    /// The result of the visit.
    package var result: Result
    /// The reasons, most important first; may be empty for `accepted` and `interrupted`.
    package var reasons: [Reason]
    /// The credential that decided, if the visit reached that point: the one that fulfilled the accepting
    /// rule, or the one that failed.
    package var credential: Credential?
    /// Further credentials presented in the same visit; usually none. First those that also fulfil the
    /// accepting rule, which have a name and dates, then those that did not matter.
    package var others: [Credential] = []
    /// The transfer, when one took place.
    package var session: Session?
    /// What the gate did; nil: this appliance has no actuator or, for an interrupted visit, it is not known.
    package var gate: Gate?
    /// The software and rules that decided.
    package var software: Software
    /// The number of further visits that ended in the same way shortly before and have no record of their
    /// own; usually 0.
    package var repeated = 0
    /// The times at which the first and the last of them ended, on the clock of ``RecordStamp/monotonic``;
    /// nil: there were none, or a version before this member existed wrote the record.
    package var repeatedSpan: ClosedRange<Instant>?
    /// The upper limit of ``repeated``: more than a radio can deliver, and small enough that sums of it do
    /// not overflow.
    package static let mostRepeated = 1 << 32
    /// The replaced ledger; only in the first record of a ledger that replaces another.
    package var predecessor: Predecessor?
    /// What was wrong with the replaced ledger, in words; only in that first record.
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
    /// The priority of a record when there is not enough room for all.
    package enum Weight: String, CaseIterable, Sendable {
        /// A transfer failed before a credential was received, and the gate stayed shut. Any radio nearby can
        /// cause these.
        case junk
        /// The visitor was rejected, or the gate itself failed.
        case ordinary
        /// The gate opened, or may have opened. These records are given up last.
        case opened
    }

    /// The priority of this outcome.
    package var weight: Weight {
        if result == .accepted || gate?.opened ?? true { return .opened }
        let isTransfer = reasons.first?.code.utf8.starts(with: Array("transfer".utf8)) ?? false
        return result == .failed && credential == nil && isTransfer ? .junk : .ordinary
    }
}
