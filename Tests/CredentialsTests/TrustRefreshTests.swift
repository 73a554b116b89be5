import Encoding
import Reasons
import Testing

@testable import Credentials

/// The resources that the refresher requests, the times of the requests, and the accepted answers.
@Suite struct TrustRefreshTests {
    // MARK: - Addresses

    @Test(arguments: [
        ("did:web:issuer.example", "https://issuer.example/.well-known/did.json"),
        ("did:web:issuer.example:user:alice", "https://issuer.example/user/alice/did.json"),
        ("did:web:issuer.example%3A8443", "https://issuer.example:8443/.well-known/did.json"),
        ("did:web:issuer.example%3a8443:a", "https://issuer.example:8443/a/did.json"),
        ("did:web:issuer.example:a%20b", "https://issuer.example/a%20b/did.json"),
        ("https://issuer.example/keys/1", "https://issuer.example/keys/1"),
    ]) func documentsHaveAPlace(_ id: String, _ url: String) {
        #expect(WebURL.document(of: Text(id))?.url == Text(url))
    }

    @Test(arguments: [
        "did:web:", "did:web::a", "did:web:a:", "did:web:a::b", "did:web:a:..:b", "did:web:a:.", "did:web:a/b",
        "did:web:a%2Fb", "did:web:a:%2e%2e", "did:web:a:b%2Fc", "did:web:user@a", "did:web:a%3A", "did:web:a%3A0",
        "did:web:a%3A99999", "did:web:a%3A80%3A80", "did:web:a b", "did:web:a?b", "did:web:a#b", "did:key:z6Mk", "a",
        "http://issuer.example/", "https://", "https:///a", "https://a@b/", "https://a/#b", "https://a:/",
        "https://a:b/",
        "https://.a/", "https://a./", "https://[::1/", "https://[1]/", "https://a\\b/", "https://ä/",
    ]) func othersHaveNone(_ id: String) {
        #expect(WebURL.document(of: Text(id)) == nil)
    }

    @Test func addressesAreTakenApart() throws {
        let address = try #require(WebURL(secure: "https://Issuer.Example:8443/a?b=c"))
        #expect(address.host == "issuer.example" && address.port == 8443 && address.target == "/a?b=c")
        #expect(address.place == "issuer.example:8443")
        let bare = try #require(WebURL(secure: "https://[2001:db8::1]?x"))
        #expect(bare.host == "2001:db8::1" && bare.port == 443 && bare.target == "/?x")
        #expect(WebURL.place("issuer.example") == "issuer.example:443")
        #expect(WebURL.place("a/b") == "a:443" || WebURL.place("a/b") == nil)
        #expect(WebURL.place("https://a") == nil && WebURL.place("") == nil)
    }

    // MARK: - Resources

    @Test func storedCopiesDependOnlyOnTheTrustData() throws {
        var a = TrustedIssuer(
            id: "did:web:a.example", controllers: ["did:web:b.example"], statusIssuers: ["did:key:z6Mk"])
        a.statusLists = ["https://status.example/1"]
        var pinned = TrustedIssuer(id: "did:web:c.example")
        let document: JSON = ["id": "did:web:c.example", "verificationMethod": []]
        pinned.pinnedDocuments["did:web:c.example"] = Digest.sha256(document.compactBytes)
        let key: JSON = ["id": "https://d.example/key", "controller": "did:web:a.example"]
        let store = try TrustStore(
            TrustMaterial(
                issuers: [a, pinned], documents: [document.compactBytes, key.compactBytes],
                statusLists: ["https://status.example/2": [], "urn:list": []]))
        #expect(
            store.refreshResources.map(\.id) == [
                "did:web:a.example", "did:web:b.example", "https://d.example/key", "https://status.example/1",
                "https://status.example/2",
            ])
        #expect(store.issuerHosts == ["a.example:443", "b.example:443", "c.example:443"])
    }

    // MARK: - Times

    private static func resources(_ count: Int) -> [RefreshResource] {
        (0..<count).compactMap { RefreshResource.document(Text("did:web:i\($0).example")) }.sorted()
    }

    private func settings(_ change: (inout RefreshPlan.Settings) -> Void = { _ in }) -> RefreshPlan.Settings {
        var settings = RefreshPlan.Settings()
        settings.interval = .seconds(1000)
        settings.jitter = 0.2
        settings.firstRetry = .seconds(10)
        settings.longestRetry = .seconds(100)
        settings.spread = .seconds(60)
        change(&settings)
        return settings
    }

    @Test func theFirstAttemptsAreSpread() {
        let (a, b) = (Self.resources(2)[0], Self.resources(2)[1])
        var plan = RefreshPlan(settings())
        var chances = [0.0, 0.5]
        plan.keep([a, b], at: .zero) { chances.removeFirst() }
        #expect(plan.due(at: .zero) == [a])
        #expect(plan.due(at: Instant.zero.advanced(by: .seconds(29))) == [a])
        #expect(plan.due(at: Instant.zero.advanced(by: .seconds(30))) == [a, b])
        #expect(plan.deadline == .zero)
        #expect(RefreshPlan().deadline == nil)
    }

    @Test func aYoungCopyIsNotFetchedAgain() {
        let a = Self.resources(1)[0]
        var plan = RefreshPlan(settings())
        plan.keep([a], ages: [a: .seconds(400)], at: .zero) { 0 }
        #expect(plan.deadline == Instant.zero.advanced(by: .seconds(600)))
        // A copy with a date in the future, after the clock was set back, counts as new.
        plan = RefreshPlan(settings())
        plan.keep([a], ages: [a: .seconds(-400)], at: .zero) { 0 }
        #expect(plan.deadline == Instant.zero.advanced(by: .seconds(1000)))
    }

    @Test func chanceMovesEveryWaitWithinItsShare() {
        let a = Self.resources(1)[0]
        for (chance, wanted) in [(0.0, 800.0), (0.5, 1000), (0.999_999, 1200), (7, 1000), (.nan, 1000)] {
            var plan = RefreshPlan(settings())
            plan.keep([a], at: .zero) { 0 }
            plan.succeeded(a, at: .zero, random: chance)
            let wait = Instant.zero.duration(to: plan.deadline ?? .zero)
            #expect(abs(wait.milliseconds / 1000 - wanted) < 0.01, "\(chance)")
        }
    }

    @Test func failuresWaitLongerAndLonger() {
        let a = Self.resources(1)[0]
        var plan = RefreshPlan(settings())
        plan.keep([a], at: .zero) { 0 }
        var waits: [Double] = []
        for _ in 0..<70 {
            plan.failed(a, at: .zero, random: 0.5)
            waits.append(Instant.zero.duration(to: plan.deadline ?? .zero).milliseconds / 1000)
        }
        #expect(waits.prefix(5).map { Int($0.rounded()) } == [10, 20, 40, 80, 100])
        #expect(waits.allSatisfy { $0 <= 100.01 })
        plan.succeeded(a, at: .zero, random: 0.5)
        plan.failed(a, at: .zero, random: 0.5)
        #expect(plan.deadline == Instant.zero.advanced(by: .seconds(10)))
    }

    @Test func newTrustDataKeepTheMomentsOfWhatStays() {
        let (a, b, c) = (Self.resources(3)[0], Self.resources(3)[1], Self.resources(3)[2])
        var plan = RefreshPlan(settings())
        plan.keep([a, b], at: .zero) { 0 }
        plan.succeeded(a, at: .zero, random: 0.5)
        plan.keep([a, c], at: .zero) { 0.5 }
        #expect(plan.due(at: Instant.zero.advanced(by: .seconds(999))) == [c])
        #expect(plan.due(at: Instant.zero.advanced(by: .seconds(1000))) == [a, c])
        plan.succeeded(b, at: .zero, random: 0)  // an answer that arrived too late
        #expect(plan.due(at: Instant.zero.advanced(by: .seconds(5000))) == [a, c])
    }

    // MARK: - Copies

    @Test func aCopyIsReadAsItWasWritten() throws {
        let resource = try #require(RefreshResource.statusList("https://status.example/1"))
        let copy = RefreshedCopy(
            resource, content: [0, 1, 2, 0xFF], confirmed: Timestamp(seconds: 1_790_000_000), entityTag: "\"a-b\"")
        #expect(RefreshedCopy(file: copy.file) == copy)
        for index in copy.file.indices {
            var changed = copy.file
            changed[index] ^= 1
            // The hash covers the content, but not the dates and tags.
            #expect(RefreshedCopy(file: changed).map { $0.content == copy.content } ?? true, "byte \(index)")
        }
        for wrong in ["", "{}", "[]"] { #expect(RefreshedCopy(file: Array(wrong.utf8)) == nil) }
        for tag in ["", "a b", "a\r\nx: y", String(repeating: "a", count: 257)] {
            #expect(
                RefreshedCopy(resource, content: [], confirmed: copy.confirmed, entityTag: Text(tag)).entityTag == nil)
        }
        let name = RefreshedCopy.fileName(of: resource)
        #expect(name.hasPrefix("status-list-") && name.hasSuffix(".json") && name.utf8.count == 12 + 32 + 5)
    }

    @Test func onlyNewerCopiesCount() throws {
        let id: Text = "did:web:a.example"
        let resource = try #require(RefreshResource.document(id))
        let list = try #require(RefreshResource.statusList("https://status.example/1"))
        let (old, new) = (
            Array("{\"id\": \"did:web:a.example\", \"n\": 1}".utf8),
            Array("{\"id\": \"did:web:a.example\", \"n\": 2}".utf8)
        )
        func applied(_ base: Int64?, _ confirmed: Int64, to resources: [RefreshResource]) -> TrustMaterial {
            var material = TrustMaterial(documents: [old], statusLists: [list.id: [1]])
            material.fetched[id] = base.map { Timestamp(seconds: $0) }
            let copies = [
                RefreshedCopy(resource, content: new, confirmed: Timestamp(seconds: confirmed)),
                RefreshedCopy(list, content: [2], confirmed: Timestamp(seconds: confirmed)),
            ]
            material.apply(copies, to: resources)
            return material
        }
        let fresh = applied(10, 11, to: [resource, list])
        #expect(fresh.documents == [new] && fresh.fetched[id] == Timestamp(seconds: 11))
        #expect(fresh.statusLists == [list.id: [2]])
        #expect(fresh.listsFetched == [list.id: Timestamp(seconds: 11)])
        #expect(applied(11, 11, to: [resource, list]).documents == [old])
        #expect(applied(nil, 1, to: [resource]).documents == [new])
        #expect(applied(nil, 1, to: [resource]).statusLists == [list.id: [1]])
        #expect(applied(nil, 1, to: []).documents == [old])
    }

    // MARK: - Acceptance

    private func refusal(
        _ content: [UInt8], _ resource: RefreshResource?, _ material: TrustMaterial,
        at clock: WallTime = TestIssuer.clock
    ) throws -> RefreshRefusal? {
        let verifier = Verifier(trust: try TrustStore(material))
        do {
            try verifier.check(content, for: try #require(resource), at: clock)
            return nil
        } catch let refusal as RefreshRefusal { return refusal }
    }

    @Test func aDocumentMustCarryItsID() throws {
        let resource = RefreshResource.document("did:web:a.example")
        func check(_ text: String) throws -> RefreshRefusal? {
            try refusal(Array(text.utf8), resource, TrustMaterial())
        }
        #expect(try check("{\"id\": \"did:web:a.example\", \"verificationMethod\": []}") == nil)
        #expect(try check("{\"id\": \"did:web:b.example\"}") == .otherDocument)
        #expect(try check("<html>") == .notADocument)
        #expect(try check("{}") == .notADocument)
        #expect(try check("{\"id\": \"did:web:a.example\", \"id\": \"did:web:a.example\"}") == .notADocument)
    }

    @Test func aStatusListMustBeThatOfATrustedIssuer() throws {
        let url: Text = "https://status.example/1"
        let resource = RefreshResource.statusList(url)
        let issuer = try TestIssuer(seed: 3)
        let stranger = try TestIssuer(seed: 4)
        var named = issuer.material
        named.issuers[0].statusLists = [url]
        let list = try issuer.statusList(url: url, set: [7])
        for material in [issuer.material, named] { #expect(try refusal(list, resource, material) == nil) }
        func code(_ content: [UInt8], at clock: WallTime = TestIssuer.clock) throws -> ReasonCode? {
            switch try refusal(content, resource, named, at: clock) {
            case .statusList(let code): code
            case .none: nil
            default: .internal
            }
        }
        #expect(try code(stranger.statusList(url: url)) == .statusInvalid)
        #expect(try code(issuer.statusList(url: "https://status.example/2")) == .statusInvalid)
        #expect(try code(issuer.statusList(url: url, bytes: 10)) == .statusInvalid)
        let late = WallTime(utc: Timestamp(rfc3339: "2028-01-01T00:00:00Z") ?? .init(seconds: 0), provenance: .given)
        #expect(try code(list, at: late) == .statusStale)
        var broken = list
        broken[list.count / 2] ^= 1
        #expect(try code(broken) == .statusInvalid)
        #expect(try code(Array("<html>".utf8)) == .statusInvalid)
        // A revocation is permanent: a list older than the stored list is not accepted.
        func dated(_ date: String) throws -> [UInt8] {
            try issuer.statusList(url: url) { $0["validFrom"] = .text(date) }
        }
        let (before, after) = (try dated("2026-02-01T00:00:00Z"), try dated("2026-03-01T00:00:00Z"))
        let verifier = Verifier(trust: try TrustStore(named))
        let wanted = try #require(resource)
        #expect(throws: RefreshRefusal.older) {
            try verifier.check(before, for: wanted, replacing: after, at: TestIssuer.clock)
        }
        try verifier.check(after, for: wanted, replacing: before, at: TestIssuer.clock)
        try verifier.check(after, for: wanted, replacing: after, at: TestIssuer.clock)
        try verifier.check(before, for: wanted, replacing: broken, at: TestIssuer.clock)
        // Another issuer may not sign a list that only one issuer's entry names.
        var both = named
        both.issuers.append(TrustedIssuer(id: stranger.id))
        #expect(try refusal(try stranger.statusList(url: url), resource, both) == .statusList(.statusInvalid))
        #expect(try refusal(list, resource, TrustMaterial()) == .statusList(.issuerUntrusted))
    }
}
