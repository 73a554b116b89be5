import Encoding
import Foundation
import Glibc
import Simulation
import Synchronization
import TestKit

/// A virtual controller with its phones over H4 on TCP, in real time: the peer of the real program at
/// `radio.transport = "tcp"`.
final class ControllerOnLoopback: Sendable {
    private struct State {
        var radio: VirtualRadio
        var invitation: String?
        var isNew = false
    }

    /// The port on which it listens.
    let port: Int
    private let listener: Int32
    private let state: Mutex<State>
    private let isOver = Atomic<Bool>(false)

    /// Starts a controller with these visitors, who arrive once an invitation is shown.
    init(_ visits: [Simulation.Visit] = []) throws {
        (listener, port) = try LoopbackServer.listen()
        state = Mutex(State(radio: VirtualRadio(visits: visits)))
        Thread { [self] in serve() }.start()
    }

    /// Stops the controller.
    func stop() { isOver.store(true, ordering: .relaxed) }

    /// Sets the URI that visitors see on the display.
    func show(_ uri: String) {
        state.withLock { ($0.invitation, $0.isNew) = (uri, true) }
    }

    /// The outcomes of the visits so far.
    var outcomes: [Int: VisitOutcome] { state.withLock { $0.radio.outcomes } }

    private func serve() {
        defer { close(listener) }
        let origin = ContinuousClock.now
        while !isOver.load(ordering: .relaxed) {
            guard Self.isReadable(listener, 50) else { continue }
            let host = accept(listener, nil, nil)
            guard host >= 0 else { continue }
            defer { close(host) }
            var waiting: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while !isOver.load(ordering: .relaxed) {
                if Self.isReadable(host, 5) {
                    let count = read(host, &piece, piece.count)
                    if count <= 0 { break }
                    waiting += piece[..<count]
                }
                let now = Instant(nanoseconds: origin.duration(to: .now).nanoseconds)
                let out = state.withLock { state -> [UInt8] in
                    var actions: [VirtualRadio.Action] = []
                    if state.isNew {
                        state.isNew = false
                        actions += state.radio.handle(.invitation(state.invitation), at: now)
                    }
                    while let packet = Self.packet(&waiting) {
                        actions += state.radio.handle(.fromHost(packet), at: now)
                    }
                    actions += state.radio.handle(.timer, at: now)
                    return actions.flatMap { if case .toHost(let packet) = $0 { packet } else { [UInt8]() } }
                }
                var rest = out[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        send(host, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if count <= 0 { break }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }

    /// Removes and returns the first complete packet: a command has its length in the fourth byte, a data
    /// packet in the fourth and fifth.
    private static func packet(_ bytes: inout [UInt8]) -> [UInt8]? {
        guard bytes.count >= 5 || bytes.first == 1 && bytes.count >= 4 else { return nil }
        let length = bytes[0] == 1 ? 4 + Int(bytes[3]) : 5 + Int(bytes[3]) + Int(bytes[4]) << 8
        guard bytes.count >= length else { return nil }
        defer { bytes.removeFirst(length) }
        return Array(bytes[..<length])
    }

    private static func isReadable(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, milliseconds) > 0
    }
}
