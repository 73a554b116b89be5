import CGPIO
import Glibc

/// The GPIO chips of this machine. A chip is found by its label, because the numbers of chips differ between boards
/// and kernels.
package enum GPIOChips {
    /// One GPIO chip with its lines.
    package struct Chip: Hashable, Sendable {
        /// The path of the chip's device node.
        package let path: String
        /// The driver's label, e.g. `pinctrl-rp1` (Raspberry Pi 5) or `pinctrl-bcm2711` (4).
        package let label: String
        /// The name of each line, by the line's offset. The name is empty if the board does not name the line.
        package let lines: [String]
        /// The consumer name of the program that holds each line, by the line's offset. The name may be empty. Nil
        /// means that the line is free, or that its state is unknown.
        package let holders: [String?]

        /// Whether the kernel is too old for version 2 of the GPIO interface, so that its lines cannot be described
        /// or requested.
        package let isOutdated: Bool

        /// Creates a chip with the given lines. Without `holders` all lines count as free.
        package init(
            path: String, label: String, lines: [String], holders: [String?]? = nil, isOutdated: Bool = false
        ) {
            (self.path, self.label, self.lines, self.isOutdated) = (path, label, lines, isOutdated)
            self.holders = holders ?? lines.map { _ in nil }
        }
    }

    /// The maximum number of lines that are read of one chip. Today's largest boards have a few hundred.
    private static let mostLines: UInt32 = 4096

    /// Returns the chips that can be opened, and the device nodes that this process may not open. Skips symbolic
    /// links, because they lead to the same chips again. The library refuses a node that is not a GPIO chip.
    package static func list(_ library: GPIOLibrary) -> (chips: [Chip], forbidden: [String]) {
        var chips: [Chip] = []
        var forbidden: [String] = []
        for name in Directory.names(in: library.folder) where name.hasPrefix("gpiochip") {
            let path = "\(library.folder)/\(name)"
            guard let status = try? FileStatus(path), status.kind != .link else { continue }
            var (count, label, chip): (UInt32, CText, OpaquePointer?) = (0, CText(), nil)
            let result = label.fill { cgpio_chip_open(library.pointer, path, &chip, &count, $0) }
            if result == -EACCES || result == -EPERM { forbidden.append(path) }
            guard let chip else { continue }
            defer { cgpio_chip_close(chip) }
            chips.append(look(chip, path, label.text, min(count, mostLines)))
        }
        return (chips, forbidden)
    }

    /// Returns the path of the chip with the label `label`, and the offsets of the lines with the names `names` on
    /// it.
    package static func find(
        _ label: String, _ names: [String], in list: (chips: [Chip], forbidden: [String])
    ) throws(GPIOError) -> (path: String, offsets: [UInt32]) {
        let labelled = list.chips.filter { $0.label == label }
        guard let first = labelled.first else {
            if let path = list.forbidden.first { throw .notPermitted(path: path) }
            throw .noChip(label, present: list.chips.map(\.label))
        }
        // Several chips may have the same label: prefer the chip that has all the wanted lines.
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

    /// Reads the names of the chip's lines and the programs that hold them.
    private static func look(_ chip: OpaquePointer, _ path: String, _ label: String, _ count: UInt32) -> Chip {
        var (names, holders, isOutdated): ([String], [String?], Bool) = ([], [], false)
        for offset in 0..<count {
            var (name, holder) = (CText(), CText())
            let result = name.fill { name in holder.fill { cgpio_line_info(chip, offset, name, $0) } }
            // The offset is valid, so EINVAL means that the kernel does not know this ioctl.
            isOutdated = isOutdated || result == -EINVAL
            names.append(name.text)
            holders.append(result == 1 ? holder.text : nil)
        }
        return Chip(path: path, label: label, lines: names, holders: holders, isOutdated: isOutdated)
    }
}
