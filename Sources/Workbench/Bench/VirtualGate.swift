import Clocks
import Credentials
import Encoding
import GateService
import Glibc
import Kiosk
import LinuxIO
import Simulation
import Synchronization
import Tuvali

/// The real ``Gatekeeper`` with its threads on a virtual radio in real time. ``KioskRules`` checks every turn of its
/// kiosk.
final class VirtualGate: Sendable {
    /// How many times faster than in reality the virtual radio and the phones run.
    static let speed: Int64 = 8

    private let radio: LiveRadio
    private let gatekeeper: Gatekeeper
    private let service: Task<Void, Never>
    private let listeners: Listeners
    private let rules: KioskWatch

    /// Starts the gate. `verify` and `observe` are those of ``Gatekeeper/Dependencies``. `date` is the date of every
    /// visit.
    init(
        verify: @escaping @Sendable (VisitID, [UInt8], WallTime) -> Verdict, date: WallTime, ledger: any VisitLedger,
        panel: any Panel, observe: @escaping Gatekeeper.TurnObserver
    ) async throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw DecisionBench.Failure(reason: "no socket pair")
        }
        let radio = try LiveRadio(VirtualRadio(visits: []), descriptor: ends[1], speed: Self.speed)
        let hostEnd = ends[0]
        var settings = KioskSettings(name: try Identifier("Bench"), softwareVersion: "bench")
        // Use a short pulse, so that no visitor has to wait for the end of the previous visitor's pulse.
        settings.gatePulse = .milliseconds(10)
        let rules = KioskWatch(settings)
        let listeners = try Listeners(
            [
                LogOutput(try LogSink(.file("/dev/null"))), Invitations(radio),
            ], clock: .system)
        let gatekeeper = try Gatekeeper(
            settings: settings,
            dependencies: Gatekeeper.Dependencies(
                clock: .system, spawner: .system,
                openTransport: { PacketTransport(descriptor: hostEnd) }, ledger: ledger, verify: verify,
                wallTime: { date }, panel: panel, listeners: listeners,
                observe: { event, actions, deadline, now in
                    rules.turn(event, actions, deadline: deadline, at: now)
                    observe(event, actions, deadline, now)
                }))
        (self.radio, self.gatekeeper, self.listeners, self.rules) = (radio, gatekeeper, listeners, rules)
        service = Spawner.system.start("the gate of the bench") { await gatekeeper.run() }
        await radio.start()
    }

    /// Plays the visits of a script, and returns when the last visitor has left.
    func play(_ visits: [Simulation.Visit]) async { await radio.play(visits) }

    /// Stops the gate in order. Returns the kiosk's violations of its rules.
    func stop() async -> [Violation] {
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        _ = listeners.flush(within: .seconds(1))
        return rules.violations
    }
}

/// Passes the gate's invitation to the phones of the radio, as a display does.
private final class Invitations: KioskListener {
    private let radio: LiveRadio
    /// The newest invitation. It is stored so that the phones receive it last, even if the tasks that pass invitations
    /// run in another order.
    private let shown = Mutex<String?>(nil)

    init(_ radio: LiveRadio) { self.radio = radio }

    func showInvitation(_ uri: String?, at now: Instant) {
        shown.withLock { $0 = uri }
        Spawner.system.start("an invitation on its way to the phones") { [self] in
            await radio.showInvitation(shown.withLock { $0 })
        }
    }
}

extension PhoneTraits {
    /// The traits of an Android phone that wastes no time: it reads the code at once, receives every advertisement, and
    /// its visitor chooses at once.
    static var hurried: PhoneTraits {
        var phone = PhoneTraits.android14
        phone.codeReading = .milliseconds(1)
        phone.hearing = 1
        phone.wallet.choosing = .zero
        phone.wallet.mtuWait = .milliseconds(200)
        return phone
    }
}
