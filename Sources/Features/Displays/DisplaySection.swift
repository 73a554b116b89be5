package import Displays
package import Settings

/// `[display]`, and one `[[display.also]]` for each further display. A display shows visitors the invitation and the
/// verdict.
package struct DisplaySection: Hashable, Sendable {
    /// The kinds of displays.
    package enum Kind: String, CaseIterable, Sendable {
        /// The terminal in which the program runs (as a service: the console on tty1).
        case terminal
        /// A PNG file, which another program shows.
        case file
        /// A framebuffer device of the kernel.
        case framebuffer
        /// A small OLED panel on an I²C bus.
        case ssd1306, sh1106, sh1107
        /// An e-paper panel on an SPI bus.
        case ssd1680
        /// No display. The URI of the invitation is written only to the log.
        case none
    }

    /// A size in pixels.
    package struct Size: Hashable, Sendable {
        /// The width and the height in pixels, as in the panel's data sheet.
        package var width, height: Int
    }

    /// The kind of the display.
    package var kind: Kind
    /// The language of the texts that visitors see.
    package var language: DisplayLanguage
    /// The position of the picture of a result relative to its text.
    package var sign: SignPlace
    /// The instruction that the display shows to visitors.
    package var instruction: String
    /// The path of the PNG file, for the kind ``Kind/file``.
    package var file: String
    /// The side of one module of the code in the PNG file, in pixels.
    package var scale: Int
    /// The path of the device node; nil if this kind of display needs none.
    package var device: String?
    /// The size of the panel; nil if the device reports its size, or needs none.
    package var size: Size?
    /// The clockwise rotation of the picture, in degrees.
    package var rotation: Int
    /// The panel's address on the I²C bus, 7 bits.
    package var address: Int
    /// The three lines that an e-paper panel needs in addition to the SPI bus; nil for other kinds.
    package var lines: EPaperPins.Names?

    /// The name of the display in messages: its kind and its device.
    package var name: String { [kind.rawValue, device].compactMap { $0 }.joined(separator: " ") }

    /// Reads `[display]`. `chip` is the label of the GPIO chip from the section `gpio`, which is used if `[display]`
    /// names no chip.
    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, chip: String?) {
        kind = reader.choice("display.kind", default: .file)
        language = reader.choice("display.language", default: .english)
        sign = reader.choice("display.sign", default: .first)
        instruction = reader.text("display.instruction", default: language.text(.scan))
        let isShown = kind != .terminal || language == .hindi || TextLayout.isLatin(instruction)
        if !(1...60).contains(instruction.utf8.count) || !TextLayout.canDraw(instruction) || !isShown {
            reader.reject(
                "display.instruction", "cannot be drawn",
                "Write 1 to 60 bytes of letters, digits and signs of ASCII, or with the accents of French.")
        }
        if kind == .terminal, language == .hindi {
            reader.reject(
                "display.language", "cannot be shown by a terminal, which does not combine letters",
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
                "display.device", "is not a device path", "Write its path, e.g. \"\(kind.standardDevice ?? "")\".")
        }
        if !rotation.isMultiple(of: 90) {
            reader.reject("display.rotation", "is not a multiple of 90 degrees", "Write 0, 90, 180 or 270.")
        }
        if let words, let sizes = Self.list(kind.sizes) {
            size = kind.sizes.first { $0.text.utf8.elementsEqual(words.utf8) }
            if size == nil { reader.reject("display.size", "is not a size of such a panel", "Write \(sizes).") }
        }
        if kind == .ssd1680 { readLines(&reader, names, chip) }
        warn(&reader)
    }

    private mutating func readLines(_ reader: inout ConfigurationReader, _ names: [String?], _ chip: String?) {
        guard let chip = names[0] ?? chip else {
            return reader.reject(
                "display.chip", "is missing", "Name the chip of the panel's lines, as gpiodetect shows it.")
        }
        guard let data = names[1], let reset = names[2], let busy = names[3] else {
            return reader.reject(
                "display.data", "is missing, or display.reset or display.busy",
                "Name the three lines besides the bus, e.g. data = \"GPIO5\", reset = \"GPIO6\", busy = \"GPIO4\".")
        }
        lines = EPaperPins.Names(chip: chip, data: data, reset: reset, busy: busy)
    }

    private func warn(_ reader: inout ConfigurationReader) {
        guard let size else { return }
        let isTurned = rotation % 180 != 0
        let (width, height) = isTurned ? (size.height, size.width) : (size.width, size.height)
        if !ScenePainter.hasRoomForCode(width: width, height: height) {
            reader.warn(
                "display.size", "is too small for the code: it shows only verdicts",
                "Add another display for the code: [[display.also]].")
        }
    }

    private static func list(_ sizes: [Size]) -> String? {
        sizes.isEmpty ? nil : sizes.map { "\"\($0.text)\"" }.joined(separator: " or ")
    }
}

extension DisplaySection.Size {
    /// The size as it is written in the configuration: `250x122`.
    package var text: String { "\(width)x\(height)" }
}

extension DisplaySection.Kind {
    /// The usual device node of this kind of display; nil if it has none.
    var standardDevice: String? {
        switch self {
        case .terminal, .file, .none: nil
        case .framebuffer: "/dev/fb0"
        case .ssd1306, .sh1106, .sh1107: "/dev/i2c-1"
        case .ssd1680: "/dev/spidev0.0"
        }
    }

    /// The sizes in which panels of this kind exist; empty if the device reports its size, or needs none.
    package var sizes: [DisplaySection.Size] {
        switch self {
        case .terminal, .file, .framebuffer, .none: []
        case .ssd1306: [.init(width: 128, height: 64), .init(width: 128, height: 32)]
        case .sh1106: [.init(width: 128, height: 64)]
        case .sh1107: [.init(width: 128, height: 128), .init(width: 64, height: 128)]
        case .ssd1680: [.init(width: 122, height: 250), .init(width: 128, height: 296)]
        }
    }
}

/// The settings of all displays of a gate.
package struct DisplaysSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "agency"

    /// The maximum number of displays.
    static let limit = 8

    /// The display of `[display]`.
    package var main: DisplaySection
    /// The displays of `[[display.also]]`.
    package var others: [DisplaySection]

    /// The displays that show something: all except those of the kind ``DisplaySection/Kind/none``.
    package var all: [DisplaySection] { ([main] + others).filter { $0.kind != .none } }

    /// The PNG files of the displays.
    package var files: [SectionFile] {
        func files(_ displays: [DisplaySection], _ problemKey: String) -> [SectionFile] {
            displays.filter { $0.kind == .file }.map {
                SectionFile("display.file", $0.file, .replaced, problemKey: problemKey)
            }
        }
        return files([main], "display.file") + files(others, "display.also")
    }

    /// The GPIO lines of the e-paper panels.
    package var lines: [SectionLines] {
        ([(main, "display")] + others.map { ($0, "display.also") }).compactMap { display, section in
            display.lines.map { names in
                SectionLines(
                    chip: names.chip,
                    [("data", names.data), ("reset", names.reset), ("busy", names.busy)].map { key, name in
                        SectionLines.Line("display.\(key)", name, problemKey: "\(section).\(key)")
                    })
            }
        }
    }

    /// Reads `[display]` and each `[[display.also]]`.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        let chip = configuration.gpio.chip
        main = DisplaySection(&reader, folder, chip: chip)
        others = reader.each("display.also", as: "display") { DisplaySection(&$0, folder, chip: chip) }
        if others.count >= Self.limit {
            reader.reject("display.also", "names more than \(Self.limit) displays in all", "Remove some.")
        }
        // Reject two displays with the same device, because they would overwrite each other's pictures. Several
        // panels may share a bus if their addresses differ.
        var places: Set<String> = []
        for display in all {
            let place = "\(display.name) \(display.kind.isOnSharedBus ? String(display.address) : "")"
            guard display.kind != .file, !places.insert(place).inserted else { continue }
            reader.reject(
                "display.also", "uses \(display.name) a second time", "Give each display its own device.")
        }
    }
}

extension DisplaySection.Kind {
    fileprivate var isOnSharedBus: Bool { [.ssd1306, .sh1106, .sh1107].contains(self) }
}
