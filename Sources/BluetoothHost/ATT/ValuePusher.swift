import Encoding

/// A value on its way from the application to a phone.
struct PushedValue: Equatable, Sendable {
    let characteristic: CharacteristicID
    let handle: UInt16
    let value: [UInt8]
}

/// Sends values to one phone in order. A value is an indication if the phone requested indications. Otherwise the
/// value is a notification, even without a request, because the Android wallet writes no client configuration (Core
/// Specification Vol 3 Part F 3.4.7).
struct ValuePusher: Sendable {
    private let limits: Limits
    private var waiting: [PushedValue] = []
    private var unconfirmed: (value: PushedValue, deadline: Instant)?
    /// Whether a confirmation was missing once. After that the phone gets only notifications: no second indication may
    /// follow an unconfirmed indication (Vol 3 Part F 3.3.3), and an endless wait would lose the verdict.
    private var usesNotificationsOnly = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// The time limit for the confirmation of the outstanding indication; nil without one.
    var deadline: Instant? { unconfirmed?.deadline }

    /// Appends a value. Returns false if the queue is full.
    mutating func push(_ value: PushedValue) -> Bool {
        guard waiting.count < limits.queuedValues else { return false }
        waiting.append(value)
        return true
    }

    /// Returns the next PDU that may be sent now; nil if there is none. A notification waits for the confirmation of
    /// the preceding indication, because the application relies on the order.
    mutating func next(for server: ATTServer, at now: Instant) -> (pdu: [UInt8], notified: PushedValue?)? {
        guard unconfirmed == nil, let value = waiting.first else { return nil }
        waiting.removeFirst()
        let indicates = server.configuration(forValue: value.handle) == .indications && !usesNotificationsOnly
        let opcode: ATTOpcode = indicates ? .handleValueIndication : .handleValueNotification
        var pdu = [opcode.rawValue]
        pdu.appendLE(value.handle)
        pdu += value.value.prefix(max(server.mtu - 3, 0))  // The MTU may have shrunk since the value was queued.
        if indicates { unconfirmed = (value, now.advanced(by: limits.confirmationTime)) }
        return (pdu, indicates ? nil : value)
    }

    /// Notes the phone's confirmation. Returns the confirmed value; nil if no confirmation was awaited.
    mutating func confirmed() -> PushedValue? {
        defer { unconfirmed = nil }
        return unconfirmed?.value
    }

    /// Gives up an overdue confirmation and queues the value again as a notification. Returns the value; nil if no
    /// confirmation is overdue.
    mutating func expire(at now: Instant) -> PushedValue? {
        guard let (value, deadline) = unconfirmed, deadline <= now else { return nil }
        unconfirmed = nil
        usesNotificationsOnly = true
        waiting.insert(value, at: 0)
        return value
    }

    /// Removes and returns every value that may not have reached the phone.
    mutating func abandon() -> [PushedValue] {
        defer { (waiting, unconfirmed) = ([], nil) }
        return (unconfirmed.map { [$0.value] } ?? []) + waiting
    }
}
