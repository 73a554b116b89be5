import BluetoothHost
import Encoding
import Simulation
import Testing
import Tuvali

@testable import Kiosk

/// An observer who listens for days learns that the product is there and the name that its operator gave it.
/// He cannot learn which box with that name it is, nor that two visits were at the same box. Apart from the
/// name, two sessions of one box share only what all boxes share.
@Suite struct LinkabilityTests {
    private static let visitors = 40

    /// The default, and a gate that serves wallets of both generations.
    static let generations: [[Generation]] = [[.b], [.b, .a]]

    /// A day at a box: phones of all kinds, some of which leave or send nothing, and idle time in which keys
    /// rotate.
    private static func box(_ number: UInt8, _ generations: [Generation]) throws -> TestGate {
        let phones: [PhoneTraits] =
            generations == [.b]
            ? [.android14, .iPhone, .android13, .iPhone185]
            : [.android14, .iPhone, PhoneTraits.android13.before, PhoneTraits.iPhone185.before]
        let misbehaviours: [Misbehaviour?] = [nil, nil, .pairs, .leaves(.identified), .silent, .lingers]
        let visits = (0..<visitors).map { visit in
            Simulation.Visit.test(
                phones[visit % phones.count], arrival: .at(.seconds(10 + 40 * visit)),
                misbehaviour: misbehaviours[visit % misbehaviours.count])
        }
        var controller = ControllerTraits()
        controller.publicAddress = [number, 0xB1, 0xB2, 0xB3, 0xB4, 0xC5]
        let gate = try TestGate(visits: visits, controller: controller, seed: UInt64(number)) {
            $0 = KioskSettings(name: $0.name, softwareVersion: "version \(number)")
            $0.radioReminder = .zero
            $0.generations = generations
        }
        #expect(gate.run(limit: .seconds(3600)))
        return gate
    }

    @Test(arguments: generations) func sessionsShareNothingThatBoxesDoNot(_ generations: [Generation]) throws {
        let (one, other) = (Air(try Self.box(1, generations)), Air(try Self.box(2, generations)))
        // All advertisements of both boxes share only the name and the constant bytes around it.
        let fields: [KeyPath<Air.Advertisement, [UInt8]>] = [\.address, \.data, \.scanResponse]
        let constants = zip(fields, [0, 12 + "TestGate".utf8.count, 4])
        // The two advertisements of one key share the key, so advertisements are compared only within their
        // generation.
        let ofGenerations = Dictionary(grouping: one.advertisements + other.advertisements) { $0.data[5...6] }
        #expect(ofGenerations.count == generations.count)
        for (advertisements, (field, constant)) in ofGenerations.values.flatMap({ group in constants.map { (group, $0) }
        }) {
            let values = advertisements.map { $0[keyPath: field] }
            let first = try #require(values.first)
            let varying = first.indices.filter { place in values.contains { $0[place] != first[place] } }
            #expect(first.count - varying.count == constant)
            // No two advertisements share four bytes of the rest.
            let parts = values.map { value in Set(Air.windows(of: varying.map { value[$0] }, 4)) }
            #expect(parts.reduce(0) { $0 + $1.count } == parts.reduce(into: Set()) { $0.formUnion($1) }.count)
        }
        // A PDU that occurs on several links of one box also occurs at the other box.
        let (here, everywhere) = (one.links.flatMap { Set($0) }, Set(other.links.joined()))
        let often = Dictionary(grouping: here) { $0 }.filter { $0.value.count > 1 }.map(\.key)
        #expect(often.count > 20)
        for pdu in often { #expect(everywhere.contains(pdu), "\(Hex.encode(pdu)) is of two sessions of one box only") }
    }

    /// Address and keys change together: neither links a later advertisement to an earlier one.
    @Test(arguments: generations) func eachKeyHasItsAddress(_ generations: [Generation]) throws {
        let air = Air(try Self.box(3, generations))
        #expect(air.advertisements.count > Self.visitors)
        #expect(Set(air.advertisements.map(\.address)).count == air.advertisements.count)
        #expect(Set(air.advertisements.map(\.data)).count == air.advertisements.count)
        #expect(Set(air.advertisements.map(\.scanResponse)).count == air.advertisements.count)
    }

    /// Each address is resolvable with an identity key that makes only the addresses of the same session keys
    /// and is then discarded.
    @Test(arguments: generations) func addressesHaveKeysOfTheirOwn(_ generations: [Generation]) throws {
        let gate = try Self.box(4, generations)
        let keys = gate.trace.compactMap { turn in
            if case .sessionMaterial(let material) = turn.event { material.identityResolvingKey } else { nil }
        }
        #expect(Set(keys).count == keys.count)
        for advertisement in Air(gate).advertisements {
            let address = advertisement.address
            #expect(address[5] >> 6 == 0b01, "a resolvable private address")
            let resolving = keys.filter { key in
                let made = try? ResolvablePrivateAddress.make(identityKey: key, random: address[3...].reversed())
                return made?.bytes == address
            }
            #expect(resolving.count == 1)
        }
    }

    /// Nothing specific to a box is sent: not its address, its version, or the ids of its records.
    @Test(arguments: generations) func nothingOfTheBoxGoesOnTheAir(_ generations: [Generation]) throws {
        let gate = try Self.box(5, generations)
        let air = Air(gate)
        let secrets =
            [[5, 0xB1, 0xB2, 0xB3], [0xC5, 0xB4, 0xB3, 0xB2], Array("version 5".utf8)]
            + gate.intents.flatMap { id -> [[UInt8]] in
                [Array(id.text.utf8.prefix(8)), Hex.decode(id.text.filter { $0 != "-" }) ?? []]
            }
        #expect(secrets.count > Self.visitors)
        for secret in secrets where !secret.isEmpty {
            #expect(!air.appearances.contains { $0.contains { $0.firstRange(of: secret) != nil } }, "\(secret)")
        }
    }

    /// A phone that reads every attribute gets the same values at every box, whatever its name, and at every
    /// visit.
    @Test(arguments: generations) func everyPhoneReadsTheSameValues(_ generations: [Generation]) throws {
        let recording = try RecordedVisit(.android14, record: Array("{}".utf8))
        var transcripts: Set<[[UInt8]]> = []
        for (seed, name) in [(1, "TestGate"), (2, "TestGate"), (3, "Another-Gate")] as [(UInt64, String)] {
            var gate = try ReplayGate([recording], seed: seed, name: name, generations: generations)
            gate.spoil = { packet in
                // The answer to Read BD_ADDR: the box's own address.
                packet.starts(with: [4, 0x0E, 10, 1, 0x09, 0x10])
                    ? [Array(packet.prefix(7)) + [UInt8](repeating: UInt8(seed), count: 6)] : [packet]
            }
            for _ in 0..<5 {
                let isReady = gate.passUntilReady(limit: .seconds(300))
                #expect(isReady)
                gate.heard = []
                gate.play(Self.curiosity)
                transcripts.insert(gate.heard ?? [])
                gate.pass(.seconds(2))
            }
        }
        #expect(transcripts.count == 1)
        // Every request was answered; the device name is empty.
        let heard = try #require(transcripts.first)
        #expect(heard.count >= Self.curiosity.count - 2)
        #expect(heard.contains { $0.dropFirst(5).elementsEqual([1, 0, 4, 0, 0x0B]) })
    }

    /// Requests for everything that a server has, pairing, and signalling; then the phone leaves.
    private static let curiosity: [(after: Duration, packet: [UInt8])] = {
        func packet(_ channel: UInt8, _ pdu: [UInt8]) -> [UInt8] {
            let count = UInt8(pdu.count)
            return [2, 0x40, 0x20, count + 4, 0, count, 0, channel, 0] + pdu
        }
        let types: [UInt8] = [0x00, 0x01, 0x02, 0x03]
        var pdus: [(UInt8, [UInt8])] = [(4, [0x02, 0x05, 0x02])]
        pdus +=
            types.map { (4, [0x10, 1, 0, 0xFF, 0xFF, $0, 0x28]) }
            + types.map { (4, [0x08, 1, 0, 0xFF, 0xFF, $0, 0x28]) }
        for handle in 1...60 as ClosedRange<UInt8> {
            pdus += [(4, [0x04, handle, 0, 0xFF, 0xFF]), (4, [0x0A, handle, 0]), (4, [0x0C, handle, 0, 0, 0])]
        }
        pdus += [(4, [0x0E, 3, 0, 5, 0]), (4, [0x20, 3, 0, 5, 0]), (4, [0x16, 3, 0, 0, 0, 1]), (4, [0x99 & 0x3F])]
        pdus += [
            (6, [0x01, 3, 0, 1, 16, 7, 7]), (5, [0x14, 1, 10, 0, 1, 0, 64, 0, 64, 0, 64, 0, 1, 0]),
            (5, [0x16, 2, 0, 0]),
        ]
        let phone: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x46, 24, 0, 0, 0, 72, 0, 0]
        let packets = [phone] + pdus.map { packet($0.0, $0.1) } + [[4, 5, 4, 0, 0x40, 0, 0x13]]
        return packets.enumerated().map { (.milliseconds(5 * $0.offset), $0.element) }
    }()
}

/// Everything that a box sent over the air, taken from its commands and data packets.
private struct Air {
    /// The address, advertisement and scan response that were on the air together.
    struct Advertisement: Hashable {
        var address: [UInt8] = []
        var data: [UInt8] = []
        var scanResponse: [UInt8] = []
    }

    /// All different advertisements.
    private(set) var advertisements: [Advertisement] = []
    /// The values of each link, the PDUs in their pieces.
    private(set) var links: [[[UInt8]]] = []

    /// The byte strings of every advertisement and of every link, which an observer can compare.
    var appearances: [[[UInt8]]] { advertisements.map { [$0.address, $0.data, $0.scanResponse] } + links }

    init(_ gate: TestGate) {
        var onAir: [UInt8: Advertisement] = [:]
        var open: [UInt16: Int] = [:]
        for turn in gate.trace {
            if case .received(let packet) = turn.event, packet.starts(with: [4, 0x3E]), [1, 10].contains(packet[3]) {
                open[UInt16(packet[5]) | UInt16(packet[6]) << 8] = links.count
                links.append([])
            }
            for case .send(let packet) in turn.actions {
                if packet[0] == 2 {
                    let handle = (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0x0FFF
                    if let link = open[handle] { links[link].append(Array(packet[5...])) }
                } else {
                    command(packet, &onAir)
                }
            }
        }
    }

    /// Processes advertising commands of both kinds; commands for a set begin with its number.
    private mutating func command(_ packet: [UInt8], _ onAir: inout [UInt8: Advertisement]) {
        let parameters = Array(packet[4...])
        switch UInt16(packet[1]) | UInt16(packet[2]) << 8 {
        case 0x2005: onAir[0, default: .init()].address = parameters
        case 0x2008: onAir[0, default: .init()].data = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x2009: onAir[0, default: .init()].scanResponse = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x200A where parameters[0] == 1: show(onAir[0])
        case 0x2035: onAir[parameters[0], default: .init()].address = Array(parameters[1...])
        case 0x2037: onAir[parameters[0], default: .init()].data = Array(parameters[4...])
        case 0x2038: onAir[parameters[0], default: .init()].scanResponse = Array(parameters[4...])
        case 0x2039 where parameters[0] == 1: for set in onAir.keys.sorted() { show(onAir[set]) }
        default: break
        }
    }

    private mutating func show(_ advertisement: Advertisement?) {
        guard let advertisement, !advertisements.contains(advertisement) else { return }
        advertisements.append(advertisement)
    }

    /// Returns all parts of `bytes` with the given length.
    static func windows(of bytes: [UInt8], _ length: Int) -> [[UInt8]] {
        bytes.count < length ? [] : (0...bytes.count - length).map { Array(bytes[$0..<$0 + length]) }
    }
}
