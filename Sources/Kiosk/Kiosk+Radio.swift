import BluetoothHost
import Encoding
import Reasons
import Tuvali

/// The life of the radio: it is opened, set up and made to advertise, and is opened again when it fails.
extension Kiosk {
    /// The number of times within ``lapseTime`` that a controller may stop advertising by itself. A
    /// controller that does so more often is reset.
    static let maxLapses = 3
    static let lapseTime: Duration = .seconds(60)

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
        beginAnew(at: now)
        return [.openTransport]
    }

    mutating func beginAnew(at now: Instant) {
        radio = .starting(since: now)
        counters.ignoredPackets += host.ignoredPackets
        counters.droppedPDUs += host.droppedPDUs
        var configuration = settings.hostConfiguration
        configuration.usesAdvertisingSets = usesAdvertisingSets
        host = Host(configuration: configuration, services: settings.services)
    }

    /// Handles a failure of the radio: abandons the visits and offers, and then resets the controller at once or
    /// closes the transport and opens it again later.
    mutating func radioFailed(_ failure: RadioFailure, at now: Instant) -> [KioskAction] {
        if case .down = radio { return [] }
        var actions = abandonVisits(.radio, at: now)
        if offers.hasCurrent { actions.append(.showInvitation(nil)) }
        (offers, lapses) = (Offers(after: offers), [])
        counters.radioFailures += 1
        health.take(
            .present(.radioFailed, count: counters.radioFailures, detail: "\(failure.cause): \(failure)"), at: now)
        indicator.show(.fault, at: now)
        let (step, resetsAdapter) = supervisor.failed(canReset: failure.canReset, at: now)
        let isTold = supervisor.tells(failure, step, at: now)
        if resetsAdapter { actions += [.resetAdapter, .note(.adapterReset, nil)] }
        switch step {
        case .reset:
            if isTold { actions.append(.note(.radioFailed(failure, retryIn: .zero), nil)) }
            beginAnew(at: now)
            return actions + drive(.start, at: now)
        case .reopen(let wait):
            radio = .down(retryAt: now.advanced(by: wait))
            actions.append(.closeTransport)
            return isTold ? actions + [.note(.radioFailed(failure, retryIn: wait), nil)] : actions
        }
    }

    private mutating func hostFailed(_ failure: HostFailure, at now: Instant) -> [KioskAction] {
        if failure == .buffersKept { return buffersKept(at: now) }
        // Keep the advertising sets if a single command was not answered and advertising has worked before.
        let isHiccup = if case .commandTimedOut = failure { offers.haveAired } else { false }
        let endsSets = failure.isOfAdvertisingSets && usesAdvertisingSets && !isHiccup
        if endsSets { usesAdvertisingSets = false }
        return radioFailed(.host(failure, endsSets: endsSets), at: now)
    }

    /// Handles a controller that had stopped advertising by itself. After more than ``maxLapses`` within ``lapseTime``
    /// the radio counts as failed, but only if no visit would be lost.
    private mutating func lapsed(at now: Instant) -> [KioskAction] {
        counters.advertisingLapses += 1
        lapses = lapses.filter { $0.advanced(by: Self.lapseTime) > now } + [now]
        guard lapses.count > Self.maxLapses, visits.isEmpty else {
            return [.note(.radioLapsed(count: counters.advertisingLapses), nil)]
        }
        return radioFailed(.advertisingLapses, at: now)
    }

    mutating func drive(_ event: HostEvent, at now: Instant) -> [KioskAction] {
        switch radio {
        case .down, .stopped: return []
        case .starting, .up:
            let reactions = host.handle(event, at: now)
            let hasFailed = reactions.contains { if case .failed = $0 { true } else { false } }
            // If the radio has failed, end the visits first, so that the lost links are not attributed to the phones.
            let abandoned = hasFailed ? abandonVisits(.radio, at: now) : []
            return abandoned + reactions.flatMap { translate($0, at: now) }
        }
    }

    private mutating func translate(_ action: HostAction, at now: Instant) -> [KioskAction] {
        switch action {
        case .send(let packet):
            return [.send(packet)]
        case .ready(let information):
            return ready(information, at: now)
        case .connected(let connection, let address):
            return begin(connection, to: address, at: now)
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
            guard let characteristic = Characteristic(identifier), let generation = Generation(identifier) else {
                return []
            }
            return change(handle, at: now) { $0.written(value, to: characteristic, of: generation, at: now) }
        case .advertisingStarted:
            offers.started()
            return []
        case .advertisingLapsed:
            return lapsed(at: now)
        case .advertisingRefused(let opcode, let status):
            return refused(opcode, status, at: now)
        case .failed(let failure):
            return hostFailed(failure, at: now)
        case .advertisingStopped, .subscribed, .delivered, .unconfirmed, .notDelivered:
            return []
        }
    }

    private mutating func ready(_ information: ControllerInformation, at now: Instant) -> [KioskAction] {
        radio = .up
        health.take(.over(.radioFailed), at: now)
        declaredCapacity = information.advertisesWhileConnected ? .max : 1
        // After a reset that only freed links, nothing is reported again and the known capacity stays.
        if offers.hasCurrent { return [] }
        capacity = declaredCapacity
        supervisor.up(at: now)
        let description = Self.describe(information)
        (controller, reportedCapacity) = (description, .max)
        return [.note(.radioReady(description), nil)] + tellCapacity()
    }

    /// Handles a refusal to advertise. If links exist, the controller has reached its limit of links; without a link
    /// it is out of order. Advertisements that it already shows stay on the air, because a phone may still connect to
    /// them.
    private mutating func refused(_ opcode: HCIOpcode, _ status: HCIStatus, at now: Instant) -> [KioskAction] {
        guard host.linkCount > 0 else { return radioFailed(.advertisingRefused(opcode, status), at: now) }
        if !host.isAdvertising { offers.refused() }
        capacity = min(capacity, host.linkCount)
        for index in visits.indices { visits[index].isAlone = reserve == 0 }
        return tellCapacity()
    }

    private mutating func tellCapacity() -> [KioskAction] {
        guard capacity < min(settings.phones, reportedCapacity) else { return [] }
        reportedCapacity = capacity
        return [.note(.phonesLimited(to: capacity), nil)]
    }

    /// Describes the controller in one line, without data that identify this particular device.
    private static func describe(_ controller: ControllerInformation) -> String {
        let features = [
            controller.supportsDataLengthExtension ? "long packets" : nil, controller.supports2MPHY ? "2M" : nil,
            controller.advertisingSets > 0 ? "\(controller.advertisingSets) advertising sets" : nil,
        ].compactMap { $0 }
        return "HCI version \(controller.version.map(String.init) ?? "unknown"), "
            + "\(controller.aclPackets) × \(controller.aclLength) bytes"
            + (features.isEmpty ? "" : ", " + features.joined(separator: ", "))
    }
}

extension ConnectionParameters {
    /// The interval as a duration: the time from one connection event to the next.
    var time: Duration { .microseconds(1250 * Int64(interval)) }
}
