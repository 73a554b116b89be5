import Encoding
import Ledger
import Reasons

// All metrics. docs/observation.md has the same list; a test compares the two.

extension Metric {
    /// All metrics, in the order of the exposition.
    package static let all: [Metric] = box + visits + door + radio + records + trust + delivery

    private static let box: [Metric] = [
        Metric(
            name: "gatehouse_info", kind: .gauge, labels: ["name", "version"],
            help: "Always 1; who answers, and its version."
        ) { report in
            guard let name = report["name"]?.string, let version = report["version"]?.string else { return [] }
            return [Sample(labels: [("name", name), ("version", version)], value: .number(1))]
        },
        date(
            "gatehouse_observed_timestamp_seconds", ["observed"],
            "When these figures were read, by the box's date: an old one in a textfile means that the service has ended."
        ),
        number("gatehouse_uptime_seconds", .gauge, ["uptimeSeconds"], "Since the start of the service."),
        number("gatehouse_starts_total", .counter, ["start"], "Starts of the service on this database."),
        word(
            "gatehouse_state", ["state"], label: "state", of: ["fine", "attention", "fault"],
            "1 for how the box is: fine, attention (works, but look after it), fault (out of order)."),
        Metric(
            name: "gatehouse_faults", kind: .gauge, labels: [], help: "Faults that are in force."
        ) { report in
            (report["faults"]?.array).map { [Sample(labels: [], value: .number($0.count))] } ?? []
        },
        elements(
            "gatehouse_fault", .gauge, ["faults"], labels: [("code", "code"), ("severity", "severity")],
            "1 for each fault in force; `gatehouse reasons CODE` says what to do."
        ) { _ in 1 },
        elements(
            "gatehouse_fault_age_seconds", .gauge, ["faults"], labels: [("code", "code")],
            "How long it has been in force without a break."
        ) { $0["seconds"]?.int },
        Metric(
            name: "gatehouse_silent_parts", kind: .gauge, labels: [],
            help: "Parts of the program that do not answer."
        ) { report in
            (report["silent"]?.array).map { [Sample(labels: [], value: .number($0.count))] } ?? []
        },
        number("gatehouse_log_dropped_total", .counter, ["log", "dropped"], "Lines of the log that were left out."),
    ]

    private static let visits: [Metric] = [
        members(
            "gatehouse_visits_total", .counter, ["visits"], label: "result",
            always: [
                Outcome.Result.accepted.rawValue, Outcome.Result.rejected.rawValue, Outcome.Result.failed.rawValue,
            ]
            .map { Text($0) } + [Text(ReasonCode.abandoned.text)],
            "Visits by how they ended. Abandoned ones are counted and not recorded."),
        Metric(
            name: "gatehouse_visit_reasons_total", kind: .counter, labels: ["result", "reason"],
            help: "The same by the code that tells most of why; all rules of the policy as one."
        ) { report in
            (report["reasons"]?.object?.members ?? []).flatMap { result in
                (result.value.object?.members ?? []).compactMap { reason in
                    reason.value.int.map {
                        Sample(labels: [("result", result.name), ("reason", reason.name)], value: .number($0))
                    }
                }
            }
        },
        histogram(
            "gatehouse_decision_seconds", ["figures", "decisionUs"], decimals: 6,
            "From the last missing byte (T0) to gate and light, with the wait for the turn."),
        histogram(
            "gatehouse_turn_wait_seconds", ["figures", "turnUs"], decimals: 6,
            "How much of that was waiting while verdicts of others were shown."),
        histogram(
            "gatehouse_transfer_seconds", ["figures", "transferMs"], decimals: 3,
            "From the announcement of a transfer to its last missing byte."),
        histogram(
            "gatehouse_transfer_bytes", ["figures", "transferBytes"],
            "Encrypted bytes of a whole transfer, in whole KiB."),
        histogram(
            "gatehouse_identified_to_verdict_seconds", ["figures", "identifiedMs"], decimals: 3,
            "From the wallet's first word to the verdict: choosing, transfer and verification."),
        number(
            "gatehouse_refused_intents_total", .counter, ["refusedIntents"], "Intents that the ledger did not take."),
        number(
            "gatehouse_gate_open", .gauge, ["gate", "open"],
            "1 while the relay is energised; absent where there is nothing to open."),
    ]

    private static let door: [Metric] = [
        word(
            "gatehouse_door_mode", ["door", "mode"], label: "mode", of: ["normal", "locked", "free"],
            "1 for how the gate stands to visitors: normal, locked (lock-down: nobody is let in), free (it stands open)."
        ),
        word(
            "gatehouse_door_cause", ["door", "by"], label: "cause", of: ["none", "order", "schedule", "fire"],
            "1 for who has brought that mode about; none while it is the normal one."),
        members(
            "gatehouse_door_input_active", .gauge, ["door", "inputs"], label: "input",
            "1 for each wired input that is active; one that cannot be read has no sample."),
        number("gatehouse_door_passages_total", .counter, ["door", "passages"], "People who were seen to pass."),
        number(
            "gatehouse_door_tailgating_total", .counter, ["door", "tailgating"],
            "Of them, those for whom the gate had not been opened."),
        number(
            "gatehouse_door_unused_openings_total", .counter, ["door", "unused"],
            "Openings behind which nobody passed in time."),
        number(
            "gatehouse_door_exit_requests_total", .counter, ["door", "requests"], "Requests to exit that were granted."),
        number(
            "gatehouse_door_refused_exit_requests_total", .counter, ["door", "refusedRequests"],
            "Requests to exit that were not."),
        number(
            "gatehouse_door_forced_total", .counter, ["door", "forced"],
            "Times the door was opened although nobody was let through."),
        number("gatehouse_door_held_open_total", .counter, ["door", "heldOpen"], "Times it stood open for too long."),
        word(
            "gatehouse_light", ["light"], label: "pattern",
            of: [
                "ready", "attention", "connected", "receiving", "checking", "accepted", "rejected", "failed", "locked",
                "free", "fault", "off",
            ], "1 for the pattern that the light shows."),
    ]

    private static let radio: [Metric] = [
        Metric(
            name: "gatehouse_radio_up", kind: .gauge, labels: [], help: "1 while phones can find the gate."
        ) { report in
            report.at(["radio", "state"])?.string.map { [Sample(labels: [], value: .number($0 == "up" ? 1 : 0))] } ?? []
        },
        number("gatehouse_radio_openings_total", .counter, ["radio", "openings"], "Times the adapter was ready."),
        number(
            "gatehouse_radio_failures_total", .counter, ["radio", "failures"],
            "Times the radio had to be reset or opened anew."),
        number(
            "gatehouse_radio_adapter_resets_total", .counter, ["radio", "adapterResets"],
            "Times the adapter's reset was asked for, when nothing else had helped."),
        number(
            "gatehouse_radio_lapses_total", .counter, ["radio", "advertisingLapses"],
            "Times the adapter had stopped advertising by itself."),
        number(
            "gatehouse_radio_link_resets_total", .counter, ["radio", "linkResets"],
            "Times the adapter was reset because phones that had fallen silent kept all its links."),
        number(
            "gatehouse_radio_buffer_resets_total", .counter, ["radio", "bufferResets"],
            "Times the adapter was reset because phones that acknowledge nothing kept its buffers."),
        number(
            "gatehouse_radio_ignored_packets_total", .counter, ["radio", "ignoredPackets"],
            "Packets of the adapter that made no sense."),
        number(
            "gatehouse_radio_dropped_pdus_total", .counter, ["radio", "droppedPDUs"],
            "Messages of phones whose pieces did not fit together."),
        number(
            "gatehouse_spoiled_chunks_total", .counter, ["radio", "spoiledChunks"],
            "Chunks of transfers that arrived spoiled."),
        number(
            "gatehouse_repair_rounds_total", .counter, ["radio", "repairs"],
            "Rounds in which chunks were asked for again."),
        number("gatehouse_phones", .gauge, ["radio", "phones"], "Phones that are connected."),
        number(
            "gatehouse_refused_phones_total", .counter, ["radio", "refusedPhones"],
            "Phones that were sent away because every place was taken."),
    ]

    private static let records: [Metric] = [
        number("gatehouse_ledger_entries", .gauge, ["ledger", "entries"], "Entries of the ledger since it began."),
        number("gatehouse_ledger_visits", .gauge, ["ledger", "visits"], "Visits that the ledger has numbered."),
        number(
            "gatehouse_ledger_open_visits", .gauge, ["ledger", "open"], "Visits whose outcome is not recorded yet."),
        number(
            "gatehouse_ledger_lost_reports_total", .counter, ["ledger", "lostReports"],
            "Reports given up for lack of room."),
        number("gatehouse_ledger_size_bytes", .gauge, ["disk", "ledgerBytes"], "Files of the database."),
        number(
            "gatehouse_disk_free_bytes", .gauge, ["disk", "freeBytes"], "What the service may still write beside it."),
        number("gatehouse_disk_size_bytes", .gauge, ["disk", "totalBytes"], "The whole file system."),
    ]

    private static let trust: [Metric] = [
        word(
            "gatehouse_clock_source", ["clock", "source"], label: "source",
            of: ["unset", "saved", "rtc", "synchronised", "given"],
            "1 for what the date rests on."),
        number(
            "gatehouse_clock_unsynchronised_seconds", .gauge, ["clock", "unsynchronisedSeconds"],
            "Since a time server was last heard; absent where none was heard since the start."),
        number("gatehouse_trust_issuers", .gauge, ["trust", "issuers"], "Issuers that are trusted."),
        date("gatehouse_trust_issued_timestamp_seconds", ["trust", "issued"], "When the bundle in force was made."),
        date(
            "gatehouse_trust_valid_until_timestamp_seconds", ["trust", "validUntil"],
            "Until when that bundle is to be used."),
        date(
            "gatehouse_trust_oldest_timestamp_seconds", ["trust", "oldest"],
            "When the oldest of the documents and status lists was last confirmed."),
        date(
            "gatehouse_trust_refreshed_timestamp_seconds", ["trust", "refreshed"],
            "The same of those that are fetched from their servers; absent where none are."),
        date(
            "gatehouse_trust_expiry_timestamp_seconds", ["trust", "soonestExpiry"],
            "The first date at which bundle, issuer or root ends, or has ended."),
    ]

    private static let agent = [(name: "agent", member: Text("name"))]

    private static let delivery: [Metric] = [
        elements(
            "gatehouse_agent_connected", .gauge, ["agent"], labels: agent,
            "1 while a connection leads to that destination."
        ) { $0["connected"].flatMap(whole) },
        elements(
            "gatehouse_agent_confirmed_entries", .gauge, ["agent"], labels: agent,
            "The entry of the ledger up to which it has confirmed everything."
        ) { $0["confirmed"]?.int },
        elements(
            "gatehouse_agent_waiting_entries", .gauge, ["agent"], labels: agent, "Entries that it has not confirmed."
        ) { $0["waiting"]?.int },
        elements(
            "gatehouse_agent_receipt_timestamp_seconds", .gauge, ["agent"], labels: agent,
            "When it last confirmed something, since the start."
        ) { $0["lastReceipt"].flatMap(seconds) },
    ]
}
