package import LinuxIO

/// `[display]`, and `[[display.also]]` for each further one: where visitors see the invitation and whose verdict it is.
package struct DisplaySection: Hashable, Sendable {
    /// What is drawn on.
    package enum Kind: String, CaseIterable, Sendable {
        /// The terminal the program runs in (a console on tty1).
        case terminal
        /// A PNG file for another program to show.
        case file
        /// A screen of the kernel.
        case framebuffer
        /// A small panel that shines, on an I²C bus.
        case ssd1306, sh1106, sh1107
        /// A panel of e-paper on an SPI bus.
        case ssd1680
        /// Nothing: the URI goes to the log only.
        case none
    }

    /// A size in pixels.
    package struct Size: Hashable, Sendable {
        /// The sides, as the panel's data sheet has them.
        package var width, height: Int
    }

    /// What is drawn on.
    package var kind: Kind
    /// What is said to visitors, in which language.
    package var language: DisplayLanguage
    /// Where signs stand.
    package var sign: SignPlace
    /// What visitors are told to do.
    package var instruction: String
    /// The PNG file.
    package var file: String
    /// Pixels of one QR module in the file.
    package var scale: Int
    /// The device node; nil where none is needed.
    package var device: String?
    /// The panel's size; nil where the kernel knows.
    package var size: Size?
    /// Degrees by which the picture is turned clockwise.
    package var rotation: Int
    /// The panel's address on the I²C bus, 7 bits.
    package var address: Int
    /// The lines beside the SPI bus; nil for other kinds.
    package var lines: EPaperPins.Names?

    /// What people call it.
    package var name: String { [kind.rawValue, device].compactMap { $0 }.joined(separator: " ") }

    /// Reads `[display]`; `chip`: where the lines are unless it says so itself.
    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, chip: String?) {
        kind = reader.choice("display.kind", default: .file)
        language = reader.choice("display.language", default: .english)
        sign = reader.choice("display.sign", default: .first)
        instruction = reader.text("display.instruction", default: language.text(.scan))
        let isShown = kind != .terminal || language == .hindi || Lettering.isLatin(instruction)
        if !(1...60).contains(instruction.utf8.count) || !Lettering.canDraw(instruction) || !isShown {
            reader.reject(
                "display.instruction", "cannot be drawn",
                "Write 1 to 60 bytes of letters, digits and signs of ASCII, or with the accents of French.")
        }
        if kind == .terminal, language == .hindi {
            reader.reject(
                "display.language", "cannot be shown by a terminal, whose letters stand alone",
                "Use a framebuffer, a file or a panel, or another language.")
        }
        file = resolve(
            reader.text("display.file", default: StandardFolders.runtime + "/invitation.png"), in: folder)
        scale = reader.integer("display.scale", default: 8, in: 1...64)
        let node = reader.optional("display.device")
        let words = reader.optional("display.size")
        rotation = reader.integer("display.rotation", default: 0, in: 0...270)
        address = reader.integer("display.address", default: 0x3C, in: 0x08...0x77)
        let names = ["chip", "data", "reset", "busy"].map { reader.optional("display.\($0)") }
        device = kind.standardDevice.map { node ?? $0 }
        size = kind.sizes.first
        lines = nil
        if let device, !device.hasPrefix("/") {
            reader.reject(
                "display.device", "is no device path", "Write its path, e.g. \"\(kind.standardDevice ?? "")\".")
        }
        if !rotation.isMultiple(of: 90) {
            reader.reject("display.rotation", "is no quarter of a turn", "Write 0, 90, 180 or 270.")
        }
        if let words, let sizes = Self.list(kind.sizes) {
            size = kind.sizes.first { $0.text.utf8.elementsEqual(words.utf8) }
            if size == nil { reader.reject("display.size", "is no size of such a panel", "Write \(sizes).") }
        }
        if kind == .ssd1680 { readLines(&reader, names, chip) }
        warn(&reader)
    }

    private mutating func readLines(_ reader: inout ConfigurationReader, _ names: [String?], _ chip: String?) {
        guard let chip = names[0] ?? chip else {
            return reader.reject(
                "display.chip", "is missing", "Name the chip of the panel's lines, as gpiodetect does.")
        }
        guard let data = names[1], let reset = names[2], let busy = names[3] else {
            return reader.reject(
                "display.data", "is missing, or display.reset or display.busy",
                "Name the three lines beside the bus, e.g. data = \"GPIO5\", reset = \"GPIO6\", busy = \"GPIO4\".")
        }
        lines = EPaperPins.Names(chip: chip, data: data, reset: reset, busy: busy)
    }

    private func warn(_ reader: inout ConfigurationReader) {
        guard let size else { return }
        let isTurned = rotation % 180 != 0
        let (width, height) = isTurned ? (size.height, size.width) : (size.width, size.height)
        if !ScenePainter.hasRoomForCode(width: width, height: height) {
            reader.warn(
                "display.size", "has no room for the code: it shows verdicts and whose they are",
                "Have another display with the code beside it: [[display.also]].")
        }
    }

    private static func list(_ sizes: [Size]) -> String? {
        sizes.isEmpty ? nil : sizes.map { "\"\($0.text)\"" }.joined(separator: " or ")
    }
}

extension DisplaySection.Size {
    var text: String { "\(width)x\(height)" }
}

extension DisplaySection.Kind {
    /// The node that such a display has most often; nil: it has none.
    var standardDevice: String? {
        switch self {
        case .terminal, .file, .none: nil
        case .framebuffer: "/dev/fb0"
        case .ssd1306, .sh1106, .sh1107: "/dev/i2c-1"
        case .ssd1680: "/dev/spidev0.0"
        }
    }

    /// The sizes that such panels have; none where the device itself knows.
    var sizes: [DisplaySection.Size] {
        switch self {
        case .terminal, .file, .framebuffer, .none: []
        case .ssd1306: [.init(width: 128, height: 64), .init(width: 128, height: 32)]
        case .sh1106: [.init(width: 128, height: 64)]
        case .sh1107: [.init(width: 128, height: 128), .init(width: 64, height: 128)]
        case .ssd1680: [.init(width: 122, height: 250), .init(width: 128, height: 296)]
        }
    }
}

/// All displays of a gate.
package struct DisplaysSection: Hashable, Sendable {
    /// Displays at once.
    static let limit = 8

    /// That of `[display]`.
    package var main: DisplaySection
    /// Those of `[[display.also]]`.
    package var others: [DisplaySection]

    /// Those on which something is shown.
    package var all: [DisplaySection] { ([main] + others).filter { $0.kind != .none } }

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, chip: String?) {
        main = DisplaySection(&reader, folder, chip: chip)
        others = reader.each("display.also", as: "display") { DisplaySection(&$0, folder, chip: chip) }
        if others.count >= Self.limit {
            reader.reject("display.also", "names more than \(Self.limit) displays in all", "Leave some out.")
        }
        // Two that draw on one device spoil each other's pictures. Several panels share a bus.
        var places: Set<String> = []
        for display in all {
            let place = "\(display.name) \(display.kind.isOnSharedBus ? String(display.address) : "")"
            guard display.kind != .file, !places.insert(place).inserted else { continue }
            reader.reject(
                "display.also", "draws on \(display.name) a second time", "Give each display a device of its own.")
        }
    }
}

extension DisplaySection.Kind {
    fileprivate var isOnSharedBus: Bool { [.ssd1306, .sh1106, .sh1107].contains(self) }
}
