import BluetoothHost
package import Credentials
package import Encoding
package import Ledger

/// The identity of a visit: a random UUID that belongs to one phone; it is also the id of the record and of
/// the report.
package struct VisitID: Hashable, Sendable, CustomStringConvertible {
    /// The lower-case UUID text.
    package let text: String

    /// The id of that text.
    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}

/// The identity of an intent: a random UUID of its own, which no visit has. An intent that served no phone
/// serves the next one.
package struct IntentID: Hashable, Sendable, CustomStringConvertible {
    /// The lower-case UUID text.
    package let text: String

    /// The id of that text.
    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}

/// A visit as the ledger is to keep it.
package struct VisitRecord: Sendable {
    /// The visit that the record is about.
    package var visit: VisitID
    /// The intent that it uses up; nil: its phone never had one.
    package var intent: IntentID?
    /// How the visit ended; for a decision, with the gate as it was ordered.
    package var outcome: Outcome
    /// SHA-256 of the signed contents. From these and the site's key, the driver derives the names of the
    /// credential and of as many of the others as there are digests.
    package var signedDigests: [[UInt8]]

    /// A record of these parts.
    package init(_ visit: VisitID, using intent: IntentID?, _ outcome: Outcome, signedDigests: [[UInt8]] = []) {
        (self.visit, self.intent, self.outcome, self.signedDigests) = (visit, intent, outcome, signedDigests)
    }
}

/// Fresh random bytes for the next session. The driver draws them, because the core has no randomness of its own.
package struct SessionMaterial: Sendable {
    /// Length of what ``init(_:)`` takes.
    package static let byteCount = 32 + 16 + 3 + 16
    /// X25519 private key, 32 bytes.
    let privateKey: [UInt8]
    /// Throw-away identity resolving key, 16 bytes.
    let identityResolvingKey: [UInt8]
    /// The random part of the resolvable private address, 3 bytes.
    let addressRandom: [UInt8]
    /// The ids of the visits with these keys.
    let ids: VisitIDs
    /// Until when a printed key may serve; nil: the key is fresh.
    let limit: Instant?

    /// Splits ``byteCount`` random bytes; nil for any other number. A printed key replaces the fresh one.
    package init?(_ random: [UInt8], printed: PrintedKey? = nil) {
        guard random.count == Self.byteCount else { return nil }
        privateKey = printed?.privateKey ?? Array(random[..<32])
        limit = printed?.until
        identityResolvingKey = Array(random[32..<48])
        addressRandom = Array(random[48..<51])
        ids = VisitIDs(Array(random[51...]))
    }

    /// Returns the address of the advertisement `number` of these keys, 0 or 1. Both show the same key, so
    /// their addresses may be similar; other keys have different addresses. Nil for any other number.
    func address(_ number: Int) -> DeviceAddress? {
        guard (0...1).contains(number), let last = addressRandom.last else { return nil }
        // Not the lowest bit, which is inverted if all bits are equal.
        let random = addressRandom.dropLast() + [last ^ (number == 0 ? 0 : 0x02)]
        return try? ResolvablePrivateAddress.make(identityKey: identityResolvingKey, random: Array(random))
    }
}

/// The ids of the visits with one key and of their intents, in sequence. They outlive the key.
struct VisitIDs: Sendable {
    /// The bytes from which the ids are made, 16 bytes.
    private let random: [UInt8]
    private var count: UInt32 = 0

    init(_ random: [UInt8]) { self.random = random }

    /// Returns the id of a visit, and the id for an intent of its own: as random as the bytes, and different
    /// from all others.
    mutating func next() -> (visit: VisitID, intent: IntentID)? {
        var (bytes, carry) = (random, count)
        count &+= 1
        for index in stride(from: bytes.count - 1, through: bytes.count - 4, by: -1) {
            let sum = UInt32(bytes[index]) &+ carry
            (bytes[index], carry) = (UInt8(truncatingIfNeeded: sum), sum >> 8)
        }
        guard let visit = RandomUUID.text(bytes) else { return nil }
        // The bytes in reverse, so that people do not take one id for the other.
        return RandomUUID.text(bytes.reversed()).map { (VisitID(visit), IntentID($0)) }
    }
}

/// An input of the kiosk.
package enum KioskEvent: Sendable {
    /// Begin: open the radio.
    case start
    /// The transport to the controller is open.
    case transportOpened
    /// The transport could not be opened or has closed; the reason as a code and as text for the operator.
    case transportClosed(ReasonCode, reason: String)
    /// One H4 packet from the controller, indicator byte included.
    case received([UInt8])
    /// ``Kiosk/deadline`` has been reached.
    case timer
    /// The answer to ``KioskAction/drawSessionMaterial``.
    case sessionMaterial(SessionMaterial)
    /// The printed key is in force from now on, so keys are wanted; or it is no longer in force, and phones
    /// that use it are not served.
    case printedKey(isInForce: Bool)
    /// The intent survives a power cut from now on.
    case intentDurable(IntentID)
    /// The ledger refused the intent.
    case intentFailed(IntentID, reason: String)
    /// The answer to ``KioskAction/keepSession(_:_:)``: the session survives a power cut from now on;
    /// otherwise the reason why it may not.
    case sessionKept(VisitID, failure: String?)
    /// The answer to ``KioskAction/verify(_:payload:)``.
    case verified(VisitID, Verdict)
    /// A part of the gate reports that a fault has begun, or is over.
    case health(HealthReport)
    /// Something happened at the door.
    case door(DoorEvent)
    /// Shut down in order.
    case stop
}

/// A command to the driver; commands are executed in order.
package enum KioskAction: Sendable {
    /// Open the transport to the controller; answer with `transportOpened` or `transportClosed`.
    case openTransport
    /// Close the transport; `transportClosed` is not awaited.
    case closeTransport
    /// Ask the service that has the right to do so to reset the Bluetooth adapter: nothing else has helped.
    /// Not answered.
    case resetAdapter
    /// Write one H4 packet, indicator byte included.
    case send([UInt8])
    /// Draw ``SessionMaterial/byteCount`` random bytes and answer with `sessionMaterial`.
    case drawSessionMaterial
    /// Show the invitation URI (nil: take it down).
    case showInvitation(String?)
    /// Write the intent and answer with `intentDurable` or `intentFailed`.
    case recordIntent(IntentID)
    /// Write down the session of a printed key by the identifier of its secret, 16 bytes, and answer with
    /// `sessionKept`.
    case keepSession(VisitID, [UInt8])
    /// Verify the payload outside the radio thread and answer with `verified`.
    case verify(VisitID, payload: [UInt8])
    /// Write the outcome; the report is sent with it, and it settles the state of the credential.
    case recordOutcome(VisitRecord)
    /// The visit has ended without an opening and without a record of its own: stop its verification, and
    /// release its credential. Sent only if the verifier may be working for it, or has accepted it.
    case dismissed(VisitID)
    /// The gate was ordered to open for this visit: write the decision at once, with the gate as it was ordered, until
    /// the outcome says what the gate did. The credential is ``CredentialUse/ordered`` until then.
    case decided(VisitRecord)
    /// The visitor did not pass in time, and that releases the credential. Sent before the outcome.
    case unused(VisitID)
    /// Show this signal, a part of that pattern, which belongs to that visit; nil: to none. Precedes
    /// everything except the gate.
    case signal(Signal, IndicatorPattern, VisitID?)
    /// Command the gate relay. Precedes everything else of its turn.
    case gate(Gate.Command)
    /// Report to a gate controller that the visitor for whom the relay was just ordered to open may pass: once for
    /// each visitor, never for a person who exits, and not later than `until`. Directly follows that order.
    case admit(until: Instant)
    /// Command the output for free passage; repeated before the end of the last command. Precedes everything
    /// except gate and light.
    case free(Gate.Command)
    /// Publish a note, with the visit that it is about, if any.
    case note(KioskNote, VisitID?)
    /// Everything is released: the driver may end.
    case stopped
}
