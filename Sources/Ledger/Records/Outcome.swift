package import Encoding

/// The end of a visit, as the kiosk reports it. ``LedgerHead`` makes an ``OutcomeRecord`` from it. It contains no
/// claims.
package struct Outcome: Hashable, Sendable {
    /// How a visit ended. A visit that the visitor abandoned is only counted, and has no record.
    package enum Result: String, CaseIterable, Sendable {
        /// The visitor was admitted.
        case accepted
        /// The visitor was rejected, for the reasons given.
        case rejected
        /// The transfer or the gate failed before a verdict.
        case failed
        /// The power or the process failed between intent and outcome. Whether the gate opened may be unknown.
        case interrupted
    }

    /// A reason code as text, so that every later version can read the record. The first reason of an outcome
    /// determined its result. The following ones are findings of the verification, or a more specific code after a code
    /// of Tuvali.
    package struct Reason: Hashable, Sendable {
        /// The text of the reason code.
        package var code: Text
        /// A JSON pointer (RFC 6901) to the member that caused the finding; nil if no single member did. The member's
        /// value is not recorded.
        package var pointer: Text?

        /// Creates a reason. `pointer`: the JSON pointer to the member that caused the finding.
        package init(_ code: Text, pointer: Text? = nil) {
            self.code = code
            self.pointer = pointer
        }
    }

    /// What is recorded about a presented credential. It contains no claims.
    package struct Credential: Hashable, Sendable {
        /// The format of the credential, such as `ldp_vc`, `vc+sd-jwt` or `mso_mdoc`.
        package var format: Text
        /// The issuer's identifier; nil if the credential names no issuer.
        package var issuer: Text?
        /// The types of the credential, in their order in the credential.
        package var types: [Text]
        /// The name of the credential in records, an HMAC under the site key in lower-case hex
        /// (``SiteKey/name(ofSignedContent:)``); nil if no proof was checked. Every copy of the credential has the same
        /// name at one site. At another site its name is different.
        package var name: Text?
        /// The first day of validity, as its first second in UTC; nil if the credential states none. The time of day is
        /// not kept, because it is often unique to one credential and could be used to follow a person.
        package let validFrom: Timestamp?
        /// The last day of validity, as its first second in UTC; nil if the credential states none. The time of day is
        /// not kept.
        package let validUntil: Timestamp?
        /// The SHA-256 of the credential's bytes as received, in lower-case hex; nil except in records of earlier
        /// versions, whose dates have milliseconds. The program reads it, so that these records can still be verified,
        /// but does not write it.
        package let oldDigest: Text?

        /// Creates the description of a credential. Of the two dates only the days are kept.
        package init(
            format: Text, issuer: Text?, types: [Text], name: Text? = nil, validFrom: Timestamp? = nil,
            validUntil: Timestamp? = nil
        ) {
            self.init(
                format, issuer, types, name, validFrom?.recordDay, validUntil?.recordDay, oldDigest: nil)
        }

        /// Creates the description from the values in a record, without a change.
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

    /// Figures about the transfer of a credential.
    package struct Session: Hashable, Sendable {
        /// The transport of the transfer. The only value is `tuvali`.
        package var transport: Text
        /// The time from the phone's connection to the decision, in milliseconds.
        package var milliseconds: Int
        /// The number of chunks of the transfer.
        package var chunks: Int
        /// The number of chunks that were discarded because their CRC was wrong.
        package var crcErrors: Int
        /// The number of repair rounds that the gate requested.
        package var retries: Int

        /// Creates the figures of one transfer.
        package init(transport: Text, milliseconds: Int, chunks: Int, crcErrors: Int, retries: Int) {
            self.transport = transport
            self.milliseconds = milliseconds
            self.chunks = chunks
            self.crcErrors = crcErrors
            self.retries = retries
        }
    }

    /// What the gate did for a visit, as reported by the thread that drives the gate's line.
    package struct Gate: Hashable, Sendable {
        /// Whether the relay was energised, or a frame was sent to an access controller.
        package var opened: Bool
        /// The time for which the relay was energised, in milliseconds; 0 if it was not energised.
        package var pulseMilliseconds: Int
        /// Whether the sensor reported a passage; nil if there is no sensor or its result is not clear.
        package var passage: Bool?

        /// Returns the value for a gate that opened for `milliseconds` milliseconds.
        package static func pulsed(milliseconds: Int) -> Gate { Gate(opened: true, pulseMilliseconds: milliseconds) }
        /// The value for a gate that stayed shut.
        package static let shut = Gate(opened: false, pulseMilliseconds: 0)
    }

    /// The versions of program and rules with which the verdict was made. They are needed to assess a record years
    /// later.
    package struct Software: Hashable, Sendable {
        /// The name of the program.
        package var name: Text
        /// The version of the program.
        package var version: Text
        /// The version of the trust directory; nil if there was none.
        package var trust: Text?
        /// The version of the policy; nil if there was none.
        package var policy: Text?

        /// Creates the description from a program's name and version and the versions of the rules that it applied.
        package init(name: Text, version: Text, trust: Text? = nil, policy: Text? = nil) {
            self.name = name
            self.version = version
            self.trust = trust
            self.policy = policy
        }
    }

    /// The result of the visit.
    package var result: Result
    /// The reasons, most important first. May be empty for `accepted` and `interrupted`.
    package var reasons: [Reason]
    /// The credential that determined the verdict: the one that fulfilled the accepting rule, or the one that failed.
    /// Nil for a visit without a verdict.
    package var credential: Credential?
    /// The further credentials of the visit, usually none. First come those that also fulfil the accepting rule, with
    /// name and dates. The others did not affect the verdict.
    package var others: [Credential] = []
    /// Figures about the transfer; nil if there was none.
    package var session: Session?
    /// What the gate did. Nil for an appliance without an actuator, and for an interrupted visit for which it is not
    /// known.
    package var gate: Gate?
    /// The versions of program and rules with which the verdict was made.
    package var software: Software
    /// The number of further visits that ended in the same way shortly before and have no record of their own; usually
    /// 0.
    package var repeated = 0
    /// The times of the first and the last of the ``repeated`` visits, on the clock of ``RecordStamp/monotonic``. Nil
    /// if there were none, and in records of earlier versions.
    package var repeatedSpan: ClosedRange<Instant>?
    /// The largest value of ``repeated``: more visits than a radio can serve, and small enough that sums do not
    /// overflow.
    package static let mostRepeated = 1 << 32
    /// The ledger that the present ledger replaced; nil except in the first record of the present ledger.
    package var predecessor: Predecessor?
    /// Why the earlier ledger was replaced, in words; nil except in the first record of the present ledger.
    package var finding: Text?

    /// Creates an outcome. The properties that are no parameters have their default values.
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
    /// The priority of an outcome when there is no room for all outcomes.
    package enum Weight: String, CaseIterable, Sendable {
        /// The lowest priority, given up first: a transfer failed before a credential was received, and the gate stayed
        /// shut. Any radio nearby can cause such outcomes.
        case junk
        /// The middle priority: the visitor was rejected, or the gate itself failed.
        case ordinary
        /// The highest priority, given up last: the gate opened, or may have opened.
        case opened
    }

    /// The priority of this outcome.
    package var weight: Weight {
        if result == .accepted || gate?.opened ?? true { return .opened }
        let isTransfer = reasons.first?.code.utf8.starts(with: Array("transfer".utf8)) ?? false
        return result == .failed && credential == nil && isTransfer ? .junk : .ordinary
    }
}
