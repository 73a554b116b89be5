package import Encoding

/// One simulated LE connection: connection events, packets per event, air time, loss and retries.
///
/// A connection event starts every interval. In each event the two sides exchange packets alternately, the central
/// first. The event ends when neither side has data that was queued before the event, when the number of packets per
/// event is reached, or when the next exchange would not end before the next event. A request and its answer therefore
/// take two intervals, as measured on phones. The link layer loses no data: a lost packet ends its event and is
/// repeated in the next event (Core Specification Vol 6 Part B 4.5.9).
package struct Link: Sendable {
    /// An end of the link.
    package enum Side: Sendable {
        /// The central of the link: the phone.
        case central
        /// The peripheral of the link: the verifier's controller.
        case peripheral
    }

    /// A change that the link layer negotiated, in force from the moment of its report.
    package enum Change: Equatable, Sendable {
        /// The connection changes to a new interval, latency and timeout.
        case parameters(ConnectionParameters)
        /// The payload sizes in each direction, in bytes (27 to 251).
        case payload(toCentral: Int, toPeripheral: Int)
        /// The PHY of both directions.
        case phy(PHY)
    }

    /// An output of the link.
    package enum Output: Equatable, Sendable {
        /// A data packet from the side `from` arrived. `start`: whether it is the first packet of an L2CAP PDU.
        case delivered(from: Side, bytes: [UInt8], start: Bool)
        /// The side `by` got the acknowledgement of the last packet from one call of ``send(_:start:from:at:)``.
        case completed(by: Side)
        /// The side `by` ended the connection with the error code `reason`.
        case terminated(by: Side, reason: UInt8)
        /// The given negotiated change took effect.
        case changed(Change)
        /// The connection was lost: no packet arrived for the supervision timeout.
        case lost
    }

    private struct Packet: Sendable {
        var bytes: [UInt8]
        var start: Bool
        var completes: Bool
        var termination: UInt8?
    }

    private enum Phase: Sendable {
        case idle
        case waiting(anchor: Instant)
        case exchanging(Exchange)
        case closed
    }

    private struct Exchange: Sendable {
        var end: Instant
        var eventEnd: Instant
        var packetsLeft: Int
        var eligibleCentral: Int
        var eligiblePeripheral: Int
        var centralSends: Bool
        var peripheralSends: Bool
    }

    /// The parameters in force.
    package private(set) var parameters: ConnectionParameters
    /// The PHY in force.
    package private(set) var phy: PHY
    /// The payload size in bytes of a packet to the phone, 27 … 251.
    private(set) var payloadToCentral = 27
    /// The payload size in bytes of a packet to the verifier, 27 … 251.
    private(set) var payloadToPeripheral = 27
    private let packetsPerEvent: Int
    private let loss: Double
    private var random: SplitMix64
    private var anchor: Instant
    private var lastAnchor: Instant?
    private var fromCentral: [Packet] = []
    private var fromPeripheral: [Packet] = []
    private var phase = Phase.idle
    private var changes = EventQueue<Change>()
    private var silentUntil: Instant?
    /// The time at which the peripheral stops waiting for the acknowledgement of its termination (Vol 6 Part B 5.1.6).
    private var terminatedBy: Instant?
    /// Whether the central acknowledges no packets.
    private var isGagged = false

    /// Creates a link whose first connection event is at `anchor`.
    ///
    /// `packetsPerEvent`: the number of exchanges per event (at least 1). `loss`: the probability (0 to 1) that an
    /// exchange fails.
    package init(
        parameters: ConnectionParameters, phy: PHY = .le1M, packetsPerEvent: Int, loss: Double = 0,
        random: SplitMix64 = SplitMix64(seed: 0), anchor: Instant
    ) {
        self.parameters = parameters
        self.phy = phy
        self.packetsPerEvent = max(1, packetsPerEvent)
        self.loss = min(loss, 0.99)
        self.random = random
        self.anchor = anchor
    }

    /// The next instant at which the link acts without an event from outside; nil if it is idle or closed.
    package var deadline: Instant? {
        if case .closed = phase { return nil }
        let lost = [silentUntil, terminatedBy].compactMap { $0 }.min()
        if let lost, silentUntil != nil { return lost }
        let activity: Instant? =
            switch phase {
            case .idle, .closed: nil
            case .waiting(let anchor): anchor
            case .exchanging(let exchange): exchange.end
            }
        return [activity, changes.deadline, lost].compactMap { $0 }.min()
    }

    /// Queues a whole L2CAP PDU or a part of one, split into packets of the payload size. `start`: whether it is the
    /// first part.
    package mutating func send(_ bytes: [UInt8], start: Bool, from side: Side, at now: Instant) {
        let size = side == .central ? payloadToPeripheral : payloadToCentral
        var (rest, isStart) = (bytes[...], start)
        repeat {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            enqueue(Packet(bytes: Array(piece), start: isStart, completes: rest.isEmpty), from: side, at: now)
            isStart = false
        } while !rest.isEmpty
    }

    /// Terminates the connection after the queued data of `side`. If the peripheral terminates and the central
    /// acknowledges no packets, the connection ends after the supervision timeout.
    package mutating func terminate(reason: UInt8, from side: Side, at now: Instant) {
        if side == .peripheral { terminatedBy = terminatedBy ?? now.advanced(by: parameters.timeoutTime) }
        enqueue(Packet(bytes: [], start: false, completes: false, termination: reason), from: side, at: now)
    }

    /// Applies a change after `count` connection intervals (6 for a connection update, 5.1.1).
    package mutating func change(_ change: Change, afterIntervals count: Int, at now: Instant) {
        changes.add(change, at: nextAnchor(notBefore: now).advanced(by: parameters.intervalTime * count))
    }

    /// Stops all packets. Both sides detect the silence by the supervision timeout.
    package mutating func fallSilent(at now: Instant) {
        guard silentUntil == nil else { return }
        silentUntil = now.advanced(by: parameters.timeoutTime)
    }

    /// Stops the central's acknowledgements of the peripheral's packets. The central continues to send.
    package mutating func gag() { isGagged = true }

    /// Performs all steps that are due by `now`.
    package mutating func advance(to now: Instant) -> [Output] {
        var outputs: [Output] = []
        while let due = deadline, due <= now { step(at: due, &outputs) }
        return outputs
    }

    private mutating func step(at now: Instant, _ outputs: inout [Output]) {
        if silentUntil != nil || terminatedBy.map({ $0 <= now }) ?? false {
            phase = .closed
            outputs.append(.lost)
            return
        }
        if let change = changes.take(dueBy: now) {
            // The data length event is sent for changes only (Vol 4 Part E 7.7.65.7).
            if change != .payload(toCentral: payloadToCentral, toPeripheral: payloadToPeripheral) {
                apply(change, at: now)
                outputs.append(.changed(change))
            }
            return
        }
        switch phase {
        case .idle, .closed: break
        case .waiting(let anchor): beginEvent(at: anchor)
        case .exchanging(let exchange): finish(exchange, &outputs)
        }
    }

    private mutating func enqueue(_ packet: Packet, from side: Side, at now: Instant) {
        if side == .central { fromCentral.append(packet) } else { fromPeripheral.append(packet) }
        if case .idle = phase { phase = .waiting(anchor: nextAnchor(notBefore: now)) }
    }

    private func nextAnchor(notBefore now: Instant) -> Instant {
        let interval = parameters.intervalTime
        var earliest = max(now, anchor)
        if let lastAnchor { earliest = max(earliest, lastAnchor.advanced(by: interval)) }
        let elapsed = anchor.duration(to: earliest).nanoseconds
        let events = (elapsed + interval.nanoseconds - 1) / interval.nanoseconds
        return anchor.advanced(by: .nanoseconds(events * interval.nanoseconds))
    }

    private mutating func beginEvent(at start: Instant) {
        lastAnchor = start
        next(
            Exchange(
                end: start, eventEnd: start.advanced(by: parameters.intervalTime), packetsLeft: packetsPerEvent,
                eligibleCentral: fromCentral.count, eligiblePeripheral: fromPeripheral.count, centralSends: false,
                peripheralSends: false),
            isFirst: true)
    }

    /// Starts the exchange after `previous`, or closes the event.
    private mutating func next(_ previous: Exchange, isFirst: Bool = false) {
        var exchange = previous
        exchange.centralSends = exchange.eligibleCentral > 0
        exchange.peripheralSends = exchange.eligiblePeripheral > 0
        let duration = phy.exchangeTime(
            central: exchange.centralSends ? fromCentral.first?.bytes.count ?? 0 : 0,
            peripheral: exchange.peripheralSends ? fromPeripheral.first?.bytes.count ?? 0 : 0)
        exchange.end = previous.end.advanced(by: duration)
        let hasData = exchange.centralSends || exchange.peripheralSends
        let fits = isFirst || exchange.end <= exchange.eventEnd
        if hasData, fits, exchange.packetsLeft > 0 {
            phase = .exchanging(exchange)
        } else {
            closeEvent(at: previous.end)
        }
    }

    private mutating func closeEvent(at now: Instant) {
        let isEmpty = fromCentral.isEmpty && fromPeripheral.isEmpty
        phase = isEmpty ? .idle : .waiting(anchor: nextAnchor(notBefore: now))
    }

    private mutating func finish(_ done: Exchange, _ outputs: inout [Output]) {
        var exchange = done
        guard !random.happens(loss) else { return closeEvent(at: exchange.end) }
        if exchange.centralSends, !fromCentral.isEmpty {
            exchange.eligibleCentral -= 1
            deliver(fromCentral.removeFirst(), from: .central, &outputs)
        }
        if exchange.peripheralSends, !fromPeripheral.isEmpty, !isGagged {
            exchange.eligiblePeripheral -= 1
            deliver(fromPeripheral.removeFirst(), from: .peripheral, &outputs)
        }
        if case .closed = phase { return }
        exchange.packetsLeft -= 1
        next(exchange)
    }

    private mutating func deliver(_ packet: Packet, from side: Side, _ outputs: inout [Output]) {
        if case .closed = phase { return }
        if let reason = packet.termination {
            phase = .closed
            outputs.append(.terminated(by: side, reason: reason))
            return
        }
        outputs.append(.delivered(from: side, bytes: packet.bytes, start: packet.start))
        if packet.completes { outputs.append(.completed(by: side)) }
    }

    private mutating func apply(_ change: Change, at now: Instant) {
        switch change {
        case .parameters(let new):
            parameters = new
            anchor = now
            lastAnchor = nil
            if case .waiting = phase { phase = .waiting(anchor: now) }
        case .payload(let toCentral, let toPeripheral):
            payloadToCentral = min(max(toCentral, 27), 251)
            payloadToPeripheral = min(max(toPeripheral, 27), 251)
        case .phy(let new): phy = new
        }
    }
}
