import GateService

/// The page with every event of the log and its meaning.
enum EventsPage {
    static var text: String {
        let lead = """
            # Events of the log

            Each line of the log is a JSON object: `time`, `level`, `event`, then the members named here (those in brackets stand there only \
            where they are known). Whatever belongs to a visit has its id as `visit`. No line holds claims, credential bytes or keys. `signal` \
            is a change of the light; what its pattern looks like: [handbook](../handbook.md#what-the-light-says). This page is made by \
            `make reference` from `LogEvent`.

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
