import Simulation

/// The effect of the air on a wallet's writes, derived from a recording: which writes reached the verifier, and whether
/// the verifier's reports agree. Only chunks may be lost, damaged or duplicated.
struct ReplayedAir {
    typealias Step = WalletSessionVectorTests.Step

    /// The writes that reached the verifier and the actions of the wallet's phone, in order.
    let recorded: [Step]
    /// The transfer reports that followed the requests, in order.
    let reports: [[UInt8]]

    /// Returns why these steps of a wallet cannot have led to the recording; nil if they can.
    func difference(from done: [Step]) -> String? {
        var (next, requests, announced) = (0, 0, 0)
        var (missing, held) = (Set<Int>(), Set<Int>())
        for (index, step) in done.enumerated() {
            let number = Self.chunk(step)
            // The air may have delivered a chunk twice.
            while next < recorded.count, recorded[next] != step, let again = Self.chunk(recorded[next]),
                again != number,
                held.contains(again), missing.isDisjoint(with: [again]), next > 0, recorded[next] == recorded[next - 1]
            {
                next += 1
            }
            let matches = next < recorded.count && recorded[next] == step
            if let number {
                announced = max(announced, number)
                if matches {
                    (missing, held) = (missing.subtracting([number]), held.union([number]))
                    next += 1
                } else {
                    if !held.contains(number) { missing.insert(number) }
                    if next < recorded.count, Self.isDamaged(step, as: recorded[next]) { next += 1 }
                }
                continue
            }
            guard matches else { return "step \(index) differs" }
            next += 1
            guard case .write(WalletCharacteristic.transferReportRequest.rawValue, [1], _) = step else { continue }
            if let difference = disagreement(of: requests, missing, of: announced) { return difference }
            requests += 1
        }
        return next == recorded.count ? nil : "\(recorded.count - next) recorded steps were not made"
    }

    /// Returns how report number `index` differs from the missing chunks; nil if it agrees with them.
    private func disagreement(of index: Int, _ missing: Set<Int>, of total: Int) -> String? {
        guard reports.indices.contains(index) else {
            // The library's verifier ends a session if more than 70 % of the chunks are missing.
            return Double(missing.count) > 0.7 * Double(total) ? nil : "no report, though \(missing.count) are missing"
        }
        switch WalletReport(reports[index]) {
        case .success: return missing.isEmpty ? nil : "SUCCESS without \(missing.sorted())"
        case .missing(let listed):
            let wanted = Array(missing.sorted().prefix(listed.count))
            return !listed.isEmpty && listed == wanted ? nil : "report of \(listed), missing are \(missing.sorted())"
        case nil: return "an unknown report"
        }
    }

    /// The number of the chunk that the step writes.
    private static func chunk(_ step: Step) -> Int? {
        guard case .write(WalletCharacteristic.submitResponse.rawValue, let value, _) = step, value.count > 4 else {
            return nil
        }
        return Int(value[0]) << 8 | Int(value[1])
    }

    /// Returns whether `heard` is a damaged copy of `sent`: the same chunk number, followed by other bytes.
    private static func isDamaged(_ sent: Step, as heard: Step) -> Bool {
        guard case .write(let a, let sent, let with) = sent, case .write(let b, let heard, with) = heard else {
            return false
        }
        return a == b && sent.count == heard.count && sent.starts(with: heard.prefix(2)) && sent != heard
    }
}
