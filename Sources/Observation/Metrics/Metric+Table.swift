import Encoding
import Kiosk
import Ledger
import Reasons

// The table of all metrics. A test compares it with docs/observation.md.

extension Metric {
    /// All metrics, in the order in which ``exposition(of:)`` writes them.
    package static let all: [Metric] = box + visits + door + radio + records + trust + delivery

    private static let box: [Metric] = [
        Metric(
            name: "gatehouse_info", kind: .gauge, labels: ["name", "version"],
            help: "Always 1; name and version of the program."
        ) { report in
            guard let name = report.name, let version = report.version else { return [] }
            return [Sample(labels: [("name", name), ("version", version)], value: .number(1))]
        },
        date(
            "gatehouse_observed_timestamp_seconds", \.observed,
            "Time of these values by the box's date: an old time in a textfile means that the service has ended."
        ),
        number("gatehouse_uptime_seconds", .gauge, \.uptime, "Since the start of the service."),
        number("gatehouse_starts_total", .counter, \.start, "Starts of the service on this database."),
        word(
            "gatehouse_state", \.state, label: "state",
            "1 for the state of the box: fine, attention (it needs attention), fault (it does not work)."),
        number("gatehouse_faults", .gauge, \.faults?.count, "Faults that are in force."),
        elements(
            "gatehouse_fault", .gauge, \.faults,
            labels: [("code", \.code), ("severity", { $0.severity.map { Text($0.rawValue) } })],
            "1 for each fault in force; `gatehouse reasons CODE` says what to do."
        ) { _ in 1 },
        elements(
            "gatehouse_fault_age_seconds", .gauge, \.faults, labels: [("code", \.code)],
            "Time for which it has been in force continuously."
        ) { $0.seconds },
        number("gatehouse_silent_parts", .gauge, \.silent?.count, "Parts of the program that do not respond."),
        number("gatehouse_log_dropped_total", .counter, \.log?.dropped, "Dropped lines of the log."),
    ]

    private static let visits: [Metric] = [
        Metric(
            name: "gatehouse_visits_total", kind: .counter, labels: ["result"],
            help: "Visits by result. Abandoned visits are counted and not recorded."
        ) { report in
            guard let visits = report.visits else { return [] }
            // Always add a sample for each result, so that Prometheus sees the first visit with a result as an
            // increase.
            let results =
                [Outcome.Result.accepted, .rejected, .failed].map { Text($0.rawValue) }
                + [Text(ReasonCode.abandoned.text)]
            return visits.merging(results.map { ($0, 0) }) { count, _ in count }.sorted { $0.key < $1.key }
                .map { Sample(labels: [("result", $0.key)], value: .number($0.value)) }
        },
        Metric(
            name: "gatehouse_visit_reasons_total", kind: .counter, labels: ["result", "reason"],
            help: "Visits by their most specific reason code; all rules of the policy count as one."
        ) { report in
            (report.reasons ?? [:]).sorted { $0.key < $1.key }.flatMap { result, reasons in
                reasons.sorted { $0.key < $1.key }.map { reason, count in
                    Sample(labels: [("result", result), ("reason", reason)], value: .number(count))
                }
            }
        },
        histogram(
            "gatehouse_decision_seconds", \.figures?.decision, decimals: 6,
            "From the last missing byte (T0) to gate and light, including the wait for the turn."),
        histogram(
            "gatehouse_turn_wait_seconds", \.figures?.turn, decimals: 6,
            "The part of that time spent waiting while earlier verdicts were shown."),
        histogram(
            "gatehouse_transfer_seconds", \.figures?.transfer, decimals: 3,
            "From the announcement of a transfer to its last missing byte."),
        histogram(
            "gatehouse_transfer_bytes", \.figures?.bytes,
            "Encrypted bytes of a whole transfer, in whole KiB."),
        histogram(
            "gatehouse_identified_to_verdict_seconds", \.figures?.identified, decimals: 3,
            "From the wallet's identification to the verdict: choice, transfer and verification."),
        number(
            "gatehouse_refused_intents_total", .counter, \.refusedIntents,
            "Intents, and sessions of a printed key, that were not stored."),
        number(
            "gatehouse_gate_open", .gauge, { flag($0.gate??.isOpen) },
            "1 while the relay is energised; absent without a relay."),
    ]

    private static let door: [Metric] = [
        word(
            "gatehouse_door_mode", \.door?.mode, label: "mode",
            "1 for the mode of the gate: normal, locked (lock-down: no visitor is admitted), free (free passage)."
        ),
        word(
            "gatehouse_door_cause", \.door?.cause, label: "cause",
            "1 for the source of that mode; none in normal mode."),
        Metric(
            name: "gatehouse_door_input_active", kind: .gauge, labels: ["input"],
            help: "1 for each wired input that is active; one that cannot be read has no sample."
        ) { report in
            DoorInput.allCases.compactMap { input in
                flag(report.door?.inputs?[input] ?? nil).map {
                    Sample(labels: [("input", Text(input.rawValue))], value: .number($0))
                }
            }
        },
        number("gatehouse_door_passages_total", .counter, \.door?.passages, "Detected passages."),
        number(
            "gatehouse_door_tailgating_total", .counter, \.door?.tailgating,
            "Detected passages for which the gate had not been opened (tailgating)."),
        number(
            "gatehouse_door_unused_openings_total", .counter, \.door?.unused,
            "Openings without a passage in time."),
        number(
            "gatehouse_door_exit_requests_total", .counter, \.door?.requests, "Requests to exit that were granted."),
        number(
            "gatehouse_door_refused_exit_requests_total", .counter, \.door?.refusedRequests,
            "Requests to exit that were refused."),
        number(
            "gatehouse_door_forced_total", .counter, \.door?.forced,
            "Times the door was forced: opened without an admitted visitor."),
        number(
            "gatehouse_door_held_open_total", .counter, \.door?.heldOpen,
            "Times the door was held open for "
                + "too long."),
        word(
            "gatehouse_light", \.light, label: "pattern", "1 for the pattern that the light shows."),
    ]

    private static let radio: [Metric] = [
        number(
            "gatehouse_radio_up", .gauge, { flag($0.radio?.state.map { $0 == .up }) },
            "1 while the gate is advertising."),
        number("gatehouse_radio_openings_total", .counter, \.radio?.timesReady, "Times the adapter was ready."),
        number(
            "gatehouse_radio_failures_total", .counter, \.radio?.failures,
            "Times the radio was reset or reopened."),
        number(
            "gatehouse_radio_adapter_resets_total", .counter, \.radio?.adapterResets,
            "Requested resets of the adapter, the last resort."),
        number(
            "gatehouse_radio_lapses_total", .counter, \.radio?.advertisingLapses,
            "Times the adapter stopped advertising unexpectedly."),
        number(
            "gatehouse_radio_link_resets_total", .counter, \.radio?.linkResets,
            "Resets of the adapter because silent phones held all its links."),
        number(
            "gatehouse_radio_buffer_resets_total", .counter, \.radio?.bufferResets,
            "Resets of the adapter because phones that acknowledge nothing held its buffers."),
        number(
            "gatehouse_radio_ignored_packets_total", .counter, \.radio?.ignoredPackets,
            "Invalid packets from the adapter."),
        number(
            "gatehouse_radio_dropped_pdus_total", .counter, \.radio?.droppedPDUs,
            "Messages from phones that could not be reassembled."),
        number(
            "gatehouse_spoiled_chunks_total", .counter, \.radio?.spoiledChunks,
            "Chunks that arrived damaged."),
        number(
            "gatehouse_repair_rounds_total", .counter, \.radio?.repairs,
            "Repair rounds, in which missing chunks were requested again."),
        number("gatehouse_phones", .gauge, \.radio?.phones, "Connected phones."),
        number(
            "gatehouse_refused_phones_total", .counter, \.radio?.refusedPhones,
            "Phones that were disconnected because every place was taken."),
    ]

    private static let records: [Metric] = [
        number("gatehouse_ledger_entries", .gauge, \.ledger?.entries, "Entries of the ledger since it began."),
        number("gatehouse_ledger_visits", .gauge, \.ledger?.visits, "Visits that the ledger has numbered."),
        number(
            "gatehouse_ledger_open_visits", .gauge, \.ledger?.open, "Visits without a recorded outcome yet."),
        number(
            "gatehouse_ledger_lost_reports_total", .counter, \.ledger?.lostReports,
            "Reports deleted undelivered for lack of space."),
        number("gatehouse_ledger_size_bytes", .gauge, \.disk??.ledger, "Size of the database's files."),
        number(
            "gatehouse_disk_free_bytes", .gauge, \.disk??.free,
            "Free space that the service may use on that "
                + "file system."),
        number("gatehouse_disk_size_bytes", .gauge, \.disk??.total, "Size of that file system."),
    ]

    private static let trust: [Metric] = [
        word(
            "gatehouse_clock_source", \.clock?.source, label: "source",
            "1 for the source of the date."),
        number(
            "gatehouse_clock_unsynchronised_seconds", .gauge, \.clock?.unsynchronised,
            "Time since the last contact with a time server; absent without one since the start."),
        number("gatehouse_trust_issuers", .gauge, \.trust?.issuers, "Trusted issuers."),
        date("gatehouse_trust_issued_timestamp_seconds", \.trust?.issued, "Creation time of the bundle in force."),
        date(
            "gatehouse_trust_valid_until_timestamp_seconds", \.trust?.validUntil,
            "Expiry of that bundle."),
        date(
            "gatehouse_trust_oldest_timestamp_seconds", \.trust?.oldest,
            "Time of the last confirmation of the oldest document or status list."),
        date(
            "gatehouse_trust_refreshed_timestamp_seconds", \.trust?.refreshed,
            "The same for documents and lists that are fetched; absent if none are."),
        date(
            "gatehouse_trust_expiry_timestamp_seconds", \.trust?.soonestExpiry,
            "The earliest expiry of bundle, issuers and roots, future or past."),
    ]

    private static let delivery: [Metric] = [
        agents(
            "gatehouse_agent_connected", "1 while that destination has a connection; absent while unknown."
        ) { flag($0.isConnected) },
        agents(
            "gatehouse_agent_confirmed_entries",
            "The ledger position up to which it has confirmed everything."
        ) { $0.confirmed },
        agents("gatehouse_agent_waiting_entries", "Entries that it has not confirmed.") { $0.waiting },
        agents(
            "gatehouse_agent_receipt_timestamp_seconds", "Time of its last confirmation since the start."
        ) { $0.lastReceipt.map { Int($0.seconds) } },
    ]

    /// Returns a metric with one sample for each destination for which `number` returns a number.
    private static func agents(
        _ name: String, _ help: String, number: @escaping @Sendable (StatusReport.Destination) -> Int?
    ) -> Metric {
        elements(name, .gauge, \.agents, labels: [("agent", \.name)], help, number: number)
    }

    /// Returns 1 for true, 0 for false and nil for nil.
    private static func flag(_ value: Bool?) -> Int? { value.map { $0 ? 1 : 0 } }
}
