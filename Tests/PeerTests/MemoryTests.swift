import Encoding
import Foundation
import TestKit
import Testing

/// What visitors say of themselves, searched for in the program's memory from outside, as root can.
@Suite(.tags(.realTime)) struct MemoryTests {
    /// Before everything that is looked for.
    private static let mark = "Zq7vK-"

    /// Forty have an altered credential, each with a name of his own in a long text and in one of at most 15 bytes,
    /// which Swift keeps in place; ten have one that is in order.
    @Test(.timeLimit(.minutes(5)))
    func nothingOfFiftyVisitorsStays() async throws {
        let place = try Workplace("memory")
        guard let credential = try Credential(place) else { return place.remove() }
        let genuine = try String(contentsOfFile: credential.genuine, encoding: .utf8)
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust,
            sections: ["kiosk": "name = \"\(Self.mark)own\""])
        try kiosk.start()
        _ = try await kiosk.invitation()
        let memory = try #require(kiosk.memory)
        // The program has the demonstration's credential in its data.
        let accepted = { try memory.continuations(of: "Mary Smith", count: 0).values.reduce(0, +) }
        let before = try accepted()

        var day = Day(air: air, kiosk: kiosk)
        for visitor in 0..<50 {
            if visitor % 5 == 0 {
                try await day.visit("accepted", .init(uri: "", payload: credential.genuine, settle: 0.01))
                continue
            }
            let name = "\(Self.mark)\(100 + visitor)"
            let text = genuine.replacingOccurrences(of: "Mary Smith", with: "\(name), whose name is long")
                .replacingOccurrences(of: "Leased", with: name)
            let payload = try place.write("visitor.json", text)
            try await day.visit(
                "rejected", .init(uri: "", payload: payload, settle: 0.01), reason: "proof.invalid")
        }

        func visitors(_ names: Set<String>) -> Set<String> { names.filter { $0.allSatisfy(\.isNumber) } }
        // A verification's thread ends a moment after its verdict.
        var (names, left) = (Set<String>(), Int.max)
        for _ in 0..<100 where !(visitors(names).isEmpty && left <= before) {
            try await Task.sleep(for: .milliseconds(100))
            (names, left) = try (Set(memory.continuations(of: Self.mark, count: 3).keys), accepted())
        }
        #expect(visitors(names).isEmpty, "what is left of 50 visitors: \(names)")
        // What the program has to keep is found, by the same search.
        #expect(names.contains("own"))
        #expect(left <= before)
        try await day.close()
        try await air.stop()
        place.remove()
    }
}
