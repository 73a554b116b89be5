import CLinuxShims
import Encoding
import Glibc

/// Answers requests over a Unix socket. A client sends one line of JSON and receives one line of JSON.
///
/// The server has its own thread, and no visit waits for it. Each connection ends at its deadline, whatever the
/// client does. A client without permission is refused before any of its bytes are read.
package actor ControlServer {
    /// The bounds of the server.
    package struct Limits: Sendable {
        /// The maximum number of connections at the same time. The number of answers in preparation has the same
        /// limit.
        package var clients = 8
        /// The number of connections, and of answers in preparation, that are reserved for the owner. All other
        /// permitted clients share the remaining ones.
        package var kept = 2
        /// The maximum length of a request in bytes, without its line end. An invitation of 64 KiB fits even if each
        /// of its characters is escaped.
        package var request = 144 * 1024
        /// The time limit from the acceptance of a connection to the last byte of the answer.
        package var time: Duration = .seconds(2)
        /// The maximum number of connections that the kernel queues until they are accepted.
        package var backlog: Int32 = 16

        /// Creates the default limits.
        package init() {}
    }

    /// Prepares the answer to the line that a peer sent, both without line ends. The preparation may take long, but
    /// the client is disconnected at its deadline.
    package typealias Answer = @Sendable (_ peer: PeerCredentials, _ line: [UInt8]) async -> [UInt8]

    private enum Phase {
        case reading
        case answering
        /// The value is the part of the answer that has not been sent yet.
        case writing(ArraySlice<UInt8>)
    }

    private struct Client {
        let number: UInt64
        let peer: PeerCredentials
        let isOwner: Bool
        let deadline: Instant
        var phase = Phase.reading
        /// The part of the request that was received so far.
        var request: [UInt8] = []
    }

    private nonisolated let thread: PollThread
    /// The executor of this actor: the server's own thread. Every method of the actor runs on it.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let limits: Limits
    private let permits: @Sendable (PeerCredentials) -> Bool
    private let isOwner: @Sendable (PeerCredentials) -> Bool
    private let answer: Answer
    private var listener: ControlSocket?
    private var timer: PollThread.Timer?
    private var clients: [Int32: Client] = [:]
    private var lastNumber: UInt64 = 0
    /// The number of answers that are being prepared, including those for clients that have disconnected.
    private var answering = 0
    /// The number of answers in ``answering`` that are not for the owner's clients.
    private var answeringOthers = 0
    /// The instant at which the server accepts connections again after the system had no descriptor or memory left;
    /// nil: it accepts connections now.
    private var pausedUntil: Instant?

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - permits: Returns whether a peer may send requests. The kernel provides the peer's credentials.
    ///   - isOwner: Returns whether the peer is the owner, for which capacity is reserved because it may give orders
    ///     to the gate.
    ///   - answer: Prepares the answer to a request.
    package init(
        limits: Limits = Limits(), permits: @escaping @Sendable (PeerCredentials) -> Bool,
        isOwner: @escaping @Sendable (PeerCredentials) -> Bool, answer: @escaping Answer
    ) throws(SystemError) {
        thread = try PollThread(name: "gatehouse-ctl")
        (self.limits, self.permits, self.isOwner, self.answer) = (limits, permits, isOwner, answer)
    }

    /// Starts to listen at the path `path`. With `isShared` every user can connect, and the server refuses those
    /// without permission; otherwise only root and the service's own user can connect. If the server already listens,
    /// the new socket replaces the old one, and connected clients still receive their answers.
    package func open(_ path: String, isShared: Bool) throws(SystemError) {
        let socket = try ControlSocket(path, isShared: isShared, backlog: limits.backlog)
        if let listener {
            thread.unwatch(listener.descriptor)
            listener.close()
        }
        (listener, pausedUntil) = (socket, nil)
        timer = timer ?? thread.makeTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
        listen(socket)
    }

    /// Whether the server listens and the path still leads to its socket.
    package var isInPlace: Bool { listener?.isInPlace ?? false }

    /// Disconnects all clients, removes the socket's file and ends the thread.
    package func close() {
        if let listener {
            thread.unwatch(listener.descriptor)
            listener.close()
        }
        listener = nil
        for descriptor in Array(clients.keys) { drop(descriptor) }
        thread.stop()
    }

    // MARK: - Connections

    private func listen(_ socket: ControlSocket) {
        thread.watch(socket.descriptor, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.accept() } }
    }

    private func accept() {
        guard let listener else { return }
        // Accept at most as many connections as the kernel's queue holds, so that a flood of connections does not
        // delay the connected clients.
        for _ in 0..<limits.backlog {
            let descriptor = clinux_accept(listener.descriptor)
            if descriptor >= 0 {
                begin(descriptor)
            } else if descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOBUFS || descriptor == -ENOMEM
            {
                // Stop watching the listener for a second. Without a free descriptor no connection can be accepted,
                // so the listener would stay readable and the thread would not rest.
                thread.unwatch(listener.descriptor)
                pausedUntil = SystemClock.now().advanced(by: .seconds(1))
                break
            } else if descriptor == -EAGAIN {
                break
            }
        }
        arm()
    }

    private func begin(_ descriptor: Int32) {
        guard let peer = PeerCredentials(of: descriptor), permits(peer) else {
            return refuse(descriptor, "not permitted", "use root or a member of the service's control.group")
        }
        let isOwner = isOwner(peer)
        guard hasRoom(isOwner, beside: clients.count, others: clients.values.count { !$0.isOwner }) else {
            return refuse(descriptor, "too many requests at the same time", "try again in a moment")
        }
        lastNumber += 1
        clients[descriptor] = Client(
            number: lastNumber, peer: peer, isOwner: isOwner, deadline: SystemClock.now().advanced(by: limits.time))
        thread.watch(descriptor, for: .readable) { [weak self] interest in
            self?.assumeIsolated { $0.turn(descriptor, interest) }
        }
    }

    /// Returns whether one more connection or answer is permitted. `all` is the present number of them, `others` the
    /// number of those that are not the owner's.
    private func hasRoom(_ isOwner: Bool, beside all: Int, others: Int) -> Bool {
        all < limits.clients && (isOwner || others < limits.clients - limits.kept)
    }

    /// Sends a refusal and disconnects the client. Sends only what the kernel accepts without waiting.
    private func refuse(_ descriptor: Int32, _ error: String, _ remedy: String) {
        let line = Self.refusal(error, remedy)
        _ = line.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        Glibc.close(descriptor)
    }

    private static func refusal(_ error: String, _ remedy: String) -> [UInt8] {
        let answer: JSON = ["error": .text(error), "remedy": .text(remedy)]
        return answer.compactBytes + [0x0A]
    }

    private func drop(_ descriptor: Int32) {
        guard clients.removeValue(forKey: descriptor) != nil else { return }
        thread.unwatch(descriptor)
        Glibc.close(descriptor)
    }

    // MARK: - Requests of a client

    private func turn(_ descriptor: Int32, _ interest: PollThread.Interest) {
        guard let client = clients[descriptor] else { return }
        switch client.phase {
        case .reading: read(descriptor, client.request.count)
        case .answering: if interest.contains(.hangUp) { drop(descriptor) }
        case .writing(let rest): write(descriptor, rest)
        }
    }

    private func read(_ descriptor: Int32, _ before: Int) {
        var piece = [UInt8](repeating: 0, count: min(16_384, limits.request + 1 - before))
        let count = recv(descriptor, &piece, piece.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return drop(descriptor) }
        let end = piece[..<count].firstIndex(of: 0x0A)
        clients[descriptor]?.request += piece[..<(end ?? count)]
        if end != nil {
            ask(descriptor)
        } else if before + count > limits.request {
            write(descriptor, Self.refusal("the request is too long", "send one line of JSON")[...])
        }
    }

    private func ask(_ descriptor: Int32) {
        guard let client = clients[descriptor] else { return }
        guard hasRoom(client.isOwner, beside: answering, others: answeringOthers) else {
            return write(descriptor, Self.refusal("too many requests at the same time", "try again in a moment")[...])
        }
        answering += 1
        if !client.isOwner { answeringOthers += 1 }
        clients[descriptor]?.phase = .answering
        thread.update(descriptor, for: [])
        Task { [answer] in
            let bytes = await answer(client.peer, client.request)
            self.answered(descriptor, client, bytes)
        }
    }

    private func answered(_ descriptor: Int32, _ client: Client, _ bytes: [UInt8]) {
        answering -= 1
        if !client.isOwner { answeringOthers -= 1 }
        // The client may have disconnected, and another client may have the same descriptor by now.
        guard clients[descriptor]?.number == client.number else { return }
        write(descriptor, (bytes + [0x0A])[...])
    }

    private func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0, errno != EAGAIN, errno != EINTR { return drop(descriptor) }
        let rest = bytes.dropFirst(max(0, count))
        guard !rest.isEmpty else { return drop(descriptor) }
        clients[descriptor]?.phase = .writing(rest)
        thread.update(descriptor, for: .writable)
    }

    // MARK: - Time

    private func tick() {
        let now = SystemClock.now()
        for (descriptor, client) in clients where now >= client.deadline { drop(descriptor) }
        if let until = pausedUntil, now >= until, let listener {
            pausedUntil = nil
            listen(listener)
        }
        arm()
    }

    private func arm() { timer?.set((clients.values.map(\.deadline) + [pausedUntil].compactMap { $0 }).min()) }
}
