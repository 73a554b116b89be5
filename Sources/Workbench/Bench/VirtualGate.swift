import Appliance
import Credentials
import Encoding
import Glibc
import Kiosk
import LinuxIO
import Simulation
import Synchronization
import Tuvali

/// The real ``Gatekeeper`` with its threads before a virtual radio that lives in real time, under the eyes of ``KioskRules``.
final class VirtualGate: Sendable {
    /// How much faster than in life radio and phones are.
    static let speed: Int64 = 8

    private let radio: LiveRadio
    private let gatekeeper: Gatekeeper
    private let service: Task<Void, Never>
    private let listeners: Listeners
    private let rules: KioskWatch

    /// Starts it. `verify` and `observe`: as in ``Gatekeeper/Surroundings``; `date` is now, always.
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
        // So short that nobody has to wait for the end of the pulse before his.
        settings.gatePulse = .milliseconds(10)
        let rules = KioskWatch(settings)
        let listeners = try Listeners([
            LogOutput(try LogSink(.file("/dev/null"))), Invitations(radio),
        ])
        let gatekeeper = try Gatekeeper(
            settings: settings,
            surroundings: Gatekeeper.Surroundings(
                openTransport: { PacketTransport(descriptor: hostEnd) }, ledger: ledger, verify: verify,
                wallTime: { date }, panel: panel, listeners: listeners,
                observe: { event, actions, deadline, now in
                    rules.turn(event, actions, deadline: deadline, at: now)
                    observe(event, actions, deadline, now)
                }))
        (self.radio, self.gatekeeper, self.listeners, self.rules) = (radio, gatekeeper, listeners, rules)
        service = Task { await gatekeeper.run() }
        await radio.start()
    }

    /// Plays a script and returns when the last visitor has gone.
    func play(_ visits: [Simulation.Visit]) async { await radio.play(visits) }

    /// Ends it in order. Returns what the kiosk did against its rules.
    func stop() async -> [Violation] {
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        _ = listeners.flush(within: .seconds(1))
        return rules.violations
    }
}

/// Shows the radio's phones what visitors see on the display.
private final class Invitations: KioskListener {
    private let radio: LiveRadio
    /// What was shown last: the tasks that tell it may overtake each other.
    private let shown = Mutex<String?>(nil)

    init(_ radio: LiveRadio) { self.radio = radio }

    func showInvitation(_ uri: String?, at now: Instant) {
        shown.withLock { $0 = uri }
        Task { await radio.showInvitation(shown.withLock { $0 }) }
    }
}

extension PhoneTraits {
    /// An Android phone in the hand of somebody who waits for nothing: the code is read at once, every advertisement heard.
    static var hurried: PhoneTraits {
        var phone = PhoneTraits.android14
        phone.codeReading = .milliseconds(1)
        phone.hearing = 1
        phone.wallet.choosing = .zero
        phone.wallet.mtuWait = .milliseconds(200)
        return phone
    }
}
