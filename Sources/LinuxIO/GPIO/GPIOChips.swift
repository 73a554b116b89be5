import CGPIO
import Glibc

/// The GPIO chips of this machine, found by label: their numbers change between boards and kernels.
package enum GPIOChips {
    /// One chip with its lines.
    package struct Chip: Hashable, Sendable {
        /// The device node.
        package let path: String
        /// The driver's label, e.g. `pinctrl-rp1` (Raspberry Pi 5) or `pinctrl-bcm2711` (4).
        package let label: String
        /// The name of each line by its offset; empty where the board gives none.
        package let lines: [String]
    }

    /// The chips that can be opened, and the device nodes that may not. Links are passed over: they repeat a chip.
    package static func list(in folder: String = "/dev") -> (chips: [Chip], forbidden: [String]) {
        var chips: [Chip] = []
        var forbidden: [String] = []
        for name in Directory.names(in: folder) where name.hasPrefix("gpiochip") {
            let path = "\(folder)/\(name)"
            var state = stat()
            guard lstat(path, &state) == 0, state.st_mode & S_IFMT == S_IFCHR else { continue }
            var chip: OpaquePointer?
            let result = cgpio_chip_open(path, &chip)
            if result == -EACCES || result == -EPERM { forbidden.append(path) }
            guard result == 0, let chip else { continue }
            defer { cgpio_chip_close(chip) }
            let label = cgpio_chip_label(chip).map { String(cString: $0) } ?? ""
            let count = max(0, cgpio_chip_lines(chip))
            chips.append(Chip(path: path, label: label, lines: (0..<count).map { lineName(chip, UInt32($0)) }))
        }
        return (chips, forbidden)
    }

    /// The chip of that label and the offsets of those lines on it.
    static func find(
        _ label: String, _ names: [String], in list: (chips: [Chip], forbidden: [String])
    ) throws(GPIOError) -> (path: String, offsets: [UInt32]) {
        let labelled = list.chips.filter { $0.label == label }
        guard let first = labelled.first else {
            if let path = list.forbidden.first { throw .notPermitted(path: path) }
            throw .noChip(label, present: list.chips.map(\.label))
        }
        // Two chips may share a label; the one that has the lines is meant.
        let chip = labelled.first { chip in names.allSatisfy(chip.lines.contains) } ?? first
        var offsets: [UInt32] = []
        for name in names {
            guard !name.isEmpty, let offset = chip.lines.firstIndex(of: name) else {
                throw .noLine(name, chip: label, present: chip.lines.filter { !$0.isEmpty })
            }
            offsets.append(UInt32(offset))
        }
        return (chip.path, offsets)
    }

    private static func lineName(_ chip: OpaquePointer, _ offset: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: CGPIO_NAME_SIZE) { buffer in
            guard let name = buffer.baseAddress, cgpio_chip_line_name(chip, offset, name) == 0 else { return "" }
            return String(cString: name)
        }
    }
}
