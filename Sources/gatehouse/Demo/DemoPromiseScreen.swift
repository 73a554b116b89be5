import ArgumentParser
import Console
import Encoding
import Workbench

/// The output of a scenario that tests promises of the gate: text for people, or JSON lines.
struct PromiseScreen: Sendable {
    private let promise: DemoPromise
    private let json: Bool

    init(_ promise: DemoPromise, json: Bool) {
        (self.promise, self.json) = (promise, json)
        if json { return }
        Terminal.line(Terminal.styled("Gatehouse demonstration: \(promise.name)", .bold))
        Terminal.line(promise.story)
        Terminal.line(Terminal.styled(promise.real, .dim))
        Terminal.line()
    }

    func show(_ step: DemoPromise.Step) {
        if json {
            let line: JSON = ["event": "step", "who": .text(step.who), "text": .text(step.text)]
            return Terminal.json(line)
        }
        let who = step.who + String(repeating: " ", count: max(0, 8 - step.who.count))
        for line in Terminal.folded(who + Terminal.printable(step.text), hanging: 8) { Terminal.line(line) }
    }

    /// Prints the findings. Throws exit code 1 if a promise is broken or if there is no finding.
    func finish(_ findings: [DemoPromise.Finding]) throws {
        let kept = findings.count { $0.isKept }
        let isKept = kept == findings.count && kept > 0
        if !json { Terminal.line() }
        for finding in findings {
            if json { Terminal.json(Self.json(finding)) } else { Self.lines(finding).forEach { Terminal.line($0) } }
        }
        if json {
            let line: JSON = [
                "event": "result", "scenario": .text(promise.name), "promises": .int(findings.count),
                "kept": .int(kept), "asTold": .bool(isKept),
            ]
            Terminal.json(line)
        } else {
            let word = isKept ? Terminal.styled("KEPT", .bold, .green) : Terminal.styled("BROKEN", .bold, .red)
            Terminal.line()
            Terminal.line("\(word)  \(kept) of \(findings.count) hold")
        }
        if !isKept { throw ExitCode(1) }
    }

    private static func lines(_ finding: DemoPromise.Finding) -> [String] {
        let mark = finding.isKept ? Terminal.styled("✓", .green) : Terminal.styled("✗", .red)
        let text = "\(mark) \(finding.promise): " + Terminal.styled(Terminal.printable(finding.found), .dim)
        return Terminal.folded(text, hanging: 4)
    }

    private static func json(_ finding: DemoPromise.Finding) -> JSON {
        [
            "event": "promise", "promise": .text(finding.promise), "found": .text(finding.found),
            "kept": .bool(finding.isKept),
        ]
    }
}
