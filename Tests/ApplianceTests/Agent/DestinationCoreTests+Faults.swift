import Aries
import Encoding
import Testing

@testable import Courier

// Agents that end connections, answer late or take nothing, and deletions at every point.
extension DestinationCoreTests {
    // MARK: - Connections that end

    /// A destination is connected if the ledger's active connection is loaded and has not ended.
    @Test func onlyALoadedConnectionIsConnected() throws {
        let world = DestinationWorld()
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        let before = [world.core.isConnected(by: "one"), world.core.isConnected(by: "lost")]
        let none = world.core.isConnected(by: nil)
        world.feed(.ended("one", isGranted: false))
        let after = world.core.isConnected(by: "one")
        #expect(before == [true, false] && none == false && after == false)
    }

    /// An agent that ends the connection on trial, before or after the gate has seen it connected, gets no other one
    /// by the same invitation. The first connection stays.
    @Test(arguments: [true, false]) func anEndedTrialIsNotRepeated(isSeen: Bool) throws {
        let world = DestinationWorld(.shared)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        let second = try #require(world.made.last)
        world.say(second.id, isConnected: true)
        if isSeen { world.run(for: .seconds(10)) }
        world.feed(.ended(second.id, isGranted: false))
        world.permits = isSeen
        world.run(for: .seconds(600))
        #expect(world.made.count == 1 && world.core.live.map(\.id) == ["one"] && world.core.trial == nil)
        #expect(world.refused == (isSeen ? [] : ["a"]))
    }

    /// The agent's own mailbox: after the end of the connection on trial the first one delivers again.
    @Test func theFirstConnectionReturnsAfterAnEndedTrial() throws {
        let world = DestinationWorld(.own)
        let granted = try invitation("a")
        world.loaded.routes = [route("one", granted)]
        world.returning = world.loaded.routes
        world.feed(.start)
        world.feed(.ended("one", isGranted: true))
        let second = try #require(world.made.last)
        world.say(second.id, isConnected: true)
        world.feed(.ended(second.id, isGranted: false))
        world.say(second.id, isConnected: true)
        world.run(for: .seconds(20))
        #expect(world.refused == ["a"] && world.returns == 1 && world.core.routes.map(\.id) == ["one"])
    }

    /// Stored connections that have ended hold up no trial, and are no trial.
    @Test func whatHasEndedIsNoTrial() throws {
        let granted = try invitation("a")
        func ended(_ id: Text, _ invitation: Invitation, _ reception: AgentConnection.Reception)
            -> DestinationCore.Route
        {
            var route = route(id, invitation, reception, isConnected: false)
            route.end = .ended
            return route
        }
        // The first connection, and one that ended before it: the mailbox is tried.
        let shared = DestinationWorld(.shared)
        shared.loaded.routes = [ended("old", try invitation("b", key: 2), .mailbox), route("one", granted)]
        shared.feed(.start)
        #expect(shared.made.map(\.invitation.id) == ["a"])

        // The agent has ended its connection through the mailbox: there is no other one, and nothing is given up.
        for mailbox in [DestinationCore.Policy.Mailbox.shared, .own] {
            let world = DestinationWorld(mailbox)
            world.loaded.mailbox = granted
            world.loaded.routes = [route("one", granted), ended("two", granted, .mailbox)]
            world.feed(.start)
            world.run(for: .seconds(600))
            #expect(world.made.isEmpty && world.refused.isEmpty && world.returns == 0, "\(mailbox)")
        }

        // The first connection has ended: the pending one is no trial, and is not given up.
        let pending = DestinationWorld(.shared)
        pending.loaded.routes = [
            ended("one", granted, .returnRoute), route("two", granted, .mailbox, isConnected: false),
        ]
        pending.feed(.start)
        pending.say("two", hasAddress: true)
        pending.run(for: .seconds(600))
        #expect(pending.refused.isEmpty && pending.core.live.map(\.id) == ["two"])
    }

    // MARK: - Late answers

    /// A connection on trial that is connected at the last moment stays.
    @Test func aTrialThatIsConnectedAtTheLastMomentStays() throws {
        let world = DestinationWorld(.own)
        let granted = try invitation("a")
        (world.loaded.mailbox, world.loaded.routes) = (granted, [route("two", granted, .mailbox, isConnected: false)])
        world.connectsLate = true
        world.feed(.start)
        world.run(for: .seconds(600))
        #expect(world.refused.isEmpty && world.returns == 0 && world.core.live.map(\.id) == ["two"])
    }

    /// A connection on trial that is connected at the last moment and then ended is given up: it is deleted, and the
    /// first connection delivers again.
    @Test func aTrialThatEndsWhileItIsGivenUpIsDeleted() throws {
        let world = DestinationWorld(.own)
        let granted = try invitation("a")
        (world.loaded.mailbox, world.loaded.routes) = (granted, [route("two", granted, .mailbox, isConnected: false)])
        world.returning = [route("one", granted)]
        (world.connectsLate, world.endsLate) = (true, true)
        world.feed(.start)
        world.run(for: .seconds(50))
        #expect(world.refused.isEmpty && world.core.route("two") != nil, "it is stored, so it is not forgotten")
        world.run(for: .seconds(20))
        #expect(world.refused == ["a"] && world.returns == 1 && world.core.routes.map(\.id) == ["one"])
    }

    /// The requests of an invitation count as answered once a connection has taken them.
    @Test func whatNoConnectionTakesIsNotAnswered() throws {
        let asking = try invitation("b", handshake: false, asks: true)
        let world = DestinationWorld(files: ["file"])
        world.loaded.routes = [route("one", try invitation("a"))]
        (world.contents, world.takesRequests) = ([.success(asking)], false)
        world.feed(.start)
        #expect(world.answered == ["one"] && world.accepted.isEmpty)
        _ = try world.connect(asking)
        #expect(try world.connect(asking, 2).failure != nil && world.core.accepted.isEmpty)
        world.takesRequests = true
        world.run(for: .seconds(300))
        #expect(world.accepted == ["b"])
        #expect(world.count { if case .invitationRead = $0 { true } else { false } } == 1)
    }

    // MARK: - Limits

    /// An inviter that declines to use its connection gets no new one beyond the limit, nor does an invitation file.
    @Test func noWayLeadsBeyondTheLimit() throws {
        let world = DestinationWorld(files: ["file"])
        world.contents = [.success(try invitation("more", key: 99))]
        for number in 0..<UInt8(DestinationCore.routesLimit) {
            world.loaded.routes.append(route(Text("\(number)"), try invitation(Text("\(number)"), key: number + 1)))
        }
        world.reuse = false
        world.feed(.start)
        #expect(world.count { if case .invitationFailed = $0 { true } else { false } } == 1)
        let newer = try invitation("newer", key: 1)
        #expect(try world.connect(newer).isUnderWay)
        #expect(try world.connect(newer, 2).failure == ConnectFailure.tooMany.line)
        #expect(world.made.isEmpty && world.accepted.isEmpty)
    }

    // MARK: - Deletions

    /// A connection that is deleted while the stored connections are read does not run.
    @Test(arguments: [true, false]) func whatIsDeletedWhileItIsReadDoesNotRun(isReturn: Bool) throws {
        let granted = try invitation("a")
        let world = DestinationWorld(isReturn ? .own : .none)
        if isReturn {
            world.loaded.mailbox = granted
            world.loaded.routes = [route("two", granted, .mailbox, isConnected: false)]
            world.returning = [route("one", granted)]
            world.feed(.start)
            world.holds = true
            world.feed(.remove("two"))
        } else {
            world.loaded.routes = [route("one", granted)]
            world.holds = true
            world.feed(.start)
        }
        world.feed(.remove("one"))
        world.release()
        #expect(!world.started.contains("one") && world.core.routes.isEmpty && world.gone.last == "one")
    }

    /// A connection on trial that is deleted before it is stored leaves nothing.
    @Test func aDeletedTrialLeavesNothing() throws {
        let world = DestinationWorld(.own)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.feed(.start)
        _ = world.core.handle(.ended("one", isGranted: true), at: world.now)
        let actions = world.core.handle(.adopted("one", nil), at: world.now)
        let trial = try #require(
            actions.compactMap { if case .beginTrial(let route) = $0 { route } else { nil } }.first)
        world.feed(.trialBegun(trial.id, .failed("the disk is full")))
        world.feed(.remove(trial.id))
        world.run(for: .seconds(10))
        #expect(world.made.map(\.id) == [trial.id] && world.gone == [trial.id, trial.id])
        #expect(world.core.routes.isEmpty && world.returns == 1 && world.started == ["one"])
    }

    /// A trial that could not be stored yet leads to no connection after the connection of its invitation was deleted.
    /// One of two connections by that invitation may be deleted.
    @Test(arguments: [true, false]) func aTrialOfADeletedConnectionIsNotRepeated(isLast: Bool) throws {
        let world = DestinationWorld(.shared)
        world.loaded.routes = [route("one", try invitation("a"))]
        world.isBroken = true
        // The stored connections can be read.
        _ = world.core.handle(.start, at: world.now)
        world.feed(.loaded(world.loaded))
        let starting = world.core.starting
        let trial = try #require(starting)
        if !isLast { world.feed(.wentBack(.success([route("two", try invitation("a"))]))) }
        world.feed(.remove("one"))
        world.isBroken = false
        world.run(for: .seconds(600))
        #expect(world.started.contains(trial.id) == !isLast && world.gone.contains(trial.id) == isLast)
        #expect(world.core.live.map(\.id) == (isLast ? [] : ["two", trial.id]))
    }

    /// After the deletion of the last connection the mailbox of its agent, which may not be released yet, leads to no
    /// new connection.
    @Test func aUsedMailboxLeadsToNoConnection() throws {
        let world = DestinationWorld(.own)
        world.loaded.mailbox = try invitation("a")
        world.feed(.start)
        world.run(for: .seconds(600))
        #expect(world.made.isEmpty && world.returns == 0 && world.core.trial == nil)
    }
}
