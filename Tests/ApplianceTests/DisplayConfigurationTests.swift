import Displays
import GateService
import Kiosk
import Testing

@testable import Features
@testable import Settings

/// `[display]` and `[[display.also]]`.
@Suite struct DisplayConfigurationTests {
    private func parse(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration.parse(
            Array(("kiosk.name = \"G\"\n" + text).utf8), file: "gate.toml", folder: "/etc/gatehouse")
    }

    private func problems(_ text: String) -> [ConfigurationError.Problem] {
        do throws(ConfigurationError) {
            _ = try parse(text)
            return []
        } catch {
            return error.problems
        }
    }

    @Test func withoutADisplaySectionThereIsAPicture() throws {
        let all = try parse("")[DisplaysSection.self].all
        #expect(all.map(\.kind) == [.file] && all.first?.file == "/run/gatehouse/invitation.png")
        #expect(try parse("[display]\nkind = \"none\"")[DisplaysSection.self].all.isEmpty)
    }

    @Test func severalAtOnceEachWithItsOwnKeys() throws {
        let displays = try parse(
            """
            [gpio]
            chip = "pinctrl-rp1"
            [gate]
            line = "GPIO17"
            [display]
            kind = "terminal"
            instruction = "QR scannen"
            [[display.also]]
            file = "more.png"
            scale = 3
            [[display.also]]
            kind = "sh1107"
            device = "/dev/i2c-3"
            address = 61
            rotation = 90
            [[display.also]]
            kind = "ssd1680"
            size = "128x296"
            data = "GPIO5"
            reset = "GPIO6"
            busy = "GPIO12"
            """
        )[DisplaysSection.self]
        #expect(displays.all.map(\.kind) == [.terminal, .file, .sh1107, .ssd1680])
        #expect(displays.main.instruction == "QR scannen" && displays.others[0].instruction == "Scan with your wallet")
        #expect(displays.others[0].file == "/etc/gatehouse/more.png" && displays.others[0].scale == 3)
        #expect(displays.others[1].device == "/dev/i2c-3" && displays.others[1].address == 61)
        #expect(displays.others[1].size == .init(width: 128, height: 128) && displays.others[1].rotation == 90)
        #expect(displays.others[2].size == .init(width: 128, height: 296))
        #expect(
            displays.others[2].lines
                == EPaperPins.Names(chip: "pinctrl-rp1", data: "GPIO5", reset: "GPIO6", busy: "GPIO12"))
        #expect(displays.others[2].device == "/dev/spidev0.0")
    }

    /// The settings from the file reach the kiosk's lamps and each display.
    @Test func rhythmsAndPlacesReachLampsAndDisplays() throws {
        let configuration = try parse(
            "[rhythms]\nrejected = \"slow\"\n[display]\nsign = \"apart\"\n[[display.also]]\nfile = \"a.png\"\n")
        let settings = try KioskSettings(configuration, softwareVersion: "0")
        var rhythms = LampRhythms()
        #expect(settings.rhythms != rhythms)
        rhythms[.rejected] = .slow
        #expect(settings.rhythms[.rejected] == .slow && settings.rhythms == rhythms)
        #expect(configuration[DisplaysSection.self].all.map(\.sign) == [.apart, .first])
    }

    @Test(arguments: [
        ("[display]\nkind = \"hologram\"", "display.kind", 3, "does not take \"hologram\""),
        ("[display]\nrotation = 45", "display.rotation", 3, "is not a multiple of 90 degrees"),
        ("[display]\nkind = \"ssd1306\"\nsize = \"64x64\"", "display.size", 4, "is not a size of such a panel"),
        ("[display]\nkind = \"framebuffer\"\ndevice = \"fb0\"", "display.device", 4, "is not a device path"),
        ("[display]\ninstruction = \"Türe\"", "display.instruction", 3, "cannot be drawn"),
        ("[display]\ninstruction = \"\"", "display.instruction", 3, "cannot be drawn"),
        ("[display]\nlanguage = \"de\"", "display.language", 3, "does not take \"de\""),
        (
            "[display]\nkind = \"terminal\"\nlanguage = \"hi\"", "display.language", 4,
            "cannot be shown by a terminal, which does not combine letters"
        ),
        ("[display]\ninstruction = \"नमस्ते\"", "display.instruction", 3, "cannot be drawn"),
        (
            "[display]\nkind = \"terminal\"\ninstruction = \"\(DisplayLanguage.hindi.text(.scan))\"",
            "display.instruction", 4, "cannot be drawn"
        ),
        ("[voice]\nlanguage = \"de\"", "voice.language", 3, "does not take \"de\""),
        ("[voice]\nprogram = \"\"", "voice.program", 3, "names no program"),
        ("[tones]\naccepted = [\"40ms\"]", "tones.accepted", 3, "is out of range"),
        ("[tones]\naccepted = [\"2s\", \"2s\"]", "tones.accepted", 3, "is out of range"),
        ("[tones]\naccepted = \"600ms\"", "tones.accepted", 3, "does not take \"600ms\""),
        (
            "[tones]\nrejected = [\"1s\"]", "tones.rejected", 3,
            "sounds like tones.accepted to visitors who do not see the light"
        ),
        ("[display]\nsign = \"middle\"", "display.sign", 3, "does not take \"middle\""),
        ("[rhythms]\nready = \"strobe\"", "rhythms.ready", 3, "does not take \"strobe\""),
        ("[rhythms]\nfault = \"slow\"", "rhythms.fault", 3, "is not a known key"),
        (
            "[rhythms]\nrejected = \"steady\"", "rhythms.rejected", 3,
            "is indistinguishable from accepted for colour-blind visitors"
        ),
        (
            "[rhythms]\naccepted = \"gap\"\nfree = \"slow\"\nready = \"quick\"", "rhythms.ready", 5,
            "is indistinguishable from receiving for colour-blind visitors"
        ),
        (
            "[rhythms]\naccepted = \"quick\"", "rhythms.accepted", 3,
            "is indistinguishable from rejected for colour-blind visitors"
        ),
        (
            "[rhythms]\nchecking = \"quick\"", "rhythms.checking", 3,
            "is indistinguishable from failed for colour-blind visitors"
        ),
        ("[display]\nkind = \"ssd1680\"", "display.chip", 2, "is missing"),
        (
            "[display]\nkind = \"ssd1680\"\nchip = \"c\"", "display.data", 2,
            "is missing, or display.reset or display.busy"
        ),
        ("[[display.also]]\nkind = \"none\"\nscal = 5", "display.also.scal", 4, "is not a known key"),
        ("[[display.also]]\nfile = \"b.png\"\nscale = \"5\"", "display.also.scale", 4, "does not take \"5\""),
        ("[display]\nalso = 5", "display.also", 3, "is a whole number"),
        (
            "[display]\nfile = \"a.png\"\n[[display.also]]\nfile = \"a.png\"", "display.also", 4,
            "is /etc/gatehouse/a.png, which display.file uses too"
        ),
        (
            "[display]\nkind = \"ssd1306\"\n[[display.also]]\nkind = \"ssd1306\"", "display.also", 4,
            "uses ssd1306 /dev/i2c-1 a second time"
        ),
        (
            "[display]\nkind = \"ssd1680\"\nchip = \"c\"\ndata = \"5\"\nreset = \"6\"\nbusy = \"12\"\n"
                + "[[display.also]]\nkind = \"ssd1680\"\ndevice = \"/dev/spidev0.1\"\nchip = \"c\"\ndata = \"7\"\n"
                + "reset = \"8\"\nbusy = \"12\"", "display.also.busy", 8, "uses 12, which display.busy uses too"
        ),
        (
            "[gpio]\nchip = \"c\"\n[gate]\nline = \"GPIO17\"\n[display]\nkind = \"ssd1680\"\ndata = \"GPIO17\"\n"
                + "reset = \"GPIO6\"\nbusy = \"GPIO12\"", "display.data", 8, "uses GPIO17, which gate.line uses too"
        ),
    ])
    func eachMistakeIsLocatedNamedAndHasARemedy(_ text: String, _ key: String, _ line: Int, _ message: String) {
        let found = problems(text)
        #expect(found.map(\.key) == [key])
        #expect(found.first?.line == line && found.first?.message == message)
        #expect(found.first?.remedy.isEmpty == false)
    }

    @Test func eachDisplayHasALanguage() throws {
        let text =
            "[display]\nlanguage = \"fr\"\n[[display.also]]\nkind = \"framebuffer\"\nlanguage = \"hi\"\n"
            + "[[display.also]]\nkind = \"terminal\"\nlanguage = \"fr\"\ninstruction = \"Présentez le code\""
        let displays = try parse(text)[DisplaysSection.self].all
        #expect(displays.map(\.language) == [.french, .hindi, .french])
        #expect(
            displays.map(\.instruction) == [DisplayLanguage.french, .hindi].map { $0.text(.scan) } + [
                "Présentez le code"
            ])
    }

    @Test func panelsShareABusByTheirAddresses() throws {
        let text = "[display]\nkind = \"ssd1306\"\n[[display.also]]\nkind = \"ssd1306\"\naddress = 61"
        #expect(try parse(text)[DisplaysSection.self].all.count == 2)
    }

    @Test func aPanelTooSmallForTheCodeIsReported() throws {
        let notices = try parse("[[display.also]]\nkind = \"ssd1306\"\nsize = \"128x32\"").notices
        #expect(notices.map(\.key) == ["display.also.size"] && notices.first?.line == 4)
    }

    @Test func moreThanEightAreRefused() {
        let sections = (0..<8).map { "[[display.also]]\nfile = \"\($0).png\"\n" }.joined()
        #expect(problems(sections).map(\.key) == ["display.also"])
    }
}
