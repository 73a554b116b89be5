import Clocks
import Displays
import Kiosk
import LinuxIO
import Settings

extension DisplayOutput {
    /// Creates the output for the configured displays. Opens no display: a display that is missing is used as soon as
    /// it is available.
    convenience init(
        _ configuration: Configuration, clock: Clock, report: @escaping HealthReporter
    ) throws(SystemError) {
        let screens = configuration[DisplaysSection.self].all.map { display in
            Screen(
                name: display.name, instruction: display.instruction, language: display.language, sign: display.sign
            ) { Self.device(display) }
        }
        try self.init(gate: configuration.kiosk.name, on: screens, clock: clock, report: report)
    }

    private static func device(_ display: DisplaySection) -> any DisplayDevice {
        let path = display.device ?? ""
        let (width, height) = (display.size?.width ?? 0, display.size?.height ?? 0)
        return switch display.kind {
        case .terminal, .none: TerminalDisplay(1)
        case .file: PictureFile(display.file, scale: display.scale)
        case .framebuffer: Framebuffer(path, rotation: display.rotation)
        case .ssd1306: oled(.ssd1306, display)
        case .sh1106: oled(.sh1106, display)
        case .sh1107: oled(.sh1107, display)
        case .ssd1680:
            EPaperDisplay(
                width: width, height: height, rotation: display.rotation, path: path,
                lines: display.lines ?? EPaperPins.Names(chip: "", data: "", reset: "", busy: ""))
        }
    }

    private static func oled(_ controller: OLEDDisplay.Controller, _ display: DisplaySection) -> OLEDDisplay {
        OLEDDisplay(
            controller, width: display.size?.width ?? 128, height: display.size?.height ?? 64,
            rotation: display.rotation, path: display.device ?? "", address: display.address)
    }
}
