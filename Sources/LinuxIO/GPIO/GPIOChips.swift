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
        /// Who holds each line, by its offset: the name that he gave, perhaps empty; nil where it is free, or not known.
        package let holders: [String?]

        /// A chip with these lines; without `holders` all are free.
        package init(path: String, label: String, lines: [String], holders: [String?]? = nil) {
            (self.path, self.label, self.lines) = (path, label, lines)
            self.holders = holders ?? lines.map { _ in nil }
        }
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
            let offsets = 0..<UInt32(max(0, cgpio_chip_lines(chip)))
            chips.append(
                Chip(
                    path: path, label: label, lines: offsets.map { told(chip, $0, cgpio_chip_line_name) ?? "" },
                    holders: offsets.map { told(chip, $0, cgpio_chip_line_holder, least: 1) }))
        }
        return (chips, forbidden)
    }

    /// The chip of that label and the offsets of those lines on it.
    package static func find(
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

    /// What the library says of a line; nil where its answer is less than `least`.
    private static func told(
        _ chip: OpaquePointer, _ offset: UInt32,
        _ ask: (OpaquePointer?, UInt32, UnsafeMutablePointer<CChar>?) -> Int32, least: Int32 = 0
    ) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: CGPIO_NAME_SIZE) { buffer in
            guard let name = buffer.baseAddress, ask(chip, offset, name) >= least else { return nil }
            return String(cString: name)
        }
    }
}
