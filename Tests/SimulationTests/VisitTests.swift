import Encoding
import Testing

@testable import Simulation

@Suite struct VisitTests {
    private func rig(
        _ misbehaviour: Misbehaviour?, _ traits: PhoneTraits = .android13, bytes: Int = 10_000,
        controller: ControllerTraits = ControllerTraits(), seed: UInt64 = 1
    ) throws -> Rig {
        let visit = Visit(
            "visitor", phone: traits, submission: submission(bytes: bytes), misbehaviour: misbehaviour)
        return try Rig([visit], controller: controller, seed: seed)
    }

    @Test func leavingEndsCleanly() throws {
        let steps: [VisitStep] = [.connected, .identified, .chosen, .chunk(3), .reportRequested, .delivered]
        for step in steps {
            for misbehaviour in [Misbehaviour.leaves(step), .vanishes(step)] {
                var rig = try rig(misbehaviour)
                let isOver = rig.run()
                #expect(isOver, "\(misbehaviour)")
                #expect(rig.radio.outcomes == [0: .left])
                let reason: UInt8 = misbehaviour == .leaves(step) ? 0x13 : 0x08
                let ended = rig.host.events.first { $0[1] == 0x05 }
                #expect(ended?.last == reason, "\(misbehaviour)")
            }
        }
    }

    @Test func lostAndCorruptChunksAreRepaired() throws {
        for traits in [PhoneTraits.android14, .iPhone, .iPhone185] {
            for misbehaviour in [Misbehaviour.losesEvery(3), .corruptsChunk(2)] {
                var rig = try rig(misbehaviour, traits)
                let isOver = rig.run()
                #expect(isOver && rig.radio.outcomes == [0: .accepted])
                #expect(rig.host.reports.count == 2)
                let listed = rig.host.reports.first.flatMap(WalletReport.init)
                guard case .missing(let missing) = listed else { return #expect(Bool(false)) }
                if case .corruptsChunk = misbehaviour {
                    #expect(missing == [2])
                } else {
                    #expect(missing.count > 2 && missing.allSatisfy { $0 % 3 == 0 })
                }
            }
        }
    }

    @Test func queueLossIsRepairedToo() throws {
        var traits = PhoneTraits.iPhone
        traits.queueLoss = 0.2
        var rig = try rig(nil, traits, bytes: 30_000)
        let isOver = rig.run()
        #expect(isOver && rig.radio.outcomes == [0: .accepted])
        #expect(rig.host.reports.count == 2)
    }

    @Test func lossOnTheAirOnlyTakesTime() throws {
        var traits = PhoneTraits.android14
        var times: [Duration] = []
        for loss in [0.0, 0.2] {
            traits.loss = loss
            var rig = try rig(nil, traits, bytes: 50_000)
            let isOver = rig.run()
            #expect(isOver && rig.radio.outcomes == [0: .accepted])
            #expect(rig.host.reports == [[1, 0, 0]])
            times.append(transferTime(rig))
        }
        #expect(times[1] > times[0] * 1.5)
    }

    /// Returns the time from the write of the size to SUCCESS.
    private func transferTime(_ rig: Rig) -> Duration {
        let start = rig.time(0) { if case .wallet(.chosen) = $0 { true } else { false } }
        let end = rig.time(0) { $0 == .wallet(.delivered) }
        guard let start, let end else { return .zero }
        return start.duration(to: end)
    }

    @Test func retryLimitIsTheWallets() throws {
        // The host never receives chunk 1: the 16th report of missing chunks ends the session.
        var session = WalletSession(
            manner: .android, submission: submission(bytes: 2000), verifierKey: submissionKey())
        var (now, reports) = (Instant.zero, 0)
        var events: [WalletSession.Event] = [.connected]
        var progress: [WalletProgress] = []
        for _ in 0..<10_000 {
            if events.isEmpty {
                guard let due = session.deadline else { break }
                now = due
                events.append(.timer)
            }
            for action in session.handle(events.removeFirst(), at: now) {
                switch action {
                case .discoverServices: events.append(.services(found: true))
                case .requestMTU(let mtu): events.append(.mtu(mtu))
                case .write(let characteristic, _, _):
                    events.append(.written(characteristic, succeeded: true))
                    if characteristic == .transferReportRequest {
                        reports += 1
                        events.append(.value(.transferReportResponse, [0, 0, 1, 0, 1]))
                    }
                case .progress(let what): progress.append(what)
                case .disconnect: events = [.disconnected]
                case .register, .close: break
                }
            }
        }
        #expect(reports == 16)
        #expect(progress.last == .failed(.retries))
    }

    private func submissionKey() -> [UInt8] {
        var random = SplitMix64(seed: 77)
        return random.bytes(32)
    }

    @Test func secondTransferIsSent() throws {
        var rig = try rig(.secondTransfer)
        rig.run()
        let sizes = rig.host.writes.filter { $0.0 == .responseSize }
        #expect(sizes.count == 2)
    }

    @Test func lingeringAndSilentPhonesWaitToBeDropped() throws {
        var rig = try rig(.lingers)
        let isOver = rig.run()
        #expect(isOver && rig.radio.outcomes == [0: .accepted])
        let verdict = rig.time(0) { $0 == .wallet(.verdict(accepted: true)) } ?? .zero
        let gone = rig.time(0) { $0 == .disconnected(reason: 0x13) } ?? .zero
        #expect(verdict.duration(to: gone) > .seconds(4))
        var quiet = try self.rig(.silent)
        quiet.run()
        #expect(quiet.host.writes.isEmpty)
        #expect(quiet.radio.outcomes == [0: .left])
        #expect(quiet.now > Instant(nanoseconds: 100_000_000_000))
    }

    @Test func garbageEndsAndTheNextVisitorIsServed() throws {
        for seed in UInt64(1)...5 {
            var rig = try Rig(
                [
                    Visit(
                        "vandal", phone: .android13, submission: submission(bytes: 10),
                        misbehaviour: .garbage(packets: 50)),
                    Visit("visitor", phone: .iPhone, submission: submission(bytes: 3000)),
                ], seed: seed)
            let isOver = rig.run()
            #expect(isOver && rig.radio.outcomes == [0: .left, 1: .accepted], "seed \(seed)")
        }
    }

    @Test func pairingIsRefusedAndTheShareGoesOn() throws {
        var rig = try rig(.pairs)
        let isOver = rig.run()
        #expect(isOver && rig.radio.outcomes == [0: .accepted])
        #expect(rig.events(of: 0).contains(.pairingRefused(reason: 5)))
    }

    @Test func smallControllersCarryItToo() throws {
        var bumble = ControllerTraits()
        bumble.deliversWholePDUs = true
        bumble.responseTime = .milliseconds(1)
        for (traits, suggests) in [(ControllerTraits.zero2W, false), (.raspberryPi4, true), (bumble, true)] {
            for phone in [PhoneTraits.android13, .iPhone185] {
                var rig = try rig(nil, phone, bytes: 3000, controller: traits)
                rig.host.suggestsDataLength = suggests
                let isOver = rig.run()
                #expect(isOver && rig.radio.outcomes == [0: .accepted])
                #expect(rig.host.problems == [] && rig.violations == [])
            }
        }
    }

    @Test func rejectedVerdictAndWalkingOut() throws {
        var rig = try rig(nil)
        rig.host.accepts = false
        rig.run()
        #expect(rig.radio.outcomes == [0: .rejected])
        // No gate advertises: the visitor waits, then leaves.
        var empty = VirtualRadio(visits: [Visit("early", phone: .android13, submission: submission(bytes: 10))])
        var now = Instant.zero
        _ = empty.handle(.timer, at: now)
        while let due = empty.deadline, !empty.isFinished {
            now = due
            _ = empty.handle(.timer, at: now)
        }
        #expect(empty.outcomes == [0: .left])
        #expect(now == Instant(nanoseconds: 121_000_000_000))
    }

    @Test func crowdOfFifty() throws {
        let kinds: [PhoneTraits] = [.android13, .android14, .iPhone, .iPhone185]
        let visits = (0..<50).map { number in
            Visit(
                "visitor \(number)", arrival: .afterPrevious(.milliseconds(200)), phone: kinds[number % 4],
                submission: submission(bytes: 2000 + number * 100, seed: UInt64(number)))
        }
        var rig = try Rig(visits)
        let isOver = rig.run(atMost: .seconds(3600))
        #expect(isOver)
        #expect(rig.radio.outcomes.values.allSatisfy { $0 == .accepted })
        #expect(rig.host.payloads.count == 50)
        print("crowd: 50 visits, \(rig.now.nanoseconds / 1_000_000_000) s of virtual time, \(rig.steps) steps")
        var again = try Rig(visits)
        again.run(atMost: .seconds(3600))
        #expect(again.now == rig.now && again.seen.map(\.at) == rig.seen.map(\.at))
    }

    @Test func visitorsMayComeUnannounced() throws {
        var rig = try rig(nil)
        rig.run()
        #expect(rig.radio.isFinished)
        let more = Visit(
            "late", arrival: .afterPrevious(.zero), phone: .iPhone, submission: .sealing([0x7B, 0x7D], seed: 4))
        _ = rig.radio.handle(.visitor(more), at: rig.now)
        let isOver = rig.run()
        #expect(isOver && rig.radio.outcomes == [0: .accepted, 1: .accepted])
        #expect(rig.host.payloads.last == [0x7B, 0x7D])
    }

    /// The Android wallet subscribes only after the confirmation of its report request. It loses earlier values and has
    /// no timer.
    @Test func earlyValuesAreLost() throws {
        var traits = PhoneTraits.android13
        // The host sends its report 100 ms and its verdict 400 ms after the request. The verdict alone is sufficient
        // for the wallet.
        for (delay, lost, outcome) in [
            (200, [WalletCharacteristic.transferReportResponse], VisitOutcome.accepted),
            (600, [.transferReportResponse, .verificationStatus], .dismissed),
        ] {
            traits.writeCallbackTime = .milliseconds(delay)
            var rig = try rig(nil, traits, bytes: 100)
            rig.run()
            #expect(rig.radio.outcomes == [0: outcome])
            let dropped = rig.events(of: 0).compactMap { if case .dropped(let what) = $0 { what } else { nil } }
            #expect(dropped == lost)
            #expect(!rig.events(of: 0).contains(.wallet(.delivered)))
        }
    }

    @Test func crowdAtOnceQueuesUp() throws {
        let visits = (0..<5).map { number in
            Visit(
                "visitor \(number)", arrival: .at(.seconds(1)), phone: .android14, submission: submission(bytes: 3000))
        }
        var rig = try Rig(visits)
        let isOver = rig.run()
        #expect(isOver && rig.radio.outcomes.values.allSatisfy { $0 == .accepted })
    }

    /// Compares transfer times with the model: an Android phone sends 37.2 kB of chunks at 15 ms with 6
    /// packets per connection event, which is 2 writes per event.
    @Test func transferTimeFollowsTheLink() throws {
        var rig = try rig(nil, .android14, bytes: 50_000)
        rig.run()
        let bytes = rig.host.writes.filter { $0.0 == .submitResponse }.reduce(0) { $0 + $1.1.count }
        let seconds = transferTime(rig).milliseconds / 1000
        let model = Double(bytes) / (2 * 509 / 0.015)
        // The size, the report request, the hold-back of 100 ms and the report take additional time.
        #expect(seconds > model && seconds < model * 1.05 + 0.2, "\(seconds) s, model \(model) s")
        print("transfer: \(bytes) bytes in \(seconds) s, model \(model) s")
    }
}
