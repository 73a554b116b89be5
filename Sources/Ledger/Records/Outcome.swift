package import Encoding

/// The end of a visit, as stated by the caller. ``LedgerHead`` makes an ``OutcomeRecord`` from it. An outcome contains
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
        /// The power or the process failed between intent and outcome. Whether the gate opened is unknown.
        case interrupted
    }

    /// A reason: a code of the table of reason codes, as text, so that every later version can read the record. The
    /// first reason determined the result. The following reasons are findings of the verification or, after a Tuvali
    /// code, the more specific code.
    package struct Reason: Hashable, Sendable {
        /// The text of the reason code.
        package var code: Text
        /// A JSON pointer (RFC 6901) to the member that caused the finding; never the value of the member.
        package var pointer: Text?

        /// Creates a reason from a code and, if one member caused the finding, the pointer to that member.
        package init(_ code: Text, pointer: Text? = nil) {
            self.code = code
            self.pointer = pointer
        }
    }

    /// A presented credential, without its claims.
    package struct Credential: Hashable, Sendable {
        /// The format of the credential: `ldp_vc`, `vc+sd-jwt`, `mso_mdoc`, …
        package var format: Text
        /// The issuer's identifier; nil if the credential names no issuer.
        package var issuer: Text?
        /// The types of the credential, in the order of the credential.
        package var types: [Text]
        /// The name of the credential in records: HMAC(site key, hash of the signed content) in lower-case hex
        /// (``SiteKey/name(ofSignedContent:)``); nil if no proof was checked. Every copy of the credential has the same
        /// name at one site. At another site the name is useless.
        package var name: Text?
        /// The first day of validity, as its first second in UTC. Only the day is kept: the time to the second is often
        /// unique to one credential and could be used to follow a person.
        package let validFrom: Timestamp?
        /// The last day of validity, as its first second in UTC. Only the day is kept, as in ``validFrom``.
        package let validUntil: Timestamp?
        /// The SHA-256 of the bytes as received, in lower-case hex. Only records of earlier versions, whose dates have
        /// milliseconds, contain this hash. The program reads it so that those records can still be verified, and never
        /// writes it.
        package let oldDigest: Text?

        /// Creates a credential from its data other than claims. Only the days of the dates are kept.
        package init(
            format: Text, issuer: Text?, types: [Text], name: Text? = nil, validFrom: Timestamp? = nil,
            validUntil: Timestamp? = nil
        ) {
            self.init(
                format, issuer, types, name, validFrom?.recordDay, validUntil?.recordDay, oldDigest: nil)
        }

        /// Creates a credential with exactly the values that a record contains.
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
        /// The transport of the transfer: `tuvali`.
        package var transport: Text
        /// The time from the phone's connection to the decision, in milliseconds.
        package var milliseconds: Int
        /// The number of chunks of the transfer.
        package var chunks: Int
        /// The number of chunks dropped for a wrong CRC.
        package var crcErrors: Int
        /// The number of repair rounds requested.
        package var retries: Int

        /// Creates the statistics of one transfer.
        package init(transport: Text, milliseconds: Int, chunks: Int, crcErrors: Int, retries: Int) {
            self.transport = transport
            self.milliseconds = milliseconds
            self.chunks = chunks
            self.crcErrors = crcErrors
            self.retries = retries
        }
    }

    /// The state of the gate as the result of a visit, reported by the thread that drives the gate's line.
    package struct Gate: Hashable, Sendable {
        /// Whether the relay was energised, or a frame was sent to a gate controller.
        package var opened: Bool
        /// The time for which the relay was energised, in milliseconds; 0 if it was not energised.
        package var pulseMilliseconds: Int
        /// Whether the sensor reported that a person passed; nil without a sensor or a clear result.
        package var passage: Bool?

        /// Returns the state of a gate that opened for `milliseconds` milliseconds.
        package static func pulsed(milliseconds: Int) -> Gate { Gate(opened: true, pulseMilliseconds: milliseconds) }
        /// The state of a gate that stayed shut.
        package static let shut = Gate(opened: false, pulseMilliseconds: 0)
    }

    /// The software and rules of the verdict. They are needed to assess a record years later.
    package struct Software: Hashable, Sendable {
        /// The name of the program.
        package var name: Text
        /// The version of the software.
        package var version: Text
        /// The version of the trust directory; nil if there was none.
        package var trust: Text?
        /// The version of the policy; nil if there was none.
        package var policy: Text?

        /// Creates the description of a program and the rules that it applied.
        package init(name: Text, version: Text, trust: Text? = nil, policy: Text? = nil) {
            self.name = name
            self.version = version
            self.trust = trust
            self.policy = policy
        }
    }

    /// The result of the visit.
    package var result: Result
    /// The reasons, most important first. The list may be empty for `accepted` and `interrupted`.
    package var reasons: [Reason]
    /// The credential that determines the verdict: the credential that fulfilled the accepting rule, or the credential
    /// that failed; nil for a visit without a verdict.
    package var credential: Credential?
    /// The further credentials of the visit, usually none. Credentials that also fulfil the accepting rule come first
    /// and have a name and dates. The others did not affect the verdict.
    package var others: [Credential] = []
    /// The statistics of the transfer; nil without a transfer.
    package var session: Session?
    /// The state of the gate; nil for an appliance without an actuator, or if the state of an interrupted visit is
    /// unknown.
    package var gate: Gate?
    /// The software and rules of the verdict.
    package var software: Software
    /// The number of further visits that ended in the same way shortly before and have no record of their own. The
    /// number is usually 0.
    package var repeated = 0
    /// The times of the first and the last of the ``repeated`` visits, on the clock of ``RecordStamp/monotonic``; nil
    /// if there were none, or for a record of a version without this member.
    package var repeatedSpan: ClosedRange<Instant>?
    /// The maximum of ``repeated``: more than a radio can deliver, and small enough that sums do not overflow.
    package static let mostRepeated = 1 << 32
    /// The ledger that this ledger replaces. Only the first record of the new ledger has a predecessor.
    package var predecessor: Predecessor?
    /// The fault of the replaced ledger, in words. Only the first record of the new ledger has this text.
    package var finding: Text?

    /// Creates an outcome from the given values. The other properties have defaults.
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
    /// The priority of a record if the ledger lacks room.
    package enum Weight: String, CaseIterable, Sendable {
        /// The lowest priority: a transfer failed before a credential was received, and the gate stayed shut. Any radio
        /// nearby can cause such records.
        case junk
        /// The visitor was rejected, or the gate itself failed.
        case ordinary
        /// The gate opened, or may have opened. Such records are given up last.
        case opened
    }

    /// The priority of this outcome.
    package var weight: Weight {
        if result == .accepted || gate?.opened ?? true { return .opened }
        let isTransfer = reasons.first?.code.utf8.starts(with: Array("transfer".utf8)) ?? false
        return result == .failed && credential == nil && isTransfer ? .junk : .ordinary
    }
}
