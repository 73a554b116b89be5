import Encoding
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

/// `gatehouse agent` with real cloud agents, next to a gate that continues to admit visitors.
@Suite(.serialized, .tags(.realTime, .agents)) struct AgentCommandTests {
    @Test(.timeLimit(.minutes(4)), arguments: CloudAgent.versions)
    func connectionsComeAndGoWhileTheGateServes(version: String) async throws {
        try await withAgent("commands", version) { scene in
            let (place, agent) = (scene.place, scene.agent)
            guard let credential = try Credential(place) else { return }
            let air = try await Air(place)
            let kiosk = try KioskProcess(
                place, radioPort: air.port, trust: credential.trust,
                sections: [
                    "agent": "allowPlainHTTP = true\nretryFirst = \"200ms\"\nretryLast = \"1s\"\nbatchDelay = \"1s\""
                ])
            try kiosk.start()
            var day = Day(air: air, kiosk: kiosk)
            try await day.visit("accepted", .init(uri: "", payload: credential.genuine))

            func ask(_ words: String...) async throws -> (code: Child.End, lines: [JSON]) {
                try await kiosk.command(["agent"] + words)
            }
            let first = try await agent.invitation().url
            let (made, cards) = try await ask("connect", first)
            #expect(made == .exit(0) && cards.first?["state"]?.string == "connected", "\(cards)")
            let old = try #require(cards.first?["id"]?.string?.string)
            #expect(try await ask("connect", first).lines.first?["id"]?.string?.string == old, "scanned a second time")
            #expect(try await agent.reports(count: 1).count == 1)
            let (pinged, answer) = try await ask("ping", "primary")
            #expect(pinged == .exit(0) && answer.first?["answered"] == true, "\(answer)")
            print("commands: ACA-Py \(version) answered a ping after \(answer.first?["milliseconds"]?.int ?? -1) ms")

            // A new invitation by command: the new connection takes over, the old one is closed.
            try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
            let (_, taken) = try await ask("connect", try await agent.invitation().url)
            #expect(taken.first?["state"]?.string == "connected", "\(taken)")
            try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
            let reports = try await agent.reports(count: 3)
            #expect(Set(reports.map(\.id)).count == 3)

            // A connection with undelivered reports is not deleted by mistake.
            let new = try #require(taken.first?["id"]?.string?.string)
            try await agent.command("kill")
            try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
            // A report is pending once its record is written, which is after the end of the visit.
            #expect(try await kiosk.records(finished: 4).count == 4)
            let (refused, none) = try await ask("delete", new)
            #expect(refused == .exit(2) && none.isEmpty)
            try await agent.command("start")
            try await wait { try await ask("show", "primary").lines.first?["waiting"]?.int == 0 }
            let (deleted, told) = try await ask("delete", new, "--tell")
            #expect(deleted == .exit(0) && told.first?["state"]?.string == "deleting", "\(told)")
            try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
            // The agent forgets the replaced and the deleted connection, because the gate sent a hangup on
            // both. Its server answers a hangup before it acts on it.
            var active: [JSON] = []
            try await wait {
                active = try await agent.command("connections")["results"]?.array ?? []
                return !active.contains { ["active", "completed"].contains($0["state"]?.string) }
            }
            print("commands: ACA-Py \(version) has after the hangup \(active.map { $0["state"]?.string ?? "-" })")
            #expect(kiosk.isRunning && !kiosk.journal.lines.contains { $0["event"]?.string == "stopped" })
            #expect(try await kiosk.terminate() == .exit(0))
            try await air.stop()
        }
    }

    /// An agent that keeps messages: one connection leads to its mailbox, another one, through it, to the destination.
    @Test(.timeLimit(.minutes(3)), arguments: CloudAgent.versions)
    func aConnectionWithAMailbox(version: String) async throws {
        let options = ["--open-mediation", "--enable-undelivered-queue"]
        try await withAgent("postbox", version, options: options) { scene in
            let place = scene.place
            try place.write("trust/issuers.toml", "profile = \"strict\"\n")
            let kiosk = try KioskProcess(place, radioPort: 1, trust: place.path("trust"))
            try kiosk.start()
            try await wait { try await kiosk.command(["status"]).code != .exit(2) }
            let invitation = try await scene.agent.invitation().url
            let (made, first) = try await kiosk.command(["agent", "connect", invitation])
            #expect(made == .exit(0), "\(first)")
            try await wait {
                let card = try await kiosk.command(["agent", "show", "primary"]).lines.first
                return card?["state"]?.string == "connected" && card?["mailbox"]?.string != nil
                    && card?["present"] == true
            }
            let cards = try await kiosk.command(["agent", "list"]).lines
            #expect(cards.map { $0["destination"]?.string } == ["mailbox", "primary"], "\(cards)")
            #expect(cards.allSatisfy { $0["state"]?.string == "connected" && $0["problem"] == nil }, "\(cards)")
            #expect(cards.first?["waiting"] == nil && cards.last?["waiting"]?.int == 0)
            #expect(try await kiosk.command(["agent", "ping", "primary"]).code == .exit(0))
            #expect(try await kiosk.command(["agent", "ping", "mailbox"]).code == .exit(2))
            #expect(try await kiosk.command(["agent", "messages"]).lines == [[]])
            let again = try await kiosk.command(["agent", "connect", invitation]).lines.first
            #expect(
                again?["way"]?.string == "known" && again?["id"] == cards.last?["id"], "\(String(describing: again))")

            let (gone, told) = try await kiosk.command(["agent", "delete", "primary"])
            #expect(gone == .exit(0) && told.first?["told"] == false, "\(told)")
            try await wait { try await kiosk.command(["agent", "list"]).lines.isEmpty }
            #expect(try await kiosk.terminate() == .exit(0))
        }
    }

    /// An agent answers a single-use invitation once. When that answer is lost, only another invitation
    /// helps, and the command reports it: one version sends a problem report, the other is silent.
    @Test(
        .timeLimit(.minutes(3)),
        arguments: [("0.12.8", "connections/1.0"), ("0.12.8", "didexchange/1.1"), ("1.7.0", "didexchange/1.1")].filter {
            CloudAgent.plays($0.0)
        })
    func theLostAnswerToASingleUseInvitation(version: String, handshake: String) async throws {
        try await withAgent("single", version) { scene in
            let place = scene.place
            let made = try await scene.agent.invitation("single \(handshake)").json
            let endpoint = try #require(made["services"]?.array?.first?["serviceEndpoint"]?.string?.string)
            let port = try #require(URL(string: endpoint)?.port)
            let isFirst = Mutex(true)
            let between = try LoopbackServer { request in
                let answer = Self.forward(request.body, to: port)
                return isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? nil : answer
                }
            }
            let invitation = made.compactText.replacingOccurrences(of: endpoint, with: between.url)
            try place.write(
                "gatehouse.toml",
                """
                [kiosk]
                name = "Peer-Gate"
                [ledger]
                path = "\(place.path("ledger/ledger.db"))"
                [control]
                path = "\(place.path("control.sock"))"
                [agent]
                allowPlainHTTP = true
                retryFirst = "200ms"
                retryLast = "1s"
                """)
            let child = try Child(
                Workplace.product,
                [
                    "agent", "connect", try place.write("invitation", invitation), "--wait", "25", "--config",
                    place.path("gatehouse.toml"),
                ], output: place.path("connect"))
            #expect(try await child.wait(within: .seconds(90)) == .exit(1))
            let said = try String(contentsOfFile: place.path("connect"), encoding: .utf8)
            print("commands: ACA-Py \(version), \(handshake), answer lost:\n\(said)")
            #expect(said.contains("ask the agent's operator for a multi-use invitation"), "\(said)")
        }
    }

    private func wait(until isDone: () async throws -> Bool) async throws {
        for _ in 0..<300 {
            if try await isDone() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw PeerFailure("not within 30 s")
    }

    /// Posts to the agent and returns its answer.
    private static func forward(_ body: [UInt8], to port: Int) -> LoopbackServer.Answer? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)  // after that the answer counts as lost
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let head =
            "POST / HTTP/1.1\r\nhost: agent\r\ncontent-type: application/didcomm-envelope-enc\r\n"
            + "content-length: \(body.count)\r\nconnection: close\r\n\r\n"
        let bytes = Array(head.utf8) + body
        guard isConnected, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 { answer += piece[..<count] }
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
            let status = String(decoding: answer[..<end], as: UTF8.self).split(separator: " ").dropFirst().first
        else { return nil }
        return .init(
            Int(status) ?? 500, [("content-type", "application/didcomm-envelope-enc")], Array(answer[end...]))
    }
}
