import GateService

/// The page `docs/reference/events.md`: every event of the log with its level, members and meaning.
enum EventsPage {
    static var text: String {
        let lead = """
            # Events of the log

            Each line of the log is a JSON object: `time`, `level`, `event`, then the members in this table; members in \
            brackets are present only when they are known. Each event of a visit has the visit's id as `visit`. No line contains \
            claims, credential bytes or keys. `signal` is a change of the light; the [handbook](../handbook.md#what-the-light-says) \
            explains the patterns. `make reference` generates this page from `LogEvent`.

            | event | level | members | meaning |
            |---|---|---|---|

            """
        let rows = LogEvent.all.map { event in
            let cells = [Markdown.code(event.name), event.levels, event.members, event.meaning]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return lead + rows.joined(separator: "\n") + "\n"
    }
}
