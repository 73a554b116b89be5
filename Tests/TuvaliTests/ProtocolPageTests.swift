import Encoding
import Foundation
import TestKit
import Testing

@testable import Tuvali

/// Checks that `docs/protocols/tuvali.md` agrees with the code: UUIDs, lengths, limits and names.
@Suite struct ProtocolPageTests {
    private func page() throws -> String {
        let file = Vectors.repository.appendingPathComponent("docs/protocols/tuvali.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func short(_ uuid: UInt16) -> String {
        "0x" + Hex.encode([UInt8(uuid >> 8), UInt8(uuid & 0xFF)]).uppercased()
    }

    @Test func everyCharacteristicIsInTheTable() throws {
        let rows = try page().components(separatedBy: "\n").filter { $0.hasPrefix("| ") }
        for characteristic in Characteristic.allCases {
            let cells = Generation.allCases.map { generation -> String in
                characteristic.shortUUID(in: generation).map(short)
                    ?? Hex.encode(Array(characteristic.uuid(in: generation).prefix(4))) + "-…"
            }
            let row = rows.filter { $0.contains("| \(cells[0]) | \(cells[1]) |") }
            #expect(row.count == 1, "\(characteristic)")
            // The row names the side that writes the characteristic, if the characteristic is used at all.
            let isUsed = characteristic != .requestSize && characteristic != .request
            #expect(row.first?.contains("| wallet writes |") == (isUsed && characteristic.isWritable))
        }
        let rest = Characteristic.identify.uuid(in: .b).dropFirst(4)
        let text = Hex.encode(Array(rest))
        let page = try page()
        #expect(text == "5026444a9e0ed6f2450f3a77" && page.contains("5026-444a-9e0e-d6f2450f3a77"))
        for generation in Generation.allCases {
            #expect(page.contains(short(generation.serviceUUID)) && page.contains(short(generation.scanResponseUUID)))
        }
    }

    @Test func numbersAreThoseOfTheCode() throws {
        let page = try page()
        let settings = SessionSettings()
        let sizes = Assembler.acceptedSizes
        #expect(sizes == 17...2_097_152 && page.contains("17 to 2,097,152 encrypted bytes"))
        #expect(page.contains("name (1 to \(Identifier.maximumLength) bytes)"))
        #expect(VerifierSession.smallestMTU == 67 && page.contains("must carry 67 bytes"))
        #expect(settings.toleratedMissingShare == 0.7 && page.contains("more than 70 %"))
        #expect(settings.report.pauses == [.seconds(2), .seconds(2), .seconds(5), .seconds(10)])
        #expect(page.contains("after 2, 2, 5, then each 10 s"))
        #expect(settings.verdict.holdBack == .zero)
        #expect(settings.verdict.pauses == [40, 80, 180, 700, 1000].map(Duration.milliseconds))
        #expect(page.contains("after 40, 80, 180, 700 ms and each second"))
        #expect(settings.identifyLimit == .seconds(10) && settings.responseSizeLimit == .seconds(120))
        #expect(settings.silenceLimit == .seconds(30) && settings.transferLimit == .seconds(600))
        #expect(settings.verdictLimit == .seconds(15) && page.contains("15 s"))
        #expect(settings.inflatedLimit == 8 << 20 && page.contains("At most 8 MiB"))
        for word in [SecureChannel.Receiver.verifier, .wallet] { #expect(page.contains(word.rawValue)) }
        #expect(CRC16.kermit(Array("123456789".utf8)[...]) == 0x2189 && page.contains("0x2189"))
    }
}
