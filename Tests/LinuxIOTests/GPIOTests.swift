import Testing

@testable import LinuxIO

@Suite("GPIO lines")
struct GPIOTests {
    private let chips: [GPIOChips.Chip] = [
        .init(path: "/dev/gpiochip0", label: "pinctrl-bcm2711", lines: ["ID_SDA", "", "GPIO2", "GPIO17", "GPIO27"]),
        .init(path: "/dev/gpiochip1", label: "raspberrypi-exp-gpio", lines: ["BT_ON", ""]),
        .init(path: "/dev/gpiochip2", label: "pinctrl-bcm2711", lines: ["GPIO40"]),
    ]

    @Test("lines are found by label and name, never by number")
    func find() throws {
        let found = try GPIOChips.find("pinctrl-bcm2711", ["GPIO27", "GPIO2"], in: (chips, []))
        #expect(found.path == "/dev/gpiochip0")
        #expect(found.offsets == [4, 2])
        #expect(try GPIOChips.find("pinctrl-bcm2711", ["GPIO40"], in: (chips, [])).path == "/dev/gpiochip2")
    }

    @Test("what is missing is named together with what is there")
    func missing() {
        let noLine = #expect(throws: GPIOError.self) {
            try GPIOChips.find("raspberrypi-exp-gpio", ["GPIO17"], in: (chips, []))
        }
        #expect(noLine == .noLine("GPIO17", chip: "raspberrypi-exp-gpio", present: ["BT_ON"]))
        #expect(noLine?.description == "line GPIO17 not found on chip raspberrypi-exp-gpio")
        #expect(noLine?.remedy == "The lines are: BT_ON.")
        let noChip = #expect(throws: GPIOError.self) { try GPIOChips.find("pinctrl-rp1", [], in: (chips, [])) }
        #expect(noChip?.remedy == "Set gpio.chip to one of: pinctrl-bcm2711, raspberrypi-exp-gpio, pinctrl-bcm2711.")
        #expect(throws: GPIOError.notPermitted(path: "/dev/gpiochip0")) {
            try GPIOChips.find("pinctrl-rp1", [], in: ([], ["/dev/gpiochip0"]))
        }
        // An empty name does not find lines without a name.
        #expect(throws: GPIOError.noLine("", chip: "raspberrypi-exp-gpio", present: ["BT_ON"])) {
            try GPIOChips.find("raspberrypi-exp-gpio", [""], in: (chips, []))
        }
    }

    @Test("an absent chip and a wrong number of lines are typed errors")
    func absent() throws {
        let error = #expect(throws: GPIOError.self) { try GPIOLines(chip: "no-such-chip", [.init("GPIO17")]) }
        switch error {
        case .noChip("no-such-chip", _), .notPermitted, .noLibrary: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(throws: GPIOError.count(0)) { try GPIOLines(chip: "x", []) }
        let many = (0..<33).map { GPIOLines.Output("GPIO\($0)") }
        #expect(throws: GPIOError.count(33)) { try GPIOLines(chip: "x", many) }
    }

    @Test("an old kernel is reported as the cause, where its chip is meant")
    func oldKernel() throws {
        let old = GPIOChips.Chip(path: "/dev/gpiochip0", label: "old", lines: ["", ""], isOutdated: true)
        let error = #expect(throws: GPIOError.self) { try GPIOChips.find("old", ["GPIO17"], in: ([old], [])) }
        #expect(error == .oldKernel && error?.remedy.contains("5.10") == true)
        #expect(try GPIOChips.find("raspberrypi-exp-gpio", ["BT_ON"], in: ([old] + chips, [])).offsets == [0])
    }

    @Test("lines are bits in their order; all inactive is the state to start and end with")
    func bits() {
        let names = ["gate", "red", "green"]
        #expect(GPIOLines.bits(of: [], among: names) == 0)
        #expect(GPIOLines.bits(of: ["gate", "green"], among: names) == 0b101)
        #expect(GPIOLines.bits(of: ["unknown"], among: names) == 0)
        #expect(GPIOLines.Output("gate", activeLow: true).line.activeLow)
        #expect(!GPIOLines.Output("gate").line.activeLow)
    }
}
