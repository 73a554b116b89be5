import Encoding
import Testing

@testable import LinuxIO

/// The rule for a change of a line where the kernel does not debounce it.
@Suite("Debouncing of inputs")
struct InputDebounceTests {
    private func edge(_ index: Int, _ isActive: Bool, _ milliseconds: Int64) -> InputEdge {
        InputEdge(index: index, isActive: isActive, at: at(milliseconds))
    }

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("a change counts when its time is over, with that instant")
    func lasts() {
        var debounce = InputDebounce([.milliseconds(20)], levels: 0)
        #expect(debounce.end == nil)
        #expect(debounce.take(edge(0, true, 100)).isEmpty)
        #expect(debounce.end == at(120) && debounce.active == 0)
        #expect(debounce.settle(at: at(119)).isEmpty)
        #expect(debounce.settle(at: at(125)) == [edge(0, true, 120)])
        #expect(debounce.active == 1 && debounce.end == nil)
        #expect(debounce.settle(at: at(500)).isEmpty)
    }

    @Test("a change that does not last is passed over, whichever level it leaves")
    func blip() {
        for levels in [UInt64(0), 1] {
            var debounce = InputDebounce([.milliseconds(20)], levels: levels)
            #expect(debounce.take(edge(0, levels == 0, 100)).isEmpty)
            #expect(debounce.take(edge(0, levels == 1, 119)).isEmpty)
            #expect(debounce.settle(at: at(130)).isEmpty && debounce.end == at(139))
            #expect(debounce.settle(at: at(200)).isEmpty && debounce.end == nil)
            #expect(debounce.active == levels)
        }
    }

    @Test("each bounce begins the time anew; a contact that bounces changes once")
    func bounce() {
        var debounce = InputDebounce([.milliseconds(20)], levels: 0)
        for bounce in 0..<9 { #expect(debounce.take(edge(0, bounce % 2 == 0, 100 + 15 * Int64(bounce))).isEmpty) }
        #expect(debounce.settle(at: at(239)).isEmpty)
        #expect(debounce.settle(at: at(240)) == [edge(0, true, 240)])
    }

    @Test("a change that had lasted is not lost to the next edge, though both are read at once")
    func readLate() {
        var debounce = InputDebounce([.milliseconds(20)], levels: 0)
        #expect(debounce.take(edge(0, true, 100)).isEmpty)
        #expect(debounce.take(edge(0, false, 150)) == [edge(0, true, 120)])
        #expect(debounce.settle(at: at(900)) == [edge(0, false, 170)])
    }

    @Test("lines have times of their own, and their changes come in order")
    func several() {
        var debounce = InputDebounce([.milliseconds(50), .milliseconds(5)], levels: 0b10)
        #expect(debounce.take(edge(0, true, 100)) + debounce.take(edge(1, false, 110)) == [])
        #expect(debounce.end == at(115))
        #expect(debounce.settle(at: at(200)) == [edge(1, false, 115), edge(0, true, 150)])
        #expect(debounce.active == 0b01)
        #expect(debounce.take(edge(2, true, 300)).isEmpty)
    }

    @Test("a level without an edge counts as an edge at the time of its reading")
    func match() {
        var debounce = InputDebounce([.milliseconds(20)], levels: 0)
        debounce.match(1, at: at(100))
        debounce.match(1, at: at(110))
        #expect(debounce.active == 0 && debounce.end == at(120))
        #expect(debounce.settle(at: at(120)) == [edge(0, true, 120)])
    }
}
