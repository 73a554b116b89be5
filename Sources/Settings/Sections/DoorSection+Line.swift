package import LinuxIO

extension DoorSection.Input {
    /// The line with the settings of the request.
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
