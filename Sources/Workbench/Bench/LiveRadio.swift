import Clocks
import Encoding
package import LinuxIO
package import Simulation

/// A ``VirtualRadio`` that runs in real time at the other end of a transport, for measurements of the real
/// ``Gatekeeper``.
package actor LiveRadio {
    private nonisolated let thread: PollThread
    /// The executor of the radio's own thread. The radio has its own thread because a real controller has its own
    /// processor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let transport: PacketTransport
    private var radio: VirtualRadio
    private let speed: Int64
    private let origin = Clock.system.now()
    private var timer: PollThread.Timer?
    private let onFinish: @Sendable () -> Void
    private var hasFinished = false
    private var whenIdle: CheckedContinuation<Void, Never>?

    /// Creates a radio at the other end of the socket `descriptor` (SOCK_SEQPACKET), and closes this socket at the end.
    /// The radio's time runs `speed` times as fast as real time. `onFinish` is called when all visits of the first
    /// script have ended.
    package init(
        _ radio: VirtualRadio, descriptor: Int32, speed: Int64 = 1,
        onFinish: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        thread = try PollThread(name: "virtual-radio")
        transport = PacketTransport(descriptor: descriptor)
        self.radio = radio
        self.speed = max(1, speed)
        self.onFinish = onFinish
    }

    /// Starts to receive packets and to advance the virtual time.
    package func start() {
        timer = thread.makeTimer { [weak self] in self?.assumeIsolated { $0.handle(.timer) } }
        thread.watch(transport.descriptor, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.receive() }
        }
        handle(.timer)
    }

    /// Plays another script. The previous script must have ended. Returns when the last visitor has left and every link
    /// has ended.
    package func play(_ visits: [Visit]) async {
        radio.play(visits, at: radioNow)
        await withCheckedContinuation { continuation in
            whenIdle = continuation
            handle(.timer)
        }
    }

    /// Shows an invitation to the phones, as a display does; nil removes the invitation.
    package func showInvitation(_ uri: String?) { handle(.invitation(uri)) }

    /// Stops the thread and closes the transport.
    package func stop() {
        thread.stop()
        transport.close()
    }

    private func receive() {
        for event in transport.receive() {
            guard case .packet(let packet) = event else { return stop() }
            handle(.fromHost(packet))
        }
    }

    private func handle(_ event: VirtualRadio.Event) {
        for action in radio.handle(event, at: radioNow) {
            if case .toHost(let packet) = action { _ = transport.send(packet) }
        }
        timer?.set(radio.deadline.map { origin.advanced(by: .nanoseconds($0.nanoseconds / speed + 1)) })
        if radio.isFinished, !hasFinished {
            hasFinished = true
            onFinish()
        }
        if radio.isIdle { whenIdle.take()?.resume() }
    }

    private var radioNow: Instant {
        Instant(nanoseconds: origin.duration(to: Clock.system.now()).nanoseconds * speed)
    }
}
