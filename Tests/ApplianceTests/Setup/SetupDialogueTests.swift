import Foundation
import Settings
import Testing

@testable import Commissioning

/// The questions of a setup in their order, without a terminal.
@Suite struct SetupDialogueTests {
    private let machine: SetupMachine
    private let places = SetupPlaces(SetupPlaces.standard)

    init() throws { machine = SetupMachine(try SetupFixture.pinout()) }

    /// Answers the questions with these texts, with "" where there is none; returns the questions that were
    /// asked.
    private func play(_ dialogue: inout SetupDialogue, _ texts: [SetupQuestion: String] = [:]) -> [SetupQuestion] {
        var asked: [SetupQuestion] = []
        while let prompt = dialogue.next, asked.count < 30 {
            asked.append(prompt.question)
            let problem = dialogue.answer(texts[prompt.question] ?? "", to: prompt)
            #expect(problem == nil, "\(prompt.question): \(problem.map { $0.message } ?? "")")
            if problem != nil { break }
        }
        return asked
    }

    @Test func onlyNameAndBoardHaveToBeWritten() throws {
        var dialogue = SetupDialogue(SetupAnswers(), on: machine, at: places)
        let asked = play(&dialogue, [.name: "North", .board: "none"])
        #expect(
            asked == [
                .name, .id, .board, .direction, .display, .trustBundle, .trustDirectory, .issuer, .invitation,
            ])
        let plan = try SetupPlan(dialogue.answers, on: machine, at: places)
        #expect(plan.trust == .unchanged && plan.invitation == nil)
    }

    @Test func devicesOfTheMachineAreProposed() throws {
        var seen = machine
        (seen.chips, seen.adapters, seen.hasScreen, seen.hasClock) = (
            ["pinctrl-bcm2711"], ["hci0", "hci1"], true, false
        )
        var dialogue = SetupDialogue(SetupAnswers(), on: seen, at: places)
        var proposals: [SetupQuestion: String] = [:]
        var words: [SetupQuestion: String] = [:]
        while let prompt = dialogue.next {
            proposals[prompt.question] = prompt.proposal
            words[prompt.question] = prompt.words
            #expect(dialogue.answer(prompt.question == .name ? "North" : "\r", to: prompt) == nil)
        }
        #expect(proposals[.board] == "pi4" && proposals[.radio] == "hci0" && proposals[.display] == "framebuffer")
        #expect(proposals[.clock] == "rtc" && proposals[.id] == "North" && proposals[.pulse] == "turnstile")
        #expect(proposals[.name] == nil && proposals[.invitation] == "")
        #expect(words[.board]?.contains("pi3 or zero (3, Zero 2 W and older)") == true)
        #expect(words[.pulse]?.hasSuffix(": turnstile (200ms), strike (3s), magnet (5s), time-relay (500ms)") == true)
        #expect(words[.radio]?.hasSuffix(": hci0, hci1") == true)
    }

    /// On a Debian machine, only chrony can authenticate a time server.
    @Test func aTimeServerIsAskedForWhereChronyIs() throws {
        var seen = machine
        seen.hasChrony = true
        for (answer, server) in [("ntp.example\r", "ntp.example"), ("", nil), ("none", nil)] {
            var dialogue = SetupDialogue(
                SetupFixture.answers([.name: "N", .id: "N", .board: "none", .direction: "in", .display: "none"]),
                on: seen, at: places)
            let prompt = try #require(dialogue.next)
            #expect(prompt.question == .timeServer && prompt.proposal?.isEmpty == true)
            #expect(dialogue.answer("a b", to: prompt) == TimeSource.noHost)
            #expect(dialogue.answer(answer, to: prompt) == nil)
            #expect(try SetupPlan(dialogue.answers, on: seen, at: places).timeServer == server)
        }
    }

    @Test func anAnswerDecidesTheNextQuestions() {
        func asked(_ texts: [SetupQuestion: String]) -> [SetupQuestion] {
            var dialogue = SetupDialogue(
                SetupFixture.answers([.name: "N", .id: "N", .direction: "in"]), on: machine, at: places)
            return play(&dialogue, texts.merging([.board: "none"]) { one, _ in one })
        }
        #expect(asked([.board: "pi5", .display: "ssd1306"]).prefix(4) == [.board, .pulse, .display, .displaySize])
        // Only one size exists: there is nothing to choose.
        #expect(!asked([.display: "sh1106"]).contains(.displaySize))
        let key = "z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd"
        #expect(
            asked([.trustBundle: "b", .bundleKey: key]) == [.board, .display, .trustBundle, .bundleKey, .invitation])
        #expect(asked([.trustDirectory: "d"]) == [.board, .display, .trustBundle, .trustDirectory, .invitation])
        #expect(
            asked([.issuer: "did:web:a", .issuerType: "A B"]) == [
                .board, .display, .trustBundle, .trustDirectory, .issuer, .issuerType, .issuerDocument, .issuerRoot,
                .context, .invitation,
            ])
    }

    @Test func optionsReplaceQuestions() {
        var dialogue = SetupDialogue(
            SetupFixture.answers([
                .name: "N", .chip: "gpio-sim", .issuer: "did:web:a", .issuerType: "A", .display: "none",
            ]), on: machine, at: places)
        #expect(play(&dialogue) == [.id, .pulse, .direction, .issuerDocument, .issuerRoot, .context, .invitation])
    }

    @Test func aWrongAnswerLeavesTheQuestionOpen() throws {
        var dialogue = SetupDialogue(SetupAnswers(), on: machine, at: places)
        let name = try #require(dialogue.next)
        for (text, words) in [("", "is missing"), ("  ", "is missing"), ("a b", "1 to 14"), ("\u{1B}[A", "1 to 14")] {
            let problem = dialogue.answer(text, to: name)
            #expect(problem?.question == .name && problem?.message.isEmpty == false, "\(text)")
            #expect(
                problem.map { SetupOrigin.terminal.text($0) }.map { ($0.message + $0.remedy).contains(words) } == true,
                "\(text): \(String(describing: problem))")
            #expect(dialogue.next == name && dialogue.answers == SetupAnswers())
        }
        // Blanks around the answer, and the line end of a serial line.
        #expect(dialogue.answer("  North\r", to: name) == nil && dialogue.answers[.name] == "North")
        // The files that an answer names are checked, too, and only problems of this question count.
        let id = try #require(dialogue.next)
        #expect(dialogue.answer("", to: id, inspect: { _ in .missing(.issuer) }) == nil)
        let board = try #require(dialogue.next)
        #expect(dialogue.answer("", to: board) == .missing(.board), "a gate without lines is somebody's word")
        #expect(dialogue.answer("none", to: board, inspect: { _ in .missing(.board) }) == .missing(.board))
        #expect(dialogue.next == board)
    }

    @Test func noneAndLists() throws {
        var dialogue = SetupDialogue(
            SetupFixture.answers([.name: "N", .id: "N", .board: "none", .direction: "in", .display: "file"]),
            on: machine,
            at: places)
        let asked = play(
            &dialogue,
            [
                .trustBundle: "none", .issuer: "did:web:a", .issuerType: "A  B",
                .context: " https://a.example/1  https://a.example/2=f ",
                .invitation: "none",
            ])
        #expect(asked.last == .invitation && dialogue.answers[.trustBundle] == "")
        #expect(dialogue.answers[all: .context] == ["https://a.example/1", "https://a.example/2=f"])
        #expect(dialogue.answers[all: .issuerType] == ["A", "B"])
        #expect(dialogue.answers[.invitation] == "")
    }
}
