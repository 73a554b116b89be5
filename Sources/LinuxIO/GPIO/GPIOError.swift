import Glibc

/// The reason why lines cannot be requested, or why they were lost.
package enum GPIOError: Error, Hashable, Sendable {
    /// libgpiod cannot be loaded. The text contains the error messages of the loader.
    case noLibrary(String)
    /// No chip has the label given as the first value. `present` contains the labels of the chips that exist.
    case noChip(String, present: [String])
    /// The chip `chip` has no line with the name given as the first value. `present` contains the names of its lines.
    case noLine(String, chip: String, present: [String])
    /// Another program holds one of the wanted lines.
    case busy(chip: String)
    /// This process is not permitted to open the device node `path`.
    case notPermitted(path: String)
    /// The kernel is older than 5.10 and lacks version 2 of the GPIO interface, which this program uses.
    case oldKernel
    /// The number of requested lines, given as the value, is zero or more than one request can contain.
    case count(Int)
    /// The lines with the given names are active although they were set inactive.
    case active([String])
    /// The lines were lost, or a call on them failed, with the given error.
    case failed(SystemError)

    /// Whether the chip has disappeared. Its lines must be requested again when it returns.
    package var isGone: Bool { if case .failed(let error) = self { error.code == ENODEV } else { false } }

    /// Whether the error is ``active(_:)``.
    var isActive: Bool { if case .active = self { true } else { false } }

    /// The instruction for the operator that removes the cause of the error.
    package var remedy: String {
        switch self {
        case .noLibrary:
            "Install it: sudo apt-get install libgpiod2 (Debian 12) or libgpiod3 (13). The service then finds it "
                + "automatically."
        case .noChip(_, let present):
            present.isEmpty
                ? "This machine has no GPIO chip: plug it in, or remove gpio.chip to run without lines."
                : "Set gpio.chip to one of: \(present.joined(separator: ", "))."
        case .noLine(_, _, let present):
            present.isEmpty
                ? "This chip has no named lines: choose another chip."
                : "The lines are: \(present.joined(separator: ", "))."
        case .busy: "Find the user of the lines with gpioinfo, and stop that program; drivers of HATs use lines too."
        case .notPermitted: "Add the user to the group gpio; the package contains the udev rules for it."
        case .oldKernel:
            "Use Linux 5.10 or later: Debian 11 or later, Raspberry Pi OS since 2021."
        case .count: "Configure 1 to 32 lines."
        case .active: "Check the wiring: something else drives the line, or active-low is inverted."
        case .failed(let error): error.remedy
        }
    }
}

extension GPIOError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noLibrary(let reasons): "libgpiod cannot be loaded: \(reasons)"
        case .noChip(let label, _): "there is no GPIO chip \(label)"
        case .noLine(let name, let chip, _): "line \(name) not found on chip \(chip)"
        case .busy(let chip): "lines of chip \(chip) are in use by another program"
        case .notPermitted(let path): "no permission to open \(path)"
        case .oldKernel: "this kernel does not support version 2 of the GPIO interface"
        case .count(let count): "\(count) GPIO lines cannot be requested"
        case .active(let names): "\(names.joined(separator: ", ")) is active although it was set inactive"
        case .failed(let error): error.description
        }
    }
}
