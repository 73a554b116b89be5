import BluetoothHost
package import Credentials
package import Encoding
package import Ledger

/// The identity of a visit: a random UUID that belongs to one phone; it is also the id of the record and of
/// the report.
package struct VisitID: Hashable, Sendable, CustomStringConvertible {
    /// The id as a lower-case UUID text.
    package let text: String

    /// Creates the id from its text.
    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}

/// The identity of an intent: a random UUID that no visit has. The intent of a visit that ends without a record is
/// used for the next visit.
package struct IntentID: Hashable, Sendable, CustomStringConvertible {
    /// The id as a lower-case UUID text.
    package let text: String

    /// Creates the id from its text.
    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}

/// A visit in the form in which the ledger is to record it.
package struct VisitRecord: Equatable, Sendable {
    /// The visit that the record is about.
    package var visit: VisitID
    /// The intent that the record ends; nil if the visit never had an intent.
    package var intent: IntentID?
    /// How the visit ended. In the record of a decision, the outcome has the state of the gate that was
    /// ordered.
    package var outcome: Outcome
    /// The SHA-256 hashes of the signed contents of the credentials. From these and the site's key, the driver derives
    /// the names of the first credentials of the outcome, one name for each hash.
    package var signedDigests: [[UInt8]]

    /// Creates a record from its parts.
    package init(_ visit: VisitID, using intent: IntentID?, _ outcome: Outcome, signedDigests: [[UInt8]] = []) {
        (self.visit, self.intent, self.outcome, self.signedDigests) = (visit, intent, outcome, signedDigests)
    }
}

/// Random bytes for the next offer: its key and addresses, and the ids of its visits. The driver draws them, because
/// the kiosk has no source of randomness.
package struct SessionMaterial: Equatable, Sendable {
    /// The number of random bytes that ``init(_:printed:)`` requires.
    package static let byteCount = 32 + 16 + 3 + 16
    /// The X25519 private key, 32 bytes.
    let privateKey: [UInt8]
    /// The identity resolving key, 16 bytes. It is dropped after use.
    let identityResolvingKey: [UInt8]
    /// The random part of the resolvable private address, 3 bytes.
    let addressRandom: [UInt8]
    /// The ids of the visits with these keys.
    let ids: VisitIDs
    /// Until when a printed key may be used; nil: the key is not printed.
    let limit: Instant?

    /// Splits ``byteCount`` random bytes into the parts; nil for any other number of bytes. A printed key
    /// replaces the random one.
    package init?(_ random: [UInt8], printed: PrintedKey? = nil) {
        guard random.count == Self.byteCount else { return nil }
        privateKey = printed?.privateKey ?? Array(random[..<32])
        limit = printed?.until
        identityResolvingKey = Array(random[32..<48])
        addressRandom = Array(random[48..<51])
        ids = VisitIDs(Array(random[51...]))
    }

    /// Returns the address of the advertisement `number` of these keys, 0 or 1; nil for any other number.
    /// Both advertisements show the same key, so their addresses may be similar. The advertisements of other
    /// keys have different addresses.
    func address(_ number: Int) -> DeviceAddress? {
        guard (0...1).contains(number), let last = addressRandom.last else { return nil }
        // Do not change the lowest bit, because ``ResolvablePrivateAddress`` inverts it if all bits are equal.
        let random = addressRandom.dropLast() + [last ^ (number == 0 ? 0 : 0x02)]
        return try? ResolvablePrivateAddress.make(identityKey: identityResolvingKey, random: Array(random))
    }
}

/// Makes the ids of the visits under one offer's key pair, and of their intents, one after the other. The kiosk uses
/// the sequence even after it has dropped the key pair: the record of rejected visits that were only counted comes
/// later.
struct VisitIDs: Equatable, Sendable {
    /// The bytes from which the ids are made, 16 bytes.
    private let random: [UInt8]
    private var count: UInt32 = 0

    init(_ random: [UInt8]) { self.random = random }

    /// Returns the id of a visit, and the id of an intent that the visit gets if there is no spare intent. Both ids
    /// are as random as the bytes, and they differ from all others.
    mutating func next() -> (visit: VisitID, intent: IntentID)? {
        var (bytes, carry) = (random, count)
        count &+= 1
        for index in stride(from: bytes.count - 1, through: bytes.count - 4, by: -1) {
            let sum = UInt32(bytes[index]) &+ carry
            (bytes[index], carry) = (UInt8(truncatingIfNeeded: sum), sum >> 8)
        }
        guard let visit = RandomUUID.text(bytes) else { return nil }
        // Reverse the bytes, so that people do not confuse the two ids.
        return RandomUUID.text(bytes.reversed()).map { (VisitID(visit), IntentID($0)) }
    }
}

/// An input of the kiosk.
package enum KioskEvent: Equatable, Sendable {
    /// Begin: open the radio.
    case start
    /// The transport to the controller is open.
    case transportOpened
    /// The transport could not be opened or has closed, or the driver cannot use it, for the given reason.
    case transportClosed(RadioFailure)
    /// The controller sent one H4 packet, indicator byte included.
    case received([UInt8])
    /// The instant that ``Kiosk/deadline(after:)`` returned has been reached.
    case timer
    /// New keys were drawn: the answer to ``KioskAction/drawSessionMaterial``.
    case sessionMaterial(SessionMaterial)
    /// The printed key is in force from now on, so new keys must be drawn. If `isInForce` is false, the printed key is
    /// no longer in force, and phones that use it are refused.
    case printedKey(isInForce: Bool)
    /// The intent with the given id survives a power cut from now on.
    case intentDurable(IntentID)
    /// The ledger refused the intent with the given id, for the given reason.
    case intentFailed(IntentID, LedgerFailure)
    /// The answer to ``KioskAction/keepSession(_:_:)``. If `failure` is nil, the session survives a power cut
    /// from now on. Otherwise `failure` is the reason why it might not.
    case sessionKept(VisitID, failure: LedgerFailure?)
    /// The verdict on a visit's payload: the answer to ``KioskAction/verify(_:payload:)``.
    case verified(VisitID, Verdict)
    /// A part of the gate reports that a fault has begun, or is over.
    case health(HealthReport)
    /// An input, the order or the schedule of the door has changed.
    case door(DoorEvent)
    /// The command to open the relay reached the outputs later than the kiosk had planned, by the given time. The
    /// driver has moved the end of the pulse by the same time.
    case pulseDelayed(by: Duration)
    /// Shut down in order.
    case stop
}

/// A command to the driver; commands are executed in order.
package enum KioskAction: Equatable, Sendable {
    /// Open the transport to the controller; answer with `transportOpened` or `transportClosed`.
    case openTransport
    /// Close the transport; `transportClosed` is not awaited.
    case closeTransport
    /// Ask the service that is permitted to do so to reset the Bluetooth adapter, because no other measure has helped.
    /// The action has no answer.
    case resetAdapter
    /// Write one H4 packet to the controller, indicator byte included.
    case send([UInt8])
    /// Draw ``SessionMaterial/byteCount`` random bytes and answer with `sessionMaterial`.
    case drawSessionMaterial
    /// Show the given invitation URI; nil: show none.
    case showInvitation(String?)
    /// Write the intent with the given id and answer with `intentDurable` or `intentFailed`.
    case recordIntent(IntentID)
    /// Store the session of a printed key for the given visit, named by the 16 bytes that identify its
    /// secret, and answer with `sessionKept`.
    case keepSession(VisitID, [UInt8])
    /// Verify the payload of the given visit outside the radio thread and answer with `verified`.
    case verify(VisitID, payload: [UInt8])
    /// Record the outcome of a visit. The driver makes the report from this record. From the outcome it also derives
    /// whether the credential counts as used, or whether its reservation in the replay memory ends.
    case recordOutcome(VisitRecord)
    /// The given visit has ended without an opening and without a separate record. Stop its verification, and release
    /// the reservation of its credential. The action is sent only if the verifier may be working for the visit, or has
    /// accepted its credential.
    case dismissed(VisitID)
    /// The gate was ordered to open for this visit. Write the decision at once, with the state of the gate
    /// that was ordered. The outcome, which is written later, has the actual state. The credential is
    /// ``CredentialUse/ordered`` until then.
    case decided(VisitRecord)
    /// The visitor did not pass in time, and the settings say that this releases the credential. The action
    /// is sent before the outcome.
    case unused(VisitID)
    /// Show the given signal, which is a part of the given indicator pattern. The visit is the one to which
    /// the pattern belongs; nil: it belongs to none. The action precedes every other action except `gate`.
    case signal(Signal, IndicatorPattern, VisitID?)
    /// Command the gate relay. The action precedes every other action of its turn.
    case gate(Gate.Command)
    /// Report to a gate controller that the visitor may pass for whom the relay was just ordered to open. The
    /// report is sent once for each visitor, never for a person who exits, and not later than `until`. The
    /// action directly follows the order to the relay.
    case admit(until: Instant)
    /// Command an output that is held (``OutputRole/Kind/held(_:)``). The kiosk repeats the command before the last
    /// one ends. The action precedes every other action except those for gate and light.
    case hold(OutputRole, Gate.Command)
    /// Publish a note. The visit is the one that the note is about; nil if it is about none.
    case note(KioskNote, VisitID?)
    /// Relay, transport and outputs are released. The driver may end.
    case stopped
}
