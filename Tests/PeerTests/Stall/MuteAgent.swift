import Foundation
import Glibc
import Synchronization

/// A cloud agent that refuses every message and, from a given moment on, accepts connections and does not
/// answer.
final class MuteAgent: Sendable {
    private let listener: Int32
    private let port: UInt16
    private let state = Mutex((isMute: false, isOver: false))

    /// Listens on a free port of the loopback address.
    init() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isListening else {
            close(socket)
            throw PeerFailure("the agent cannot listen: \(errno)")
        }
        (listener, port) = (socket, UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { self.serve() }
    }

    /// Returns the agent's invitation. Its endpoint has the host name `host`.
    func invitation(host: String = "127.0.0.1") -> String {
        """
        {"@type":"https://didcomm.org/connections/1.0/invitation","@id":"mute","label":"Mute",\
        "recipientKeys":["7VQJbgvzvn5JTZRHHxw4fRBmsmakpCUE488znGyLaGsm"],"serviceEndpoint":"http://\(host):\(port)/"}
        """
    }

    /// Stops answering.
    func fallSilent() { state.withLock { $0.isMute = true } }

    /// Ends the agent.
    func stop() { state.withLock { $0.isOver = true } }

    private func serve() {
        var silent: [Int32] = []
        defer { for descriptor in silent + [listener] { close(descriptor) } }
        while !state.withLock({ $0.isOver }) {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            if state.withLock({ $0.isMute }) {
                silent.append(descriptor)
                continue
            }
            var request = [UInt8](repeating: 0, count: 65_536)
            _ = recv(descriptor, &request, request.count, 0)
            let answer = Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(descriptor)
        }
    }
}
