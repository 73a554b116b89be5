import Aries
import DIDComm
import Encoding
import Observation
import Testing

@testable import Courier

/// The decisions of a destination, played in virtual time.
@Suite struct DestinationCoreTests {
    func invitation(
        _ id: Text, key: UInt8 = 1, handshake: Bool = true, asks: Bool = false
    ) throws -> Invitation {
        let keys = try #require(KeyPair(seed: Secret([UInt8](repeating: key, count: 32))))
        var json: JSONObject = [
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": .string(id),
            "services": [
                [
                    "id": "#inline", "type": "did-communication", "recipientKeys": [.string(keys.verkey.didKey)],
                    "serviceEndpoint": "http://agent.test/",
                ]
            ],
        ]
        if handshake { json["handshake_protocols"] = ["https://didcomm.org/didexchange/1.1"] }
        if asks {
            json["requests~attach"] = [
                ["@id": "a", "data": ["json": ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P"]]]
            ]
        }
        return try Invitation(.object(json))
    }

    func route(
        _ id: Text, _ invitation: Invitation, _ reception: AgentConnection.Reception = .returnRoute,
        isConnected: Bool = true
    ) -> DestinationCore.Route {
        DestinationCore.Route(id: id, invitation: invitation, reception: reception, isConnected: isConnected)
    }

    // MARK: - The mailbox belongs to the connection

    /// Whether a service runs or not, and whether the invitation is from a file or from a command.
    @Test(arguments: [true, false]) func aNewConnectionUsesTheGatesMailbox(delivers: Bool) throws {
        for (mailbox, expected) in [
            (.none, .returnRoute), (.own, .returnRoute), (.shared, .mailbox),
        ] as [(DestinationCore.Policy.Mailbox, AgentConnection.Reception)] {
            let world = DestinationWorld(mailbox, delivers: delivers)
            world.feed(.start)
            #expect(try world.connect(try invitation("a")).way == .new)
            #expect(world.made.map(\.reception) == [expected] && world.started == world.made.map(\.id))
            // The inviter of a one-time request learns no address.
            #expect(try world.connect(try invitation("b", key: 2, handshake: false, asks: true), 2).way == .once)
            #expect(world.made.last?.reception == .returnRoute)
        }
    }

    // MARK: - Loading

    @Test func nothingIsMadeBeforeTheStoreIsRead() throws {
        let world = DestinationWorld()
        world.isBroken = true
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        #expect(throws: ConnectFailure.notReady) { try world.connect(try invitation("a")) }
        world.run(for: .seconds(9))
        #expect(world.count { if case .storeFailed = $0 { true } else { false } } == 1 && !world.core.isLoaded)
        let unknown = world.core.isConnected(by: "one")
        #expect(unknown == nil)
        world.isBroken = false
        world.run(for: .seconds(1))
        #expect(world.started == ["one"])
        #expect(world.notices.map { $0 == .stored } == [false, true])
        #expect(try world.connect(try invitation("a"), 2) == Connecting(way: .known, id: "one"))
    }

    /// Connections that are no longer used are reported and not started, and do not delay a new invitation.
    @Test func endedConnectionsAreReported() throws {
        let world = DestinationWorld()
        for (number, end) in [DestinationCore.RouteEnd.ended, .failed].enumerated() {
            var over = route(Text("over-\(number)"), try invitation("a"), isConnected: false)
            over.end = end
            world.loaded.routes.append(over)
        }
        world.feed(.start)
        #expect(world.started.isEmpty && world.count { if case .ended = $0 { true } else { false } } == 1)
        #expect(world.count { if case .neverAnswered = $0 { true } else { false } } == 1)
        #expect(try world.connect(try invitation("a")).way == .new)
    }

    // MARK: - Invitations

    @Test func anInvitationThatIsBeingCarriedOutIsFound() throws {
        let world = DestinationWorld()
        world.feed(.start)
        world.holds = true
        let invitation = try invitation("a")
        world.feed(.connect(invitation, request: 1))
        #expect(world.replies[1] == nil)
        let second = try world.connect(invitation, 2)
        world.release()
        #expect(second.way == .known && world.made.map(\.id) == [second.id])
        #expect(world.replies[1] == .success(Connecting(way: .new, id: second.id)))
    }

    /// A connection that cannot be stored does not exist, and its invitation may be given again.
    @Test func aFailedStoreLeavesNothing() throws {
        let world = DestinationWorld()
        world.feed(.start)
        world.isBroken = true
        #expect(throws: ConnectFailure.self) { try world.connect(try invitation("a")) }
        #expect(world.started.isEmpty && world.core.routes.isEmpty && world.core.accepted.isEmpty)
        #expect(throws: ConnectFailure.leftover) { try world.connect(try invitation("a"), 3) }
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.gone == world.made.map(\.id) && world.made.count == 1, "what may be stored is removed")
        #expect(try world.connect(try invitation("a"), 2).way == .new)
        #expect(world.started.count == 1 && world.accepted == ["a"])
    }

    /// A new invitation of an inviter that has not answered yet replaces the pending connection.
    @Test func aPendingConnectionIsNotDoubled() throws {
        let world = DestinationWorld()
        world.feed(.start)
        let first = try world.connect(try invitation("a"))
        let second = try world.connect(try invitation("b"), 2)
        let other = try world.connect(try invitation("c", key: 2), 3)
        #expect(world.gone == [first.id].compactMap(\.self))
        #expect(world.core.routes.map(\.id) == [second.id, other.id].compactMap(\.self))
        #expect(world.core.successor(of: try #require(first.id)) == second.id)
        #expect(world.core.successor(of: try #require(other.id)) == nil)
    }

    /// A replaced connection that cannot be removed from the store is removed later.
    @Test func aReplacedConnectionIsRemovedLater() throws {
        let world = DestinationWorld()
        world.feed(.start)
        let first = try #require(try world.connect(try invitation("a")).id)
        world.holds = true
        world.feed(.connect(try invitation("b"), request: 2))
        world.isBroken = true
        world.release()
        #expect(world.gone.isEmpty && world.core.route(first) == nil)
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.gone == [first])
    }

    @Test func aKnownInviterIsAskedAndMayDecline() throws {
        for (answer, way) in [(true, .reuse), (false, .new), (nil, .reuse)] as [(Bool?, InvitationReport.Way)] {
            let world = DestinationWorld()
            world.loaded.routes = [route("one", try invitation("a"))]
            world.reuse = answer
            world.feed(.start)
            let begun = try world.connect(try invitation("b"))
            #expect(begun == Connecting(way: .reuse, id: "one", isUnderWay: true) && world.asked == ["one"])
            let result = try world.connect(try invitation("b"), 2)
            #expect(result.way == way && result.isUnderWay == false)
            #expect((result.failure != nil) == (answer == nil) && world.made.count == (answer == false ? 1 : 0))
            #expect(world.accepted == (answer == nil ? [] : ["b"]))
        }
    }

    /// A limited number of connections that only answered requests are kept. Further answers to the same inviter are
    /// sent over its kept connection.
    @Test func oneTimeConnectionsAreKeptInBounds() throws {
        let world = DestinationWorld()
        world.feed(.start)
        let first = try world.connect(try invitation("a", handshake: false, asks: true))
        let again = try world.connect(try invitation("b", handshake: false, asks: true), 2)
        #expect(first.way == .once && again.way == .answer && again.id == first.id)
        #expect(world.answered == [first.id].compactMap(\.self))
        for number in 0..<UInt8(DestinationCore.oneTimeLimit) {
            let next = try invitation(Text("c\(number)"), key: 10 + number, handshake: false, asks: true)
            _ = try world.connect(next, 10 + Int(number))
        }
        #expect(world.core.routes.count == DestinationCore.oneTimeLimit && world.gone == [first.id].compactMap(\.self))
        // A connection that has ended makes way before an older one that still runs.
        let (oldest, newest) = (world.core.routes[0].id, world.core.routes[DestinationCore.oneTimeLimit - 1].id)
        world.feed(.ended(newest, isGranted: false))
        _ = try world.connect(try invitation("e", key: 98, handshake: false, asks: true), 98)
        #expect(world.core.route(oldest) != nil && world.core.route(newest) == nil)
        // Connections that only answered requests do not count against the limit of connections that deliver reports.
        #expect(try world.connect(try invitation("d", key: 99), 99).way == .new)
    }

    @Test func attemptsAreBounded() throws {
        let world = DestinationWorld()
        world.feed(.start)
        for number in 0..<UInt8(DestinationCore.routesLimit) {
            _ = try world.connect(try invitation(Text("\(number)"), key: number + 1), Int(number))
        }
        #expect(throws: ConnectFailure.tooMany) { try world.connect(try invitation("more", key: 99), 99) }
        #expect(try world.connect(try invitation("newer", key: 1), 98).way == .new, "it replaces one of them")
        #expect(world.core.lasting.count == DestinationCore.routesLimit)
    }

    // MARK: - Files

    @Test func aFileIsTriedAgainAndUsedOnce() throws {
        let world = DestinationWorld(files: ["file"])
        let missing = ConnectFailure("no invitation was found", remedy: "give one")
        world.contents = [.failure(missing)]
        world.feed(.start)
        func failures() -> Int { world.count { if case .invitationFailed = $0 { true } else { false } } }
        #expect(failures() == 1)
        world.run(for: .seconds(9))
        #expect(failures() == 1)
        world.run(for: .seconds(20))
        #expect(failures() == 2, "after 10 s, and then after 20 s")
        #expect(world.count { if case .unconnected = $0 { true } else { false } } >= 1)
        world.contents = [.success(try invitation("a"))]
        world.run(for: .seconds(300))
        #expect(world.made.count == 1 && world.accepted == ["a"])
        #expect(world.count { if case .invitationRead = $0 { true } else { false } } == 1)

        // After a deletion and a restart, the invitation file does not create the connection again. A connection that
        // has ended does not count as connected.
        for isEnded in [false, true] {
            let next = DestinationWorld(files: ["file"])
            (next.contents, next.loaded.accepted) = (world.contents, ["a"])
            if isEnded {
                var other = route("one", try invitation("b", key: 2))
                other.end = .ended
                next.loaded.routes = [other]
            }
            next.feed(.start)
            #expect(next.made.isEmpty)
            #expect(next.count { if case .usedBefore(isConnected: false) = $0 { true } else { false } } == 1)
        }
    }

    // MARK: - Trials

    /// The agent grants a mailbox: its connection leads there, a second one is tried, and after 45 s without an answer
    /// the first one delivers again.
    @Test(arguments: [true, false]) func theAgentsOwnMailboxIsTried(answers: Bool) throws {
        let world = DestinationWorld(.own)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.returning = world.loaded.routes
        world.feed(.start)
        world.isBroken = true
        world.feed(.ended("one", isGranted: true))
        world.run(for: .seconds(15))
        #expect(world.adoptions == 2 && world.made.isEmpty, "what cannot be stored is tried again")
        #expect(world.core.route("one") != nil, "the same invitation finds it meanwhile")
        world.isBroken = false
        world.run(for: .seconds(10))
        let second = try #require(world.made.last)
        #expect(second.reception == .mailbox && world.core.routes.map(\.id) == [second.id])
        if answers { world.say(second.id, isConnected: true) }
        world.run(for: .seconds(60))
        #expect(world.refused == (answers ? [] : ["a"]) && world.returns == (answers ? 0 : 1))
        #expect(world.core.routes.map(\.id) == (answers ? [second.id] : ["one"]))
    }

    /// With a mailbox elsewhere, the time begins when the mailbox has given an address, and the first connection
    /// stays.
    @Test func aMailboxElsewhereIsTriedFromItsAddressOn() throws {
        let world = DestinationWorld(.shared)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        let second = try #require(world.made.last)
        world.say(second.id, hasAddress: false)
        world.run(for: .seconds(600))
        #expect(world.refused.isEmpty)
        world.say(second.id, hasAddress: true)
        world.run(for: .seconds(40))
        #expect(world.refused.isEmpty)
        world.permits = false
        world.run(for: .seconds(20))
        #expect(world.refused == ["a"] && world.core.routes.map(\.id) == ["one"] && world.returns == 0)
        world.run(for: .seconds(600))
        #expect(world.made.count == 1, "the mailbox does not permit it again")
    }

    /// A pending connection by a new invitation, which an operator gave, is no trial: it is not given up.
    @Test func aPendingConnectionIsNoTrial() throws {
        let world = DestinationWorld(.shared)
        world.loaded.routes = [
            route("one", try invitation("a")), route("two", try invitation("b", key: 2), .mailbox, isConnected: false),
        ]
        world.feed(.start)
        world.say("two", hasAddress: true)
        world.run(for: .seconds(600))
        #expect(world.refused.isEmpty && world.core.routes.count == 2)
    }

    /// A trial of a mailbox that an earlier run began continues, a trial that it could not begin is begun, and a trial
    /// that is not permitted is undone. A command leaves these steps to the service.
    @Test func aTrialGoesOnAfterARestart() throws {
        let granted = try invitation("a")
        let pending = DestinationWorld(.own)
        (pending.loaded.mailbox, pending.loaded.routes) = (
            granted, [route("two", granted, .mailbox, isConnected: false)]
        )
        pending.feed(.start)
        pending.run(for: .seconds(60))
        #expect(pending.refused == ["a"] && pending.returns == 1)

        for (permits, delivers) in [(true, true), (false, true), (true, false)] {
            let world = DestinationWorld(.own, delivers: delivers)
            (world.loaded.mailbox, world.loaded.isMailboxHeld, world.permits) = (granted, true, permits)
            // A connection to another agent, or one that has ended, holds up no trial.
            for (number, end) in [DestinationCore.RouteEnd.ended, nil].enumerated() {
                var other = route(Text("other-\(number)"), try invitation("b", key: 2))
                other.end = end
                world.loaded.routes.append(other)
            }
            world.feed(.start)
            #expect(world.made.count == (permits && delivers ? 1 : 0) && world.returns == (permits ? 0 : 1))
        }
    }

    /// The deletion of a connection on trial does not change the state of its invitation.
    @Test func aDeletedTrialIsUndone() throws {
        let world = DestinationWorld(.own)
        let granted = try invitation("a")
        (world.loaded.mailbox, world.loaded.routes) = (granted, [route("two", granted, .mailbox, isConnected: false)])
        world.feed(.start)
        world.feed(.remove("two"))
        world.run(for: .seconds(60))
        #expect(world.gone == ["two"] && world.returns == 1 && world.refused.isEmpty)
    }

    /// Giving up is repeated until every step was stored.
    @Test func aFailedStepOfGivingUpIsRepeated() throws {
        let world = DestinationWorld(.own)
        let granted = try invitation("a")
        (world.loaded.mailbox, world.loaded.routes) = (granted, [route("two", granted, .mailbox, isConnected: false)])
        world.feed(.start)
        world.isBroken = true
        world.run(for: .seconds(60))
        #expect(world.refused.isEmpty && world.core.route("two") != nil)
        world.isBroken = false
        world.run(for: .seconds(10))
        #expect(world.refused == ["a"] && world.core.routes.isEmpty)
    }

    /// An operator does not get the id of a connection that is not stored yet.
    @Test func aTrialThatIsNotStoredYetIsNotNamed() throws {
        let world = DestinationWorld(.own)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        _ = world.core.handle(.ended("one", isGranted: true), at: world.now)
        let actions = world.core.handle(.adopted("one", nil), at: world.now)
        let begun = try #require(
            actions.compactMap { if case .beginTrial(let route) = $0 { route } else { nil } }.first)
        #expect(throws: ConnectFailure.notReady) { try world.connect(try invitation("a")) }
        world.feed(.trialBegun(begun.id, .begun))
        #expect(try world.connect(try invitation("a"), 2) == Connecting(way: .known, id: begun.id))
    }

    /// A connection that is deleted while its mailbox is being adopted does not come back as a mailbox.
    @Test(arguments: [true, false]) func aDeletedConnectionIsNotAdopted(isLate: Bool) throws {
        let world = DestinationWorld(.own)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        world.holds = isLate
        world.isBroken = !isLate
        world.feed(.ended("one", isGranted: true))
        world.feed(.remove("one"))
        world.isBroken = false
        world.release()
        world.run(for: .seconds(60))
        #expect(world.adoptions == 1 && world.made.isEmpty && world.gone == ["one"])
        #expect(world.disowned == (isLate ? ["one"] : []) && world.core.routes.isEmpty)
    }

    /// Until the data for the return from a refused mailbox are loaded, the mailbox's invitation creates no second
    /// connection.
    @Test func noInvitationIsUsedBeforeTheWayBackIsLoaded() throws {
        let world = DestinationWorld(.own, files: ["file"])
        let granted = try invitation("a")
        (world.loaded.mailbox, world.loaded.routes) = (granted, [route("two", granted, .mailbox, isConnected: false)])
        (world.returning, world.contents) = ([route("one", granted)], [.success(granted)])
        world.feed(.start)
        world.run(for: .seconds(40))
        // The store fails when the trial is given up, so the return from the mailbox has to be tried again.
        world.breaksReturn = true
        world.run(for: .seconds(20))
        #expect(world.refused == ["a"] && world.returns > 0 && !world.core.isLoaded)
        world.editions = [InvitationFile.Edition(of: "/")]
        world.run(for: .seconds(20))
        #expect(throws: ConnectFailure.notReady) { try world.connect(granted) }
        world.breaksReturn = false
        world.run(for: .seconds(20))
        #expect(world.made.isEmpty && world.started == ["two", "one"])
        #expect(try world.connect(granted, 2) == Connecting(way: .known, id: "one"))
    }
}
