import CLinuxShims
import Encoding
import Glibc

/// Answers questions over a Unix socket: a connection brings one line of JSON and gets one line back.
///
/// It has a thread of its own, and nobody at the gate waits for it. Every client has a time limit, whatever it does or leaves
/// undone; who may not ask is turned away before he is read.
package actor ControlServer {
    /// Bounds.
    package struct Limits: Sendable {
        /// Clients at a time, and answers in the making.
        package var clients = 8
        /// Places among them, and answers, that are the owner's alone: whoever else may ask takes the others.
        package var kept = 2
        /// Bytes of a request, without its line end: an invitation of 64 KiB of which every letter is escaped, and its frame.
        package var request = 144 * 1024
        /// From the connection to the last byte of the answer.
        package var time: Duration = .seconds(2)
        /// Connections that the kernel keeps until they are taken.
        package var backlog: Int32 = 16

        /// The documented defaults.
        package init() {}
    }

    /// Makes the answer to a line of a peer, both without line ends. It may take its time; a client waits until its limit only.
    package typealias Answer = @Sendable (_ peer: PeerCredentials, _ line: [UInt8]) async -> [UInt8]

    private enum Phase {
        case reading
        case answering
        /// What is left of the answer.
        case writing(ArraySlice<UInt8>)
    }

    private struct Client {
        let number: UInt64
        let peer: PeerCredentials
        let isOwner: Bool
        let deadline: Instant
        var phase = Phase.reading
        /// The request so far.
        var request: [UInt8] = []
    }

    private nonisolated let thread: PollThread
    /// The server's own thread: every method of this actor runs there.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let limits: Limits
    private let permits: @Sendable (PeerCredentials) -> Bool
    private let isOwner: @Sendable (PeerCredentials) -> Bool
    private let answer: Answer
    private var listener: ControlSocket?
    private var timer: PollThread.Timer?
    private var clients: [Int32: Client] = [:]
    private var lastNumber: UInt64 = 0
    /// Answers in the making, those for clients that have gone included.
    private var answering = 0
    /// Those of them that are not for the owner.
    private var answeringOthers = 0
    /// When connections are taken again after the system had no descriptor left.
    private var pausedUntil: Instant?

    /// A server that is not open yet.
    ///
    /// - Parameters:
    ///   - permits: Who may ask; the kernel says who it is.
    ///   - isOwner: Whether a place is kept for him: for whoever may order something at the gate.
    ///   - answer: Answers him.
    package init(
        limits: Limits = Limits(), permits: @escaping @Sendable (PeerCredentials) -> Bool,
        isOwner: @escaping @Sendable (PeerCredentials) -> Bool, answer: @escaping Answer
    ) throws(SystemError) {
        thread = try PollThread(name: "gatehouse-ctl")
        (self.limits, self.permits, self.isOwner, self.answer) = (limits, permits, isOwner, answer)
    }

    /// Begins to listen at that path: with `isShared` for every user who is permitted, else for root and the service's own user.
    /// Where it listens already the new socket takes the place of the old one, whose clients are still answered.
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

    /// Whether it listens, and the path still names its socket.
    package var isInPlace: Bool { listener?.isInPlace ?? false }

    /// Drops all clients, takes the socket's file away and ends.
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
        // As many as the kernel keeps, so that a storm of them leaves the clients their turns.
        for _ in 0..<limits.backlog {
            let descriptor = clinux_accept(listener.descriptor)
            if descriptor >= 0 {
                begin(descriptor)
            } else if descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOBUFS || descriptor == -ENOMEM
            {
                // It would be ready for ever: look again later.
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
            return refuse(descriptor, "not permitted", "be root or a member of the service's control.group")
        }
        let isOwner = isOwner(peer)
        guard hasRoom(isOwner, beside: clients.count, others: clients.values.count { !$0.isOwner }) else {
            return refuse(descriptor, "too many ask at a time", "try again in a moment")
        }
        lastNumber += 1
        clients[descriptor] = Client(
            number: lastNumber, peer: peer, isOwner: isOwner, deadline: SystemClock.now().advanced(by: limits.time))
        thread.watch(descriptor, for: .readable) { [weak self] interest in
            self?.assumeIsolated { $0.turn(descriptor, interest) }
        }
    }

    /// Whether there is room for one more beside `all`, of which `others` are not the owner's.
    private func hasRoom(_ isOwner: Bool, beside all: Int, others: Int) -> Bool {
        all < limits.clients && (isOwner || others < limits.clients - limits.kept)
    }

    /// Says no to somebody who is not served, as far as that needs no waiting.
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

    // MARK: - A client's turn

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
            write(descriptor, Self.refusal("the request is too long", "one line of JSON")[...])
        }
    }

    private func ask(_ descriptor: Int32) {
        guard let client = clients[descriptor] else { return }
        guard hasRoom(client.isOwner, beside: answering, others: answeringOthers) else {
            return write(descriptor, Self.refusal("too many ask at a time", "try again in a moment")[...])
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
        // The descriptor may be another client's by now.
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
