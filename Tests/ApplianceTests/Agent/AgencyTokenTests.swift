import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Mailboxes
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Courier
@testable import Settings

/// The sources of a sponsor's token: a file, or a server; and the notices when no token is available.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgencyTokenTests {
    private let sponsor: KeyPair

    init() throws {
        sponsor = try #require(KeyPair(seed: .random()))
    }

    @Test func aTokenIsTakenFromWhereItIsPut() async throws {
        try await withAgency(.evernym, sponsor: sponsor.verkey) { world, network, settings in
            let file = world.folder.appendingPathComponent("token")
            func give(_ nonce: Text) throws {
                try Data(VirtualAgency.token(by: sponsor, nonce: nonce).compactBytes).write(to: file, options: .atomic)
            }
            let kiosk = try await MailKiosk(world, .agency(settings), token: .file(file.path))
            try await kiosk.wait("asked for") {
                kiosk.notices.ofMailboxes.map(\.text).contains { $0.contains("does not exist: \(file.path)") }
            }
            await network.withAgency { $0.faults.lostAnswers = 1 }
            try give("1")
            // The answer to the first attempt is lost, so the token counts as used in the second one. The
            // same file is not read endlessly.
            try await kiosk.wait("refused") { await network.withAgency { $0.log == ["CREATE_AGENT", "CREATE_AGENT"] } }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await network.withAgency { $0.log.count } == 2)
            try give("2")
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            await network.send("hello")
            try await kiosk.wait("heard") { kiosk.notices.messages == 1 }
            #expect(kiosk.notices.ofMailboxes.map(\.text).count { $0.contains("does not exist") } == 1, "told once")
            await kiosk.stop()
        }
    }

    /// A server makes a new token each time that the agency requires one, and is not asked otherwise.
    @Test func aTokenIsFetchedWhenItIsNeeded() async throws {
        try await withAgency(.evernym, sponsor: sponsor.verkey) { world, network, settings in
            let tokens = Tokens(sponsor)
            let server = try LoopbackServer { tokens.answer($0) }
            let source = TokenSource.link(server.url + "/token?for=kiosk-7")
            await network.withAgency { $0.faults.lostAnswers = 1 }
            var kiosk = try await MailKiosk(world, .agency(settings), token: source)
            try await kiosk.wait("asked for") {
                kiosk.notices.ofMailboxes.map(\.text).contains { $0.contains("answers 503") }
            }
            tokens.isReady.store(true, ordering: .relaxed)
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            // The answer to the first token was lost, and the agency does not accept it twice.
            #expect(tokens.given == 2)
            await kiosk.stop()
            kiosk = try await MailKiosk(world, .agency(settings), token: source)
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(tokens.given == 2)
            #expect(tokens.targets == ["/token?for=kiosk-7"])
            #expect(kiosk.notices.ofMailboxes.map(\.text).allSatisfy { !$0.contains("for=kiosk-7") })
            await kiosk.stop()
        }
    }

    /// A sponsor's service, which gives tokens.
    private final class Tokens: Sendable {
        let isReady = Atomic(false)
        private let sponsor: KeyPair
        private let asked = Mutex<(targets: Set<String>, given: Int)>(([], 0))

        init(_ sponsor: KeyPair) { self.sponsor = sponsor }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            guard isReady.load(ordering: .relaxed), request.method.utf8.elementsEqual("GET".utf8) else {
                return .init(503)
            }
            let number = asked.withLock { asked in
                asked.targets.insert(request.target)
                asked.given += 1
                return asked.given
            }
            return .init(
                200, [("content-type", "application/json")],
                VirtualAgency.token(by: sponsor, nonce: Text("\(number)")).compactBytes)
        }

        var given: Int { asked.withLock { $0.given } }
        var targets: Set<String> { asked.withLock { $0.targets } }
    }

    @Test func tokensFromAServerAreBoundedAndChecked() async throws {
        let good = VirtualAgency.token(by: sponsor, nonce: "1").compactBytes
        var forged = try #require(VirtualAgency.token(by: sponsor, nonce: "1").object)
        forged["nonce"] = "2"
        let answers: [(LoopbackServer.Answer?, TokenSource.Failure?)] = [
            (.init(200, [], good), nil),
            (.init(200, [], JSON.object(forged).compactBytes), .notAToken("127.0.0.1")),
            (.init(200, [], Array("<html>".utf8)), .notAToken("127.0.0.1")), (.init(), .notAToken("127.0.0.1")),
            (.init(302, [("location", "/")], good), .link(host: "127.0.0.1", .refused(status: 302))),
            (.init(404), .link(host: "127.0.0.1", .refused(status: 404))),
            (.init(200, [], [UInt8](repeating: 0x20, count: 17 * 1024)), .link(host: "127.0.0.1", .tooLarge)),
            (nil, .link(host: "127.0.0.1", .uncertain)),
        ]
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = true
        try await HTTPExchange.withExchange(settings) { exchange in
            for (answer, failure) in answers {
                let server = try LoopbackServer { _ in answer }
                #expect(await outcome(.link(server.url + "/secret"), exchange) == failure)
            }
            let stranger = TokenSource.link("http://127.0.0.1:1/secret")
            #expect(await outcome(stranger, exchange) == .link(host: "127.0.0.1", .unreachable))
        }
        try await HTTPExchange.withExchange { exchange in
            let plain = TokenSource.link("http://127.0.0.1:1/secret")
            #expect(await outcome(plain, exchange) == .link(host: "127.0.0.1", .forbidden))
        }
        for case (_, let failure?) in answers {
            #expect(!failure.text.isEmpty && !failure.remedy.isEmpty && !failure.text.contains("secret"))
        }
    }

    private func outcome(_ source: TokenSource, _ exchange: HTTPExchange) async -> TokenSource.Failure? {
        do throws(TokenSource.Failure) {
            _ = try await source.token(by: exchange)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileIsLookedAtBeforehand() async throws {
        try await Leftovers.ended { leftovers in
            let path = try leftovers.folder("token").appendingPathComponent("token").path
            func check(_ text: [UInt8]?, mode: Int = 0o600) throws -> TokenSource.Failure? {
                try? FileManager.default.removeItem(atPath: path)
                if let text {
                    #expect(
                        FileManager.default.createFile(
                            atPath: path, contents: Data(text), attributes: [.posixPermissions: mode]))
                }
                do throws(TokenSource.Failure) {
                    try TokenSource.file(path).check()
                    return nil
                } catch {
                    return error
                }
            }
            let good = VirtualAgency.token(by: sponsor, nonce: "1").compactBytes
            #expect(try check(nil) == .missing(path))
            #expect(try check([]) == .empty(path))
            #expect(try check(Array(" \n".utf8)) == .empty(path))
            #expect(try check(good) == nil)
            #expect(try check(good, mode: 0o640) == nil)
            for mode in [0o644, 0o660, 0o602, 0o641] {
                #expect(try check(good, mode: mode) == .exposed(path), "\(mode)")
            }
            #expect(try check(Array("{}".utf8)) == .notAToken(path))
            #expect(try check(good + [UInt8](repeating: 0x20, count: 17 * 1024)) == .notAToken(path))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(throws: TokenSource.Failure.unreadable(path)) { try TokenSource.file(path).check() }
            #expect(mkfifo(path + ".pipe", 0o600) == 0)
            #expect(throws: TokenSource.Failure.unreadable(path + ".pipe")) {
                try TokenSource.file(path + ".pipe").check()
            }
            #expect(throws: Never.self) { try TokenSource.link("https://sponsor.test").check() }
        }
    }

    @Test(.tags(.exact)) func aURLHasTLSOrIsOfThisMachine() {
        for (url, byTLS, byHTTP) in [
            ("https://sponsor.test/token", true, true), ("https://10.0.0.1", true, true),
            ("http://sponsor.test/token", false, false), ("http://127.0.0.1:80/token", false, true),
            ("http://[::1]:80/token", false, true), ("http://localhost/token", false, true),
            ("http://localhost.test/token", false, false), ("http://127.0.0.1@sponsor.test/", false, false),
            ("http://10.0.0.1/token", false, false), ("https://", false, false), ("ftp://127.0.0.1/", false, false),
            ("HTTP://127.0.0.1/", false, false), ("://", false, false),
        ] {
            #expect(TokenSource.link(url).isAllowed(plainHTTP: false) == byTLS, "\(url)")
            #expect(TokenSource.link(url).isAllowed(plainHTTP: true) == byHTTP, "\(url)")
        }
    }

    @Test(.tags(.exact)) func aServerIsAskedLessAndLessOften() throws {
        let tokens = try (0..<20).map { try ProvisionToken(VirtualAgency.token(by: sponsor, nonce: Text("\($0)"))) }
        var search = TokenSearch(pause: .seconds(10), longest: .seconds(900))
        var now = Instant.zero
        func begins() -> Bool { search.begin(at: now) }
        func isGiven(_ token: ProvisionToken?) -> Bool { search.take(token) == token }
        func isTold(_ failure: TokenSource.Failure) -> Bool { search.take(failure) }
        #expect(!begins(), "nobody asked")
        var waits: [Duration] = []
        for token in tokens {
            search.want()
            let began = now
            while !begins() { now = now.advanced(by: .seconds(10)) }
            waits.append(began.duration(to: now))
            #expect(isGiven(token))
            #expect(!begins())
        }
        #expect(waits.prefix(4) == [.zero, .seconds(10), .seconds(20), .seconds(40)])
        #expect(waits.suffix(10).allSatisfy { $0 == .seconds(900) })
        search.want()
        #expect(!begins())
        search.retryNow()
        #expect(begins())
        #expect(!isGiven(tokens.last), "it was given already")
        #expect(isTold(.empty("a")))
        #expect(!isTold(.empty("a")), "told")
        #expect(isTold(.missing("a")))
        search.end()
        #expect(!begins(), "there is an agent")
        search.want()
        #expect(begins())

        // A file is read each time.
        search = TokenSearch(pause: .seconds(10), longest: .zero)
        search.want()
        #expect(begins())
        #expect(begins())
    }
}
