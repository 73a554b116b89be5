package import LinuxIO

extension DoorSection.Input {
    /// The input's line with its configured settings, as ``GPIOInputs`` requests it.
    package var inputLine: InputLine {
        let bias: InputLine.Bias =
            switch bias {
            case .asItIs: .asItIs
            case .pullUp: .pullUp
            case .pullDown: .pullDown
            case .none: .off
            }
        return InputLine(line, activeLow: active == .low, bias: bias, debounce: debounce)
    }
}
