import Aries
import DIDComm
import Encoding
import Features
import Foundation
import HTTPTransport
import Ledger
import Mailboxes
import Settings
import Store
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// An agency as the mailbox: an agent's unsolicited messages arrive there, and the gate's driver, database
/// and files handle them.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgencyMailTests {
    @Test(arguments: AgencyDialect.allCases) func aMessageArrivesThroughTheAgency(_ dialect: AgencyDialect) async throws
    {
        try await withAgency(dialect) { world, network, settings in
            await network.withAgency { $0.faults.lostAnswers = 2 }
            // Answers arrive through the agency. A shorter timeout would repeat the reports.
            var reports = Memory.settings
            reports.limits.answer = .seconds(30)
            var kiosk = try await MailKiosk(world, .agency(settings), reports: reports)
            try await kiosk.record(3)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            #expect(await network.received == 3)
            #expect(await network.repetitions == 0)
            for number in 0..<20 { await network.send(Text("message \(number)")) }
            try await kiosk.wait("heard") { kiosk.notices.messages == 20 }

            // After a restart, no released message arrives a second time, and nothing is created again at the
            // agency.
            try await kiosk.wait("released") {
                await network.withAgency { $0.messages.allSatisfy { $0.status == "MS-106" } }
            }
            let made = await network.withAgency { $0.agents + $0.connections }
            await kiosk.stop()
            await network.send("while it was off")
            kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.wait("heard") { kiosk.notices.messages == 21 }
            try await kiosk.record(2)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            try await kiosk.wait("released") {
                await network.withAgency { $0.messages.allSatisfy { $0.status == "MS-106" } }
            }
            #expect(kiosk.notices.messages == 21)
            #expect(await network.withAgency { $0.agents + $0.connections } == made)
            #expect(try await kiosk.mailboxes == 1)
            #expect(await network.mediaTypes == ["application/ssi-agent-wire"])

            // Another agency in the configuration: the existing mailbox stays, and the operator is informed.
            await kiosk.stop()
            let wrong = AgencySettings(
                dialect, url: "http://other.test", agency: AgencyParty(did: "another", key: settings.agency.key))
            kiosk = try await MailKiosk(world, .agency(wrong))
            try await kiosk.wait("told") {
                kiosk.notices.ofMailboxes.contains { $0.text.contains("not the configured one") }
            }
            #expect(try await kiosk.mailboxes == 1)
        }
    }

    /// The agency never receives the release of messages, and then the process is killed: the messages arrive
    /// again and again. Each is applied once, because an applied message is stored together with its effect,
    /// by sender and id. An unreadable message has no id and is recognised by the agency's id for it.
    @Test(arguments: AgencyDialect.allCases)
    func unreleasedMessagesAreAppliedOnce(_ dialect: AgencyDialect) async throws {
        try await withAgency(dialect) { world, network, settings in
            var kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            await network.withAgency { $0.faults.ignoresReleases = true }
            await network.send("hello")
            await network.ask()
            await network.withAgency { $0.spoilAll() }
            try await kiosk.wait("applied") {
                guard kiosk.notices.messages == 1, await network.answers == 1 else { return false }
                return try await kiosk.courier.quarantine().count == 1
            }
            for life in 0..<3 {
                let looks = await network.looks
                try await kiosk.wait("looked") { await network.looks > looks + 5 }
                #expect(kiosk.notices.messages == 1, "life \(life)")
                #expect(await network.answers == 1, "life \(life)")
                #expect(try await kiosk.courier.quarantine().map(\.number) == [1], "life \(life)")
                await kiosk.stop()
                if life == 1 { await network.withAgency { $0.faults.ignoresReleases = false } }
                kiosk = try await MailKiosk(world, .agency(settings))
            }
            try await kiosk.wait("released") {
                await network.withAgency { $0.messages.allSatisfy { $0.status == "MS-106" } }
            }
            await kiosk.stop()
        }
    }

    @Test func theNodeAgencySaysWhenAMessageArrives() async throws {
        try await withAgency(.node) { world, network, settings in
            var settings = settings
            settings.limits.poll = .seconds(3600)
            let kiosk = try await MailKiosk(world, .agency(settings))
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            for number in 0..<3 {
                await network.send(Text("message \(number)"))
                try await kiosk.wait("heard") { kiosk.notices.messages == number + 1 }
            }
            try await kiosk.wait("acknowledged") { await network.withAgency { $0.acknowledged == $0.messages.count } }
        }
    }

    @Test(.tags(.exact)) func theConfigurationNamesTheAgency() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))).verkey
        func parse(_ agency: String, _ mailbox: String = "agency") throws -> Configuration {
            let text = "[kiosk]\nname = \"gate\"\n[agent]\nmailbox = \"\(mailbox)\"\n[agency]\n\(agency)"
            return try Configuration.parse(Array(text.utf8), file: "", folder: "/etc/gatehouse")
        }
        let good = """
            dialect = "evernym"
            url = "https://agency.example.org/"
            did = "VsKV7grR1BUE29mG2Fm2kX"
            verkey = "\(key)"
            token = "token"
            webhook = "https://kiosk.example.org/wake?k=1"
            webhookListen = "[::1]:8095"
            poll = "1min"
            """
        let agency = try parse(good).agency
        let settings = try #require(agency.settings)
        #expect(settings.endpoint == "https://agency.example.org/agency/msg")
        #expect(settings.agency == AgencyParty(did: "VsKV7grR1BUE29mG2Fm2kX", key: key))
        #expect(settings.needsToken && agency.token == .file("/etc/gatehouse/token"))
        #expect(agency.listener?.address == ListenAddress("[::1]:8095") && agency.listener?.target == "/wake?k=1")
        #expect(settings.webhook?.url == "https://kiosk.example.org/wake?k=1" && settings.limits.poll == .seconds(60))
        #expect(try parse(good, "auto").agency.settings == nil)
        #expect(try parse(good, "auto").agency.listener == nil)
        func changed(_ key: String, _ line: String) -> String {
            good.split(separator: "\n").map { $0.hasPrefix(key + " ") ? line[...] : $0 }.joined(separator: "\n")
        }
        #expect(try parse(good).notices.isEmpty)
        let deaf = try parse(changed("webhookListen", ""))
        #expect(deaf.agency.listener == nil && deaf.notices.map(\.key) == ["agency.webhook"])
        for (url, target) in [
            ("https://kiosk.test", "/"), ("http://kiosk.test:81/", "/"), ("https://kiosk.test?a=/b#c", "/?a=/b"),
            ("https://kiosk.test/a/b#c", "/a/b"),
        ] {
            #expect(try parse(changed("webhook", "webhook = \"\(url)\"")).agency.listener?.target == target)
        }
        for (line, key) in [
            ("url = \"http://agency.example.org\"", "agency.url"), ("url = \"\"", "agency.url"),
            ("did = \"\"", "agency.did"), ("verkey = \"x\"", "agency.verkey"),
            ("dialect = \"node\"", "agency.token"), ("token = \"http://127.0.0.1/token\"", "agency.token"),
            ("token = \"https://\"", "agency.token"), ("token = \"ftp://sponsor.test/token\"", "agency.token"),
            ("webhook = \"\"", "agency.webhookListen"), ("webhook = \"kiosk.example.org\"", "agency.webhook"),
            ("webhook = \"https://kiosk.test/a b\"", "agency.webhook"),
            ("webhookListen = \"localhost:8095\"", "agency.webhookListen"),
            ("webhookListen = \"127.0.0.1:80\"", "agency.webhookListen"),
        ] {
            let name = line.prefix { $0 != " " }
            #expect {
                _ = try parse(changed(String(name), line))
            } throws: { error in
                (error as? ConfigurationError)?.problems.map(\.key) == [key]
            }
        }
    }
}
