import Testing

@testable import BluetoothHost

/// Compares the attribute server with an independent model of it under random requests: values, client
/// configurations, MTU, prepared writes, pushed values.
@Suite("Bluetooth host: attribute server and model")
struct ATTModelTests {
    @Test(arguments: 1...4) func answersAsTheModelDoes(part: Int) {
        for sequence in 0..<1500 {
            var random = SeededRandom(seed: UInt64(part) << 32 | UInt64(sequence))
            var script = ATTScript()
            for _ in 0..<20 {
                let step: ATTScript.Step =
                    switch random.below(12) {
                    case 0: .push(CharacteristicID(rawValue: [4, 6, 10, 11][random.below(4)]), [1, 2, 3])
                    case 1: .push(CharacteristicID(rawValue: 10), [UInt8](repeating: 7, count: random.below(530)))
                    case 2 where random.below(4) == 0: .silence
                    case 3: .pdu([0x12, [9, 15, 18, 21][random.below(4)], 0, UInt8(random.below(4)), 0])
                    default: .pdu(ATTScript.pdu(&random))
                    }
                if let difference = script.play(step) {
                    Issue.record("part \(part), sequence \(sequence): \(difference)")
                    return
                }
            }
        }
    }

    /// Sends PDUs on all channels, in fragments of any size that are interleaved with those of another link.
    @Test func linksAnswerAsTheModelDoes() {
        let handles: [UInt16] = [0x40, 0x41]
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var (bench, models) = (Bench(), [UInt16: LinkModel]())
            bench.give(.start)
            for handle in handles {
                bench.give(.received(Packets.connectionComplete(handle)))
                models[handle] = LinkModel()
            }
            var lanes = handles.map { handle in
                (0..<8).flatMap { _ -> [[UInt8]] in
                    let channel = [4, 4, 4, 5, 6, 0, 0x40][random.below(7)] as UInt16
                    let payload =
                        channel == 4 ? ATTScript.pdu(&random) : (0..<random.below(20)).map { _ in random.byte() }
                    return Packets.acl(channel, payload, handle: handle, size: 1 + random.below(40))
                }
            }
            while let lane = lanes.indices.filter({ !lanes[$0].isEmpty }).randomElement(using: &random) {
                let packet = lanes[lane].removeFirst()
                bench.forget()
                bench.give(.received(packet))
                let expected = models[handles[lane]]?.piece(Array(packet.dropFirst(5)), continues: packet[2] >> 4 == 1)
                let (sent, news) = expected ?? ([], [])
                let isSame =
                    bench.answers == (sent.isEmpty ? [:] : [handles[lane]: sent])
                    && bench.news == (news.isEmpty ? [:] : [handles[lane]: news])
                if !isSame { Issue.record("seed \(seed): \(bench.answers), the model \(sent)") }
            }
        }
    }

    /// Tests the model: a model that agreed with everything would prove nothing.
    @Test func theModelHasTheTable() {
        var model = ATTModel()
        #expect(model.rows.count == Int(Bench.Handle.last))
        #expect(model.take([0x0A, Bench.Handle.deviceName, 0]).sent == [[0x0B] + Array("Gate".utf8)])
        #expect(model.take([0x0A, Bench.Handle.write, 0]).sent == [[0x01, 0x0A, Bench.Handle.write, 0, 0x02]])
        #expect(model.take([0x16, Bench.Handle.write, 0, 0, 0, 1]).sent == [[0x01, 0x16, 0, 0, 0x06]])
    }
}
