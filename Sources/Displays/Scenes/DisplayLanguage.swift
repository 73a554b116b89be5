/// The phrases that displays show to visitors.
package enum DisplayPhrase: CaseIterable, Sendable {
    /// The instruction to scan the code on the same display.
    case scan
    /// The instruction on a display without a code, while another display shows it.
    case scanBeside
    /// The request to wait, because no code is available yet.
    case wait
    /// The visitor chooses a credential. Shown after the visit's name.
    case choosing
    /// The credential is being verified. Shown after the visit's name.
    case checking
    /// Accepted: the visitor may pass.
    case accepted
    /// Rejected: the visitor may not pass.
    case rejected
    /// The visit failed, because no data arrived that could be verified.
    case failed
    /// The gate cannot admit any visitor.
    case outOfOrder
    /// The program has ended normally.
    case outOfService
    /// The gate is locked down.
    case closed
    /// Free passage: everyone may pass.
    case freePassage
}

/// The language of a display or a voice, by its ISO 639-1 code.
package enum DisplayLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case hindi = "hi"

    /// Returns the text of a phrase. ``BitmapFont`` or ``DevanagariWords`` can draw each word of it.
    package func text(_ phrase: DisplayPhrase) -> String {
        switch self {
        case .english: english(phrase)
        case .french: french(phrase)
        case .hindi: hindi(phrase)
        }
    }

    private func english(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "Scan with your wallet"
        case .scanBeside: "Scan the code beside this"
        case .wait: "Please wait"
        case .choosing: "choosing"
        case .checking: "checking"
        case .accepted: "ACCEPTED"
        case .rejected: "REJECTED"
        case .failed: "Try again"
        case .outOfOrder: "OUT OF ORDER"
        case .outOfService: "Out of service"
        case .closed: "CLOSED"
        case .freePassage: "Free passage"
        }
    }

    private func french(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "Scannez avec votre portefeuille"
        case .scanBeside: "Scannez le code à côté"
        case .wait: "Veuillez patienter"
        case .choosing: "choisit"
        case .checking: "vérification"
        case .accepted: "ACCEPTÉ"
        case .rejected: "REFUSÉ"
        case .failed: "Réessayez"
        case .outOfOrder: "EN PANNE"
        case .outOfService: "Hors service"
        case .closed: "FERMÉ"
        case .freePassage: "Passage libre"
        }
    }

    /// Uses the words for "enter" and "stop" for the two verdicts, because the Hindi words for accepted and rejected
    /// differ by only one letter.
    private func hindi(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "वॉलेट से स्कैन करें"
        case .scanBeside: "पास का कोड स्कैन करें"
        case .wait: "कृपया प्रतीक्षा करें"
        case .choosing: "चुन रहे हैं"
        case .checking: "जाँच जारी"
        case .accepted: "प्रवेश करें"
        case .rejected: "रुकिए"
        case .failed: "फिर कोशिश करें"
        case .outOfOrder: "मशीन ख़राब है"
        case .outOfService: "सेवा बंद है"
        case .closed: "द्वार बंद है"
        case .freePassage: "द्वार खुला है"
        }
    }
}
