import Encoding
import Testing

@testable import Simulation

@Suite struct EndToEndTests {
    /// A server MTU and the result of a share with each phone: the MTU of the wallet, or nil for TVW_CON_002.
    private static let mtus: [(server: Int, android13: Int?, android14: Int?, iPhone: Int?)] = [
        (517, 512, 517, 517), (512, 512, 512, 512), (247, 185, nil, 247), (185, 185, nil, 185), (100, 100, nil, 100),
        (67, nil, nil, 67), (66, nil, nil, nil), (23, nil, nil, nil),
    ]

    @Test func mtuDecides() throws {
        for row in Self.mtus {
            for (traits, mtu) in [
                (PhoneTraits.android13, row.android13), (.android14, row.android14), (.iPhone, row.iPhone),
            ] {
                var rig = try Rig([Visit("visitor", phone: traits, submission: submission(bytes: 300))])
                rig.host.serverMTU = row.server
                rig.run()
                let outcome: VisitOutcome = mtu == nil ? .failed(.mtu) : .accepted
                #expect(rig.radio.outcomes == [0: outcome], "\(row)")
                if let mtu { #expect(rig.events(of: 0).contains(.wallet(.mtu(mtu))), "\(row)") }
            }
        }
    }

    @Test func missingServiceEndsTheShare() throws {
        var rig = try Rig([Visit("visitor", phone: .android13, submission: submission(bytes: 300))])
        rig.host.hasService = false
        rig.run()
        #expect(rig.radio.outcomes == [0: .failed(.service)])
    }

    private static let phones: [(String, PhoneTraits)] = [
        ("Android 13", .android13), ("Android 14", .android14), ("iPhone", .iPhone), ("iPhone 185", .iPhone185),
    ]

    @Test(arguments: phones) func shareIsAccepted(name: String, traits: PhoneTraits) throws {
        let content = submission(bytes: 10_000)
        var rig = try Rig([Visit(name, phone: traits, submission: content)])
        let isOver = rig.run()
        #expect(isOver)
        #expect(rig.radio.outcomes == [0: .accepted], "\(rig.events(of: 0).suffix(5))")
        #expect(rig.host.problems == [])
        #expect(rig.violations == [])
        let broken = rig.events(of: 0).filter { if case .violation = $0 { true } else { false } }
        #expect(broken == [])
        // Every phone configures Service Changed, and iOS also the three values. No phone configures anything else.
        #expect(rig.host.subscriptions == (traits.wallet.platform == .ios ? [7, 25, 28, 31] : [7]))
        guard case .seal(let record, _, _) = content else { return }
        #expect(rig.host.payloads == [record])
        #expect(rig.host.reports == [[1, 0, 0]])
    }
}
