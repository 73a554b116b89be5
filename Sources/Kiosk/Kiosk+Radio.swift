import BluetoothHost
import Credentials
import Encoding
import Tuvali

/// The radio: opened, set up, on the air, and opened anew when it fails.
extension Kiosk {
    var radioDeadline: Instant? {
        switch radio {
        case .down(let retryAt): retryAt
        case .starting(let since):
            [since.advanced(by: settings.radioStartLimit), host.deadline].compactMap { $0 }.min()
        case .up: host.deadline
        case .stopped: nil
        }
    }

    mutating func openRadio(at now: Instant) -> [KioskAction] {
        radio = .starting(since: now)
        counters.ignoredPackets += host.ignoredPackets
        counters.droppedPDUs += host.droppedPDUs
        host = Host(configuration: settings.hostConfiguration, services: [.tuvali])
        return [.openTransport]
    }

    mutating func radioFailed(_ reason: String, at now: Instant) -> [KioskAction] {
        if case .down = radio { return [] }
        var actions = abandonVisits(.radio, at: now)
        if offers.current != nil { actions.append(.showInvitation(nil)) }
        offers = Offers()
        counters.radioFailures += 1
        health.take(.present(.radioFailed, count: counters.radioFailures, detail: reason), at: now)
        if let since = upSince, since.duration(to: now) >= settings.radioSettling {
            (backoff, radioTold) = (settings.radioBackoff.lowerBound, nil)
        }
        upSince = nil
        let wait = backoff
        backoff = min(backoff * 2, settings.radioBackoff.upperBound)
        radio = .down(retryAt: now.advanced(by: wait))
        indicator.show(.fault, at: now)
        // It is tried often and told seldom: a log is read by people.
        if let told = radioTold, wait == settings.radioBackoff.upperBound,
            told.reason.utf8.elementsEqual(reason.utf8), now < told.at.advanced(by: settings.radioReminder)
        {
            return actions + [.closeTransport]
        }
        radioTold = (reason, now)
        return actions + [.closeTransport, .note(.radioFailed(reason: reason, retryIn: wait), nil)]
    }

    mutating func drive(_ event: HostEvent, at now: Instant) -> [KioskAction] {
        switch radio {
        case .down, .stopped: return []
        case .starting, .up: return host.handle(event, at: now).flatMap { translate($0, at: now) }
        }
    }

    private mutating func translate(_ action: HostAction, at now: Instant) -> [KioskAction] {
        switch action {
        case .send(let packet):
            return [.send(packet)]
        case .ready(let information):
            return ready(information, at: now)
        case .connected(let connection):
            return begin(connection, at: now)
        case .disconnected(let handle, _):
            return phoneLeft(handle, at: now)
        case .mtuChanged(let handle, let mtu):
            guard let id = visits.first(where: { $0.connection == handle })?.id else { return [] }
            return [.note(.mtu(bytes: mtu), id)] + session(.mtuChanged(mtu), on: handle, at: now)
        case .parametersChanged(let handle, let parameters):
            if let index = visits.firstIndex(where: { $0.connection == handle }) {
                visits[index].interval = parameters.time
            }
            return []
        case .written(let handle, let identifier, let value, _):
            guard let characteristic = Characteristic(identifier) else { return [] }
            return session(.write(characteristic, value), on: handle, at: now)
        case .advertisingStarted:
            offers.started(at: now)
            return []
        case .advertisingRefused(let opcode, let status):
            return refused(opcode, status, at: now)
        case .failed(let failure):
            return radioFailed(failure.description, at: now)
        case .advertisingStopped, .subscribed, .delivered, .unconfirmed, .notDelivered:
            return []
        }
    }

    private mutating func ready(_ information: ControllerInformation, at now: Instant) -> [KioskAction] {
        radio = .up
        upSince = now
        offers = Offers()
        health.take(.over(.radioFailed), at: now)
        let description = Self.describe(information)
        controller = description
        declaredCapacity = information.advertisesWhileConnected ? .max : 1
        (capacity, capacityTold) = (declaredCapacity, .max)
        return [.note(.radioReady(description), nil)] + tellCapacity()
    }

    /// The controller would not advertise. Beside a connection that is its limit; without one it is out of order.
    private mutating func refused(_ opcode: HCIOpcode, _ status: HCIStatus, at now: Instant) -> [KioskAction] {
        guard !visits.isEmpty else {
            return radioFailed("the adapter refused to advertise: \(opcode), \(status)", at: now)
        }
        offers.refused()
        capacity = min(capacity, visits.count)
        return tellCapacity()
    }

    private mutating func tellCapacity() -> [KioskAction] {
        guard capacity < min(settings.phones, capacityTold) else { return [] }
        capacityTold = capacity
        return [.note(.phonesLimited(to: capacity), nil)]
    }

    /// The controller in a line: nothing that identifies this one box.
    private static func describe(_ controller: ControllerInformation) -> String {
        let features = [
            controller.supportsDataLengthExtension ? "long packets" : nil, controller.supports2MPHY ? "2M" : nil,
        ].compactMap { $0 }
        return "HCI version \(controller.version.map(String.init) ?? "unknown"), "
            + "\(controller.aclPackets) × \(controller.aclLength) bytes"
            + (features.isEmpty ? "" : ", " + features.joined(separator: ", "))
    }
}

extension ConnectionParameters {
    /// The time from one meeting of the two radios to the next.
    var time: Duration { .microseconds(1250 * Int64(interval)) }
}
