import Foundation
import GateService
import Glibc
import LinuxIO
import Testing

/// The service manager's end of the socket.
final class ManagerSocket: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("g-\(UUID().uuidString.prefix(8))")
        .path
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    init() throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The program's end.
    var manager: ServiceManager { ServiceManager(environment: ["NOTIFY_SOCKET": path]) }

    var output: ReadinessOutput { ReadinessOutput(manager) }

    /// Returns the messages so far.
    func messages() -> [String] {
        var (messages, buffer): ([String], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            messages.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }
}
