import Encoding
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// The control socket under hostile clients. The server never waits for a client beyond the time limit.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) final class ControlTests: Sendable {
    private let folder: TestFolder
    private var path: String { folder.path("control.sock") }

    init() throws { folder = try TestFolder("control") }

    /// Starts a server that by default answers with the request itself and serves every client.
    private func server(
        time: Duration = .seconds(20), permits: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
        isOwner: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
        answer: @escaping ControlServer.Answer = { $1 }
    ) async throws -> ControlServer {
        var limits = ControlServer.Limits()
        limits.time = time
        let server = try ControlServer(limits: limits, permits: permits, isOwner: isOwner, answer: answer)
        try await server.open(path, isShared: false)
        return server
    }

    private func ask(_ text: String, within limit: Duration = .seconds(20)) throws(ControlClient.Failure) -> String {
        String(decoding: try ControlClient.ask(path, Array(text.utf8), within: limit), as: UTF8.self)
    }

    /// Opens a raw connection to the server, without the client code.
    private func connection() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(withUnixAddress(path) { connect(descriptor, $0, $1) } == 0)
        return descriptor
    }

    /// Asks until the server has a free place; false if that takes half a minute.
    private func asksUntil(_ text: String) async throws -> Bool {
        for _ in 0..<3000 {
            if (try? ask(text)) == text { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// Returns all data until the server closes the connection.
    private func rest(_ descriptor: Int32) -> String {
        var text = ""
        while Sockets.waitReadable(descriptor) {
            let bytes = Sockets.readAll(descriptor, 1)
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    // MARK: - Questions

    @Test func aLineBringsALine() async throws {
        let server = try await server()
        #expect(try ask("one") == "one")
        #expect(try ask(String(repeating: "x", count: 4096)).count == 4096)
        let large = [UInt8](repeating: 0x61, count: 500_000)
        await server.close()
        let other = try await self.server(answer: { _, _ in large })
        #expect(try ask("all").utf8.count == large.count)
        await other.close()
        #expect(throws: ControlClient.Failure.notRunning) { try ask("one") }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func piecesMakeALine() async throws {
        let server = try await server()
        let slow = try connection()
        for byte in "slowly".utf8 {
            Sockets.writeAll(slow, [byte])
            try await Task.sleep(for: .milliseconds(2))
        }
        Sockets.writeAll(slow, Array("\nand more\n".utf8))
        #expect(rest(slow) == "slowly\n", "one request, one answer")
        close(slow)
        await server.close()
    }

    @Test func aRequestHasABound() async throws {
        let server = try await server()
        let huge = try connection()
        let bound = ControlServer.Limits().request
        #expect(try ask(String(repeating: "x", count: bound)).utf8.count == bound)
        Sockets.writeAll(huge, [UInt8](repeating: 0x78, count: bound + 1))
        #expect(rest(huge).contains("too long"))
        close(huge)
        #expect(try ask("next") == "next")
        await server.close()
    }

    // MARK: - Permission of the client

    @Test func theKernelSaysWhoAsks() async throws {
        let seen = Mutex<PeerCredentials?>(nil)
        let server = try await server(permits: { peer in
            seen.withLock { $0 = peer }
            return true
        })
        #expect(try ask("x") == "x")
        let peer = try #require(seen.withLock { $0 })
        #expect(peer.user == geteuid() && peer.groups.contains(getegid()))
        await server.close()
    }

    @Test func unauthorisedClientsAreRefusedUnread() async throws {
        let server = try await server(permits: { _ in false }, answer: { _, _ in Array("secret".utf8) })
        #expect(try ask("x").contains("not permitted"))
        for _ in 0..<50 {
            let idle = try connection()
            #expect(rest(idle).contains("not permitted"))
            close(idle)
        }
        await server.close()
    }

    private static let peers: [(user: UInt32, groups: Set<UInt32>, isPermitted: Bool)] = [
        (0, [], true), (990, [], true), (1000, [], false), (1000, [44], true), (1000, [43, 45], false),
        (990, [44], true),
    ]

    @Test(.tags(.exact), arguments: peers) func access(_ user: UInt32, _ groups: Set<UInt32>, _ isPermitted: Bool) {
        let peer = PeerCredentials(user: user, groups: groups)
        #expect(ControlAccess(user: 990, group: 44).permits(peer) == isPermitted)
        #expect(ControlAccess(user: 990, group: nil).permits(peer) == (user != 1000))
    }

    // MARK: - Clients that hold connections

    @Test func clientsThatSayNothingAreDroppedAndCannotKeepOthersOut() async throws {
        let limit = Duration.seconds(1)
        let server = try await server(time: limit)
        // Repeat the trial if the machine paused until the clients were dropped.
        for trial in 1...5 {
            let began = ContinuousClock.now
            let idle = try (0..<8).map { _ in try connection() }
            defer { for descriptor in idle { close(descriptor) } }
            let isRefused = try ask("x").contains("too many")
            guard isRefused || trial == 5 || ContinuousClock.now - began < limit else {
                for descriptor in idle { _ = rest(descriptor) }
                continue
            }
            #expect(isRefused, "as many as there may be")
            for descriptor in idle { #expect(rest(descriptor).isEmpty) }
            #expect(ContinuousClock.now - began >= limit)
            #expect(try ask("after") == "after")
            break
        }
        await server.close()
    }

    @Test func oneThatDoesNotReadIsDropped() async throws {
        let server = try await server(
            time: .milliseconds(300), answer: { _, _ in [UInt8](repeating: 0x61, count: 10_000_000) })
        let deaf = try connection()
        Sockets.writeAll(deaf, [0x78, 0x0A])
        // Read only the data that was there when the server closed the connection.
        var hangUp = pollfd(fd: deaf, events: 0, revents: 0)
        #expect(poll(&hangUp, 1, 60_000) == 1 && Int32(hangUp.revents) & POLLHUP != 0)
        var read = 0
        while true {
            let bytes = Sockets.readAll(deaf, 65_536)
            read += bytes.count
            if bytes.count < 65_536 { break }
        }
        #expect(read < 10_000_000, "the end came before the answer's")
        close(deaf)
        await server.close()
    }

    /// The answer is never ready: the client gets nothing, and neither do as many others as may wait. The
    /// server continues.
    @Test func anAnswerThatNeverComesDelaysNoOther() async throws {
        let answers = Mutex((now: 0, most: 0))
        let server = try await server(
            time: .milliseconds(300),
            answer: { _, line in
                guard line == Array("stuck".utf8) else { return line }
                answers.withLock { answers in
                    answers.now += 1
                    answers.most = max(answers.most, answers.now)
                }
                try? await Task.sleep(for: .seconds(1))
                answers.withLock { $0.now -= 1 }
                return line
            })
        #expect(throws: ControlClient.Failure.silent) { try ask("stuck") }
        for _ in 0..<50 {
            let client = try connection()
            Sockets.writeAll(client, Array("stuck\n".utf8))
            close(client)
        }
        #expect(try await asksUntil("fine"))
        #expect((2...8).contains(answers.withLock { $0.most }), "no more answers in the making than clients")
        await server.close()
    }

    /// Clients that may only look fill their places, and reopen them: the owner gets the places that are
    /// reserved for the owner.
    @Test func readOnlyClientsDoNotBlockTheOwner() async throws {
        let ownerComes = Mutex(false)
        let server = try await server(isOwner: { _ in ownerComes.withLock { $0 } })
        let idle = try (0..<8).map { _ in try connection() }
        // Connections are accepted in order. After these refusals the other connections have their places.
        for descriptor in idle[6...] { #expect(rest(descriptor).contains("too many")) }
        ownerComes.withLock { $0 = true }
        #expect(try ask("lock") == "lock")
        let two = try (0..<2).map { _ in try connection() }
        #expect(try ask("lock").contains("too many"), "as many as there may be")
        for descriptor in idle + two { close(descriptor) }
        #expect(try await asksUntil("after"))
        await server.close()
    }

    /// Clients that may only look request answers that do not end, and disconnect: the owner still gets the reserved
    /// places.
    @Test func answersForOthersLeaveRoomForTheOwner() async throws {
        let ownerComes = Mutex(false)
        let isHeld = Mutex(true)
        let begun = Mutex(0)
        let server = try await server(
            isOwner: { _ in ownerComes.withLock { $0 } },
            answer: { _, line in
                guard line == Array("stuck".utf8) else { return line }
                begun.withLock { $0 += 1 }
                while isHeld.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
                return line
            })
        for number in 1...6 {
            let client = try connection()
            Sockets.writeAll(client, Array("stuck\n".utf8))
            close(client)
            // One after the other: simultaneous requests are read in any order, so `look` could be the sixth.
            #expect(await becomesTrue { begun.withLock({ $0 }) >= number })
        }
        #expect(try ask("look").contains("too many"), "who may only look has no more")
        ownerComes.withLock { $0 = true }
        #expect(try ask("lock") == "lock")
        isHeld.withLock { $0 = false }
        ownerComes.withLock { $0 = false }
        #expect(try await asksUntil("after"))
        await server.close()
    }

    @Test func aHundredAtOnceAreAnsweredOrTurnedAway() async throws {
        let server = try await server()
        let path = path
        let ends = await withTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do throws(ControlClient.Failure) {
                        let bytes = try ControlClient.ask(path, Array("\(number)".utf8), within: .seconds(60))
                        let text = String(decoding: bytes, as: UTF8.self)
                        return text == "\(number)" ? "answered" : text.contains("too many") ? "turned away" : text
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect((ends["answered"] ?? 0) + (ends["turned away"] ?? 0) == 100, "\(ends)")
        #expect((ends["answered"] ?? 0) >= 8)
        let hostile = (0..<100).compactMap { _ in try? connection() }
        for descriptor in hostile { close(descriptor) }
        #expect(try await asksUntil("still here"))
        await server.close()
    }

    // MARK: - The file

    @Test func anAbandonedSocketIsReplacedAndOneInUseIsNot() async throws {
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(withUnixAddress(path) { bind(left, $0, $1) } == 0)
        close(left)
        let server = try await server()
        #expect(try ask("x") == "x")
        let second = try ControlServer(permits: { _ in true }, isOwner: { _ in true }, answer: { _, _ in [] })
        await #expect { try await second.open(self.path, isShared: false) } throws: { error in
            (error as? SystemError)?.code == EADDRINUSE
        }
        await second.close()
        #expect(try ask("y") == "y", "the first one is still there")
        await server.close()
    }

    @Test func aFileOfAnotherKindIsLeftAlone() async throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        await #expect(throws: SystemError.self) { _ = try await self.server() }
        #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
        let long = try ControlServer(permits: { _ in true }, isOwner: { _ in true }, answer: { _, _ in [] })
        let name = folder.path + "/" + String(repeating: "n", count: 100)
        await #expect(throws: SystemError.self) { try await long.open(name, isShared: false) }
    }

    @Test func theEndTakesAwayOnlyItsOwnName() async throws {
        let server = try await server()
        try FileManager.default.removeItem(atPath: path)
        try Data("another's".utf8).write(to: URL(fileURLWithPath: path))
        await server.close()
        #expect(FileManager.default.contents(atPath: path) == Data("another's".utf8))
    }

    @Test(arguments: [false, true]) func theModeSaysWhoMayConnect(_ isShared: Bool) async throws {
        let server = try ControlServer(permits: { _ in true }, isOwner: { _ in true }, answer: { $1 })
        let inside = folder.path("made/control.sock")
        try await server.open(inside, isShared: isShared)
        var status = stat()
        #expect(lstat(inside, &status) == 0 && status.st_mode & 0o777 == (isShared ? 0o666 : 0o600))
        #expect(lstat(folder.path("made"), &status) == 0 && status.st_mode & 0o777 & ~0o750 == 0)
        await server.close()
        #expect(try folder.names("made").isEmpty)
    }
}
