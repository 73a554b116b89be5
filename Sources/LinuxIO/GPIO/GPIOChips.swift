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

        /// Whether the kernel is too old to tell of lines and to give them.
        package let isOutdated: Bool

        /// A chip with these lines; without `holders` all are free.
        package init(
            path: String, label: String, lines: [String], holders: [String?]? = nil, isOutdated: Bool = false
        ) {
            (self.path, self.label, self.lines, self.isOutdated) = (path, label, lines, isOutdated)
            self.holders = holders ?? lines.map { _ in nil }
        }
    }

    /// No chip is asked for more lines; the greatest of today's boards have a few hundred.
    private static let mostLines: UInt32 = 4096

    /// The chips that can be opened, and the device nodes that may not. Links are passed over: they repeat a chip.
    /// The library opens no node but that of a chip.
    package static func list(_ library: GPIOLibrary) -> (chips: [Chip], forbidden: [String]) {
        var chips: [Chip] = []
        var forbidden: [String] = []
        for name in Directory.names(in: library.folder) where name.hasPrefix("gpiochip") {
            let path = "\(library.folder)/\(name)"
            var state = stat()
            guard lstat(path, &state) == 0, state.st_mode & S_IFMT != S_IFLNK else { continue }
            var (count, label, chip): (UInt32, CText, OpaquePointer?) = (0, CText(), nil)
            let result = label.fill { cgpio_chip_open(library.pointer, path, &chip, &count, $0) }
            if result == -EACCES || result == -EPERM { forbidden.append(path) }
            guard let chip else { continue }
            defer { cgpio_chip_close(chip) }
            chips.append(look(chip, path, label.text, min(count, mostLines)))
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
        if chip.isOutdated { throw .oldKernel }
        var offsets: [UInt32] = []
        for name in names {
            guard !name.isEmpty, let offset = chip.lines.firstIndex(of: name) else {
                throw .noLine(name, chip: label, present: chip.lines.filter { !$0.isEmpty })
            }
            offsets.append(UInt32(offset))
        }
        return (chip.path, offsets)
    }

    /// Asks a chip for its lines.
    private static func look(_ chip: OpaquePointer, _ path: String, _ label: String, _ count: UInt32) -> Chip {
        var (names, holders, isOutdated): ([String], [String?], Bool) = ([], [], false)
        for offset in 0..<count {
            var (name, holder) = (CText(), CText())
            let result = name.fill { name in holder.fill { cgpio_line_info(chip, offset, name, $0) } }
            // The chip has this line: what the kernel does not know is the question.
            isOutdated = isOutdated || result == -EINVAL
            names.append(name.text)
            holders.append(result == 1 ? holder.text : nil)
        }
        return Chip(path: path, label: label, lines: names, holders: holders, isOutdated: isOutdated)
    }
}
