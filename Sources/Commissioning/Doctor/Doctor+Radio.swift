import LinuxIO
import Reasons
import Settings

extension Doctor {
    /// The findings about the Bluetooth controller: whether it exists, and whether the service can use it.
    var radio: [Finding] {
        let section = configuration.radio
        switch section.transport {
        case .userChannel: return adapter + (configured.map(rfkill) ?? []) + daemon + opener
        case .tcp:
            return [.good(.radio, "a controller at \(section.host):\(section.port), which only the service can check")]
        case .serial:
            let missing = Finding(TransportError.notFound(section.device))
            return device(section.device, Self.kind(ofSerial: section.device), missing: missing).map { [$0] } ?? serial
        }
    }

    private var serial: [Finding] { [.good(.radio, "a controller at \(configuration.radio.device)")] }

    /// Returns the class of a serial line's device node, as units name it: `char-ttyACM` for `/dev/ttyACM0`.
    static func kind(ofSerial path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return "char-" + String(name.reversed().drop { $0.isNumber }.reversed())
    }

    private var configured: Adapters.Adapter? {
        facts.radio.adapters?.first { adapter in
            facts.radio.name.map { adapter.name.utf8.elementsEqual($0.utf8) } ?? false
        }
    }

    private var adapter: [Finding] {
        guard let adapters = facts.radio.adapters else { return [Finding(TransportError.noBluetooth)] }
        guard let adapter = configured else {
            return [Finding(TransportError.notFound(configuration.radio.device, others: adapters.map(\.name)))]
        }
        return [Self.seen(adapter)]
    }

    /// Returns the finding that an adapter exists, with its location.
    static func seen(_ adapter: Adapters.Adapter) -> Finding {
        let place = adapter.location.isEmpty ? "a virtual one" : adapter.location
        return .good(.radio, "\(adapter.name), \(place)")
    }

    /// Returns the findings about whether a switch (rfkill) blocks the adapter's transmitter.
    func rfkill(_ adapter: Adapters.Adapter) -> [Finding] {
        if adapter.hardBlocked { return [Finding(TransportError.switchedOff, .rfkill)] }
        guard adapter.softBlocked else { return [.good(.rfkill, "\(adapter.name) is not blocked")] }
        return [
            Finding(
                TransportError.blocked, .rfkill,
                "\(adapter.name) is switched off; the service unblocks it when it starts",
                state: .warning)
        ]
    }

    /// The finding about bluetoothd: whether it leaves the adapter to the service.
    var daemon: [Finding] {
        if facts.radio.isDaemonRunning {
            // The service's unit stops bluetoothd when the service starts.
            var isServiceThere = false
            if case .running = facts.service { isServiceThere = true }
            let isStopped = facts.unit != nil && !isServiceThere
            let words = "it runs" + (isStopped ? "; the service stops it when it starts" : " and has the adapter")
            return [
                Finding(
                    TransportError.busy(configuration.radio.device, holder: "bluetoothd"), .bluetoothd, words,
                    state: isStopped ? .warning : .bad)
            ]
        }
        if facts.radio.mayDaemonStart {
            return [Finding(.bluetoothd, .boxBluetoothd, "it is not running now")]
        }
        return [.good(.bluetoothd, "it is not running")]
    }

    /// The finding about whether the service can get an adapter: from the opener, or by its own capability.
    var opener: [Finding] {
        // Without an installed unit there is no service that needs an adapter.
        guard let unit = facts.unit else { return [] }
        if unit.hasRadioRight { return [.good(.opener, "the service has its own capability (CAP_NET_ADMIN)")] }
        return facts.radio.hasOpener
            ? [.good(.opener, facts.openerName + ".socket")]
            : [Finding(.opener, .boxNoOpener, "\(facts.openerName).socket is masked or not installed")]
    }

    /// Returns the finding about a device node that the service has to open; nil if the service can use it. `missing`
    /// is the finding for a node that does not exist.
    func device(_ path: String, _ kind: String, missing: Finding) -> Finding? {
        guard let place = facts.places[path] else { return nil }
        if place.missing > 0 { return missing }
        if let unit = facts.unit, !unit.permits(device: path, of: kind) {
            return Finding(missing.check, .boxDeviceDenied, "\(path) (\(kind))")
        }
        guard let account = facts.account, place.writing(by: account) != .good else { return nil }
        return Finding(missing.check, .boxUnwritable, "\(facts.userName) may not use \(path)", remedy: Self.group)
    }

    private static let group =
        "Add the service to the node's group: SupplementaryGroups= in a drop-in (systemctl edit gatehouse)."
}
