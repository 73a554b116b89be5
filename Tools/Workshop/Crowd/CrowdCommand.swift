import ArgumentParser
import Console
import Encoding
import Foundation
import Simulation
import Workbench

/// The command `gatehouse-workshop crowd`: simulates crowds at gates, and prints how long people wait.
struct CrowdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd",
        abstract: "Simulates crowds of virtual phones at virtual gates and prints how long people wait.",
        discussion: """
            Kiosk and protocol are real, time is virtual: the same options give the same run on every machine. \
            Options with several numbers give a row for each combination.

            Exit code: 0 when no visitor was admitted wrongly or left unserved and no rule was violated, otherwise 1.
            """)

    @Option(help: ArgumentHelp("People who come in each crowd.", valueName: "number"))
    var visits = 200
    @Option(help: ArgumentHelp("Gates within range of each other.", valueName: "number"))
    var gates = 1
    @Option(parsing: .upToNextOption, help: ArgumentHelp("Phones in use at any time.", valueName: "number"))
    var phones = [1, 2, 4, 8]
    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("radio.phones of a gate; 1: one at a time.", valueName: "number"))
    var places = [4]
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Share of attackers among the phones; above 0 at least one.", valueName: "percent"))
    var hostile = [0.0, 20, 50]
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Largest share of lost packets on a phone's link; each link has its own share.", valueName: "percent"))
    var loss = [0.0, 30]
    @Option(
        help: ArgumentHelp(
            "Share of people who leave, get lost or are slow; the same share has a credential that is rejected.",
            valueName: "percent"))
    var mixed = 0.0
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "The time people take to choose, in milliseconds; two numbers: the shortest and the longest.",
            valueName: "milliseconds"))
    var choosing = [5000]
    @Option(help: ArgumentHelp("Seed of all random choices.", valueName: "number"))
    var seed: UInt64 = 1
    @Flag(help: "Really verify the sample credential. This takes longer and does not change the times in the table.")
    var verify = false
    @Flag(help: "The table as Markdown, after the command that produces it.")
    var markdown = false
    @Flag(help: "A line of JSON for each crowd, with the digest of its whole trace.")
    var json = false

    mutating func validate() throws {
        guard visits > 0, (1...64).contains(gates), places.allSatisfy({ (1...8).contains($0) }) else {
            throw ValidationError("--visits is positive, --gates 1 to 64, --places 1 to 8")
        }
        guard phones.allSatisfy({ (1...1000).contains($0) }),
            (hostile + loss + [mixed]).allSatisfy({ (0...90).contains($0) })
        else { throw ValidationError("--phones is 1 to 1000, and percentages are 0 to 90") }
        guard (1...2).contains(choosing.count), choosing.allSatisfy({ (0...600_000).contains($0) }),
            choosing.first ?? 0 <= choosing.last ?? 0
        else { throw ValidationError("--choosing takes one number of milliseconds, or the shortest and the longest") }
    }

    func run() throws {
        let credentials = verify ? try CrowdRun.realCredentials() : .placeholder
        var mistakes = 0
        if markdown { Self.head.forEach { Terminal.line($0) } }
        if !json, !markdown { Terminal.line(CrowdTable.heads.joined(separator: ", ")) }
        for plan in plans {
            let figures = try CrowdRun.play(plan, credentials)
            let cells = CrowdTable.cells(plan, figures)
            if json {
                Terminal.json(Self.value(plan, figures))
            } else {
                Terminal.line(markdown ? "| " + cells.joined(separator: " | ") + " |" : cells.joined(separator: ", "))
            }
            guard !figures.isRight else { continue }
            mistakes += 1
            Terminal.error(Self.mistake(plan, figures), remedy: plan.command)
        }
        if mistakes > 0 { throw CommandFailure("\(mistakes) of the crowds found mistakes", exitCode: 1) }
    }

    /// The plans of the crowds: one for each combination of the options' values.
    private var plans: [CrowdPlan] {
        var plans: [CrowdPlan] = []
        for places in places {
            for hostile in hostile {
                for loss in loss {
                    for phones in phones {
                        var plan = CrowdPlan()
                        (plan.visits, plan.gates, plan.phones, plan.places) = (visits, gates, phones, places)
                        (plan.hostile, plan.loss, plan.mixed) = (hostile / 100, loss / 100, mixed / 100)
                        plan.choosing = .milliseconds(choosing[0])...(.milliseconds(choosing[choosing.count - 1]))
                        plan.seed = seed
                        plans.append(plan)
                    }
                }
            }
        }
        return plans
    }

    private static var head: [String] {
        let command = (["gatehouse-workshop"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
        return [
            "    \(command)", "", "| " + CrowdTable.heads.joined(separator: " | ") + " |",
            "|" + String(repeating: "---:|", count: CrowdTable.heads.count),
        ]
    }

    private static func mistake(_ plan: CrowdPlan, _ figures: CrowdFigures) -> String {
        let faults = figures.faults.prefix(3).joined(separator: "; ")
        return "wrong \(figures.wrong), unserved \(figures.unserved), open intents \(figures.openIntents), "
            + "pulses \(figures.pulses), recorded \(figures.recordedPulses), "
            + (figures.isOver ? "" : "a visitor is still present, ") + (faults.isEmpty ? "no rule violated" : faults)
    }

    private static func value(_ plan: CrowdPlan, _ figures: CrowdFigures) -> JSON {
        func milliseconds(_ share: Double, _ times: [Duration]) -> JSON {
            .int(Int(times.percentile(share).milliseconds))
        }
        return [
            "command": .text(plan.command), "visitors": .int(figures.visitors), "accepted": .int(figures.accepted),
            "rejected": .int(figures.rejected), "unserved": .int(figures.unserved), "wrong": .int(figures.wrong),
            "attacks": .int(figures.attackers), "connections": .int(figures.connections),
            "pulses": .int(figures.pulses), "milliseconds": .int(Int(figures.time.milliseconds)),
            "perHour": .int(Int(figures.visitsAMinute(gates: plan.gates) * 60)),
            "waitingP50": milliseconds(0.5, figures.waiting), "waitingP95": milliseconds(0.95, figures.waiting),
            "waitingLongest": milliseconds(1, figures.waiting), "linkedP50": milliseconds(0.5, figures.linked),
            "linkedP95": milliseconds(0.95, figures.linked),
            "mistakes": .array(figures.faults.map { .text($0) }), "digest": .text(figures.digest),
        ]
    }
}
