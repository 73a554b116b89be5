extension Configuration {
    /// Whether the gate can open a passage: by a relay, or by wires to a gate controller. If it cannot, it
    /// only gives verdicts.
    package var opens: Bool { gate.line != nil || wiegand.wires != nil }

    /// The outputs with the configuration keys that name their lines, in this order: lamps and sounder from
    /// top to bottom, wires to a gate controller, the output for free passage, the relay.
    package var outputs: [(key: String, line: String, activeLow: Bool)] {
        let lights = IndicatorSection.keys.compactMap { key, path in
            indicator[keyPath: path].map { (key: key, line: $0, activeLow: indicator.activeLow) }
        }
        let wires = [("wiegand.data0", wiegand.data0), ("wiegand.data1", wiegand.data1)].compactMap { key, line in
            line.map { (key: key, line: $0, activeLow: wiegand.activeLow) }
        }
        let free = door.freeLine.map { [("door.freeLine", $0, door.freeActiveLow)] } ?? []
        return lights + wires + free + (gate.line.map { [("gate.line", $0, gate.activeLow)] } ?? [])
    }
}
