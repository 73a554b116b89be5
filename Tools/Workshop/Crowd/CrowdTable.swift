import Encoding
import Simulation

/// The table of the waiting times in crowds, with one row for each crowd.
enum CrowdTable {
    /// The column headings.
    static let heads = [
        "phones at a gate", "served at once", "attackers", "loss", "visits a minute and gate", "waiting p50",
        "waiting p95",
        "longest", "link up to verdict p50", "p95",
    ]

    /// Returns the cells of the row for one crowd.
    static func cells(_ plan: CrowdPlan, _ figures: CrowdFigures) -> [String] {
        func seconds(_ share: Double, _ times: [Duration]) -> String {
            tenths(times.percentile(share).milliseconds / 1000) + " s"
        }
        let attackers = plan.attackers == 0 ? "none" : "\(plan.attackers) (\(percent(plan.hostile)))"
        return [
            tenths(Double(plan.phones) / Double(plan.gates)), plan.places == 1 ? "one" : "\(plan.places)", attackers,
            plan.loss == 0 ? "none" : "to \(percent(plan.loss))", tenths(figures.visitsAMinute(gates: plan.gates)),
            seconds(0.5, figures.waiting), seconds(0.95, figures.waiting), seconds(1, figures.waiting),
            seconds(0.5, figures.linked), seconds(0.95, figures.linked),
        ]
    }

    private static func percent(_ share: Double) -> String { tenths(share * 100) + " %" }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
