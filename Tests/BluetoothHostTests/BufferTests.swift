import Encoding
import Testing

@testable import BluetoothHost

/// One phone cannot take all ACL buffers of the controller from the other phones, whatever it acknowledges.
@Suite("Bluetooth host: buffers")
struct BufferTests {
    /// The number of buffers of a controller, the maximum of one link, and how many links can send if each link keeps
    /// all its buffers.
    static let table = [
        (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 1, 4), (7, 1, 7), (8, 1, 8), (12, 1, 12), (16, 2, 10), (20, 2, 12),
        (24, 3, 12),
    ]

    private static let frame = L2CAPFrame(channel: 4, payload: [0x1B, 20, 0, 1])

    private func at(_ milliseconds: Int) -> Instant { Instant.zero.advanced(by: .milliseconds(milliseconds)) }

    private func handle(_ number: Int) -> ConnectionHandle { ConnectionHandle(rawValue: UInt16(0x40 + number)) }

    private func transmitter(_ packets: Int) -> ACLTransmitter {
        var limits = Limits()
        limits.queuedFrames = 100
        return ACLTransmitter(packetLength: 27, packets: packets, limits: limits)
    }

    /// Queues `count` frames for the link.
    private func queue(_ count: Int, _ number: Int, _ transmitter: inout ACLTransmitter, at now: Instant) {
        for _ in 0..<count { transmitter.enqueue(Self.frame, on: handle(number), at: now) }
    }

    /// Sends everything that may be sent and returns the numbers of the links in order.
    private func send(_ transmitter: inout ACLTransmitter, at now: Instant) -> [Int] {
        var sent: [Int] = []
        while let next = transmitter.next(at: now) { sent.append(Int(next.handle.rawValue) - 0x40) }
        return sent
    }

    /// Opens a link for which the controller has already completed a packet.
    private func prove(_ number: Int, _ transmitter: inout ACLTransmitter, at now: Instant) {
        transmitter.open(handle(number))
        queue(1, number, &transmitter, at: now)
        #expect(send(&transmitter, at: now) == [number])
        transmitter.completed(handle(number), 1, at: now)
    }

    @Test(arguments: table) func aLinkHoldsAnEighthAtMost(_ row: (packets: Int, share: Int, links: Int)) {
        var transmitter = transmitter(row.packets)
        prove(0, &transmitter, at: at(0))
        queue(40, 0, &transmitter, at: at(0))
        #expect(send(&transmitter, at: at(0)).count == row.share)
        transmitter.completed(handle(0), 1, at: at(50))
        #expect(send(&transmitter, at: at(50)).count == 1)
    }

    @Test(arguments: table) func twoSharesStayFreeForOthers(_ row: (packets: Int, share: Int, links: Int)) {
        var transmitter = transmitter(row.packets)
        for number in 0..<30 { prove(number, &transmitter, at: at(0)) }
        var served = 0
        for number in 0..<30 {
            queue(40, number, &transmitter, at: at(0))
            if send(&transmitter, at: at(0)).contains(number) { served += 1 }
        }
        #expect(served == row.links && ACLTransmitter.links(sharing: row.packets) == row.links)
    }

    /// The number of links from ``ACLTransmitter/links(sharing:)`` is never too high.
    @Test(arguments: 1...255) func eachOfSoManyLinksHasABuffer(packets: Int) {
        var transmitter = transmitter(packets)
        let links = ACLTransmitter.links(sharing: packets)
        for number in 0..<links { prove(number, &transmitter, at: at(0)) }
        for number in 0..<links {
            queue(packets, number, &transmitter, at: at(0))
            #expect(send(&transmitter, at: at(0)).contains(number), "\(number) of \(links)")
        }
    }

    /// A link that is being disconnected has no important data left, so it is served last.
    @Test func aLinkThatIsEndingTakesNoBufferThatAnotherWaitsFor() {
        var transmitter = transmitter(1)
        for number in 0...2 { prove(number, &transmitter, at: at(0)) }
        queue(1, 0, &transmitter, at: at(0))
        #expect(send(&transmitter, at: at(0)) == [0])
        queue(1, 1, &transmitter, at: at(1))
        queue(1, 2, &transmitter, at: at(1))
        transmitter.end(handle(1))
        transmitter.completed(handle(0), 1, at: at(2))
        #expect(send(&transmitter, at: at(2)) == [2])
        transmitter.completed(handle(2), 1, at: at(3))
        #expect(send(&transmitter, at: at(3)) == [1], "what waits still goes out where it can")
    }

    /// A phone sends one request at a time, so a link that has never returned a buffer needs only one.
    @Test func aNewLinkHoldsOne() {
        var transmitter = transmitter(20)
        transmitter.open(handle(0))
        queue(24, 0, &transmitter, at: at(0))
        #expect(send(&transmitter, at: at(0)) == [0])
        transmitter.completed(handle(0), 1, at: at(30))
        #expect(send(&transmitter, at: at(30)).count == 2)
    }

    @Test func aLinkThatAcknowledgesNothingGetsNoMore() {
        var transmitter = transmitter(20)
        for number in 0...1 { prove(number, &transmitter, at: at(0)) }
        queue(1, 0, &transmitter, at: at(1000))
        #expect(send(&transmitter, at: at(1000)) == [0])
        #expect(transmitter.unacknowledged(handle(0)) == at(1000) && transmitter.unacknowledged(handle(1)) == nil)
        queue(1, 0, &transmitter, at: at(1299))
        #expect(send(&transmitter, at: at(1299)) == [0])
        queue(1, 0, &transmitter, at: at(1300))
        queue(1, 1, &transmitter, at: at(1300))
        #expect(send(&transmitter, at: at(1300)) == [1], "the other link goes on")
        // The age of a link's unacknowledged data is that of its oldest packet.
        transmitter.completed(handle(0), 1, at: at(1400))
        #expect(send(&transmitter, at: at(1400)) == [0])
    }

    // MARK: - No buffer is returned

    /// Returns a bench whose phone sends 24 requests and acknowledges no answer.
    private func gag(_ packets: UInt8) -> Bench {
        var controller = FakeController()
        (controller.aclPackets, controller.completesData) = (packets, false)
        var bench = Bench.connected(controller)
        for _ in 0..<24 { bench.att([0x0A, 3, 0]) }
        return bench
    }

    private func complete(_ handle: UInt8) -> HostEvent { .received([0x04, 0x13, 5, 1, handle, 0x00, 1, 0]) }

    @Test(arguments: [1, 3, 8, 20] as [UInt8]) func aControllerThatGivesNothingBackIsStuck(_ packets: UInt8) {
        var bench = gag(packets)
        #expect(bench.dataPackets.count == 1)
        #expect(bench.pass(.milliseconds(1999)) == [])
        #expect(bench.pass(.milliseconds(1)).last == .failed(.buffersKept))
        #expect(!HostFailure.buffersKept.isOfAdvertisingSets)
    }

    /// If the controller completes no packets, no phone sends a second request. Two links that wait for their first
    /// completed packet suffice to detect the fault.
    @Test func twoThatWaitForTheirFirstAnswerAreEnough() {
        var controller = FakeController()
        (controller.aclPackets, controller.completesData) = (8, false)
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])
        #expect(bench.pass(.seconds(4)) == [], "one phone may have left")
        bench.give(.received(Packets.connectionComplete(0x41)))
        bench.att([0x02, 0x05, 0x02], handle: 0x41)
        #expect(bench.pass(.milliseconds(1999)) == [])
        #expect(bench.pass(.milliseconds(1)).last == .failed(.buffersKept))
    }

    /// A visitor's link is not ended because another phone has gone out of range.
    @Test func nothingIsStuckWhileAnotherLinkWorks() {
        var bench = gag(8)
        bench.give(.received(Packets.connectionComplete(0x41)))
        bench.att([0x02, 0x05, 0x02], handle: 0x41)
        bench.give(complete(0x41))
        #expect(bench.pass(.seconds(9)).allSatisfy { if case .failed = $0 { false } else { true } })
        #expect(bench.host.linkStates.map(\.unacknowledgedSince) == [.zero, .zero])
    }

    /// A phone that acknowledged packets and then goes out of range with unacknowledged answers is no fault.
    @Test func aPhoneThatLeavesIsNoFault() {
        var controller = FakeController()
        controller.completesData = false
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])
        bench.give(complete(0x40))
        for _ in 0..<9 { bench.att([0x0A, 3, 0]) }
        #expect(bench.pass(.seconds(9)) == [])
    }

    /// If a link without a buffer gets none for two seconds, the host reports the controller as stuck, even if the
    /// controller worked before.
    @Test func oneWithoutABufferWaitsForTwoSeconds() {
        var controller = FakeController()
        (controller.aclPackets, controller.completesData) = (1, false)
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])
        bench.give(complete(0x40))
        bench.att([0x0A, 3, 0])
        bench.give(complete(0x40))
        bench.att([0x0A, 3, 0])
        bench.pass(.seconds(5))
        bench.give(.received(Packets.connectionComplete(0x41)))
        bench.att([0x02, 0x05, 0x02], handle: 0x41)
        #expect(bench.pass(.milliseconds(1999)) == [])
        // A returned buffer goes to the waiting link. Then another link waits for two seconds of its own.
        bench.give(complete(0x40))
        bench.att([0x0A, 3, 0])
        #expect(bench.pass(.milliseconds(1999)) == [])
        #expect(bench.pass(.milliseconds(1)).last == .failed(.buffersKept))
    }

    /// Phones that return one buffer at a time cannot keep a link without a buffer for longer than four
    /// seconds.
    @Test func buffersThatComeBackOneByOneAreNotEnough() {
        var transmitter = transmitter(3)
        for number in 0...8 { prove(number, &transmitter, at: at(0)) }
        for number in 0...8 { queue(1, number, &transmitter, at: at(0)) }
        #expect(send(&transmitter, at: at(0)) == [0, 1, 2] && transmitter.heldDeadline == at(2000))
        transmitter.completed(handle(0), 1, at: at(1900))
        #expect(send(&transmitter, at: at(1900)) == [3] && transmitter.heldDeadline == at(3900))
        transmitter.completed(handle(1), 1, at: at(3000))
        #expect(send(&transmitter, at: at(3000)) == [4] && transmitter.heldDeadline == at(4000))
    }

    // MARK: - Link states

    @Test func theSupervisionTimeoutIsThePhones() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete(timeout: 3200)))
        let handle = Bench.phone
        #expect(
            bench.host.linkStates == [
                LinkState(
                    handle: handle, hasSpoken: false, endingSince: nil, unacknowledgedSince: nil,
                    parameters: ConnectionParameters(interval: 24, latency: 0, supervisionTimeout: 3200))
            ])
        bench.give(.received(Packets.meta(0x03, [0, 0x40, 0x00, 12, 0, 0, 0, 0x58, 0x02])))
        #expect(bench.host.linkStates.map(\.parameters.supervisionTime) == [.seconds(6)])
        bench.pass(.seconds(1))
        bench.give(.disconnect(handle, .userTerminated))
        #expect(bench.host.linkStates.map(\.endingSince) == [at(1000)])
        bench.give(.received(Packets.disconnectionComplete()))
        #expect(bench.host.linkStates == [])
    }
}
