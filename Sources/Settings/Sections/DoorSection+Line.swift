package import LinuxIO

extension DoorSection.Input {
    /// The request for the input's line, with the configured settings.
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
