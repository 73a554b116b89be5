import Encoding
import Simulation
import Testing
import Tuvali

@testable import Kiosk

/// A kiosk's memory does not grow with the number of past visits, whatever they were.
@Suite struct GrowthTests {
    @Test func aCrowdLeavesNoMemoryInUse() throws {
        var plan = CrowdPlan()
        (plan.visits, plan.gates, plan.phones, plan.hostile, plan.mixed) = (1000, 1, 8, 0.2, 0.4)
        let crowd = try Crowd(plan) { KioskSettings(name: try Identifier($0), softwareVersion: "test") }
        var sizes: [Int] = []
        let figures = crowd.run { gone in
            if gone.isMultiple(of: 10), let kiosk = crowd.kiosks.first { sizes.append(Self.size(of: kiosk)) }
        }
        let (isRight, wrong, unserved, faults) = (figures.isRight, figures.wrong, figures.unserved, figures.faults)
        #expect(isRight, "\(plan.command): wrong \(wrong), unserved \(unserved), \(faults)")
        let (early, late) = (sizes[10..<40].max() ?? 0, sizes[70...].max() ?? 0)
        let (first, last) = (sizes[10..<40].reduce(0, +) / 30, sizes[70...].reduce(0, +) / (sizes.count - 70))
        print("a kiosk in a crowd: \(first) entries in all its tables, \(last) later; at most \(early), \(late) later")
        #expect(sizes.count == 100 && early > 20)
        #expect(late < early * 3 / 2 && last < first * 5 / 4)
        let kiosk = try #require(crowd.kiosks.first)
        #expect(kiosk.visits.isEmpty && kiosk.unrecorded.isEmpty && kiosk.spares.isEmpty)
    }

    /// Returns the number of entries of all collections in a value, including nested ones. Bytes do not
    /// count.
    private static func size(of value: Any) -> Int {
        if value is [UInt8] || value is ArraySlice<UInt8> { return 0 }
        let mirror = Mirror(reflecting: value)
        let own =
            switch mirror.displayStyle {
            case .collection, .set, .dictionary: mirror.children.count
            default: 0
            }
        return mirror.children.reduce(own) { $0 + size(of: $1.value) }
    }
}
