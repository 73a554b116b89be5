import Credentials
import Encoding
import Foundation
import Glibc
import Kiosk
import LinuxIO
import Testing

@testable import Appliance

/// What systemd is told of the start.
@Suite struct ReadinessTests {
    /// The service manager's end of the socket.
    private final class Manager {
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

        var output: ReadinessOutput { ReadinessOutput(ServiceManager(environment: ["NOTIFY_SOCKET": path])) }

        /// The messages so far.
        func messages() -> [String] {
            var (messages, buffer): ([String], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return messages }
                messages.append(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
        }
    }

    private let fault = KioskNote.fault(.gpioFailed, isPresent: true, count: 1, detail: "no chip")

    @Test func aBoxWithAFaultIsReadyToo() throws {
        let manager = try Manager()
        let output = manager.output
        output.note(fault, of: nil, at: .zero)
        #expect(manager.messages().isEmpty)
        output.note(.advertising(uri: "first"), of: nil, at: .zero)
        #expect(manager.messages() == ["READY=1\nSTATUS=fault.gpio: no chip"])
        output.note(.advertising(uri: "second"), of: nil, at: .zero)
        #expect(manager.messages().isEmpty)
        output.note(.fault(.gpioFailed, isPresent: false, count: 1, detail: nil), of: nil, at: .zero)
        #expect(manager.messages() == ["STATUS=waiting for a phone"])
    }

    @Test func aRadioOutOfOrderIsNoReasonToStartAgain() throws {
        let manager = try Manager()
        let output = manager.output
        output.note(.radioFailed(reason: "no adapter", retryIn: .seconds(1)), of: nil, at: .zero)
        output.note(fault, of: nil, at: .zero)
        #expect(
            manager.messages() == [
                "READY=1\nSTATUS=radio out of order: no adapter", "STATUS=fault.gpio: no chip",
            ])
    }
}
