// The causes of faults of the radio or the GPIO lines. The detail of such a fault begins with the code of its
// cause, and `gatehouse doctor` reports them before a start.

extension ReasonCode.Group {
    /// The causes of ``ReasonCode/radioFailed``, in the order in which they can occur at a start.
    static let radioCauses = Self(
        title: "Causes of fault.radio",
        codes: [
            .radioNoBluetooth, .radioNotFound, .radioBusy, .radioBlocked, .radioSwitchedOff, .radioOpener,
            .radioNotPermitted, .radioUnreachable, .radioSpeed, .radioGone, .radioController, .radioStalled,
            .radioFraming, .radioBadPacket, .radioSystem,
        ])

    /// The causes of ``ReasonCode/gpioFailed``, in the order in which they can occur at a start.
    static let gpioCauses = Self(
        title: "Causes of fault.gpio",
        codes: [
            .gpioNoLibrary, .gpioNoChip, .gpioNotPermitted, .gpioOldKernel, .gpioNoLine, .gpioCount, .gpioBusy,
            .gpioActive, .gpioCall,
        ])
}

extension ReasonCode {
    package static let radioNoBluetooth = ReasonCode(
        "radio.no-bluetooth", refining: radioFailed, "The kernel offers no Bluetooth.",
        "Use a kernel with Bluetooth (modprobe bluetooth), not in a container or with PrivateNetwork=.")
    package static let radioNotFound = ReasonCode(
        "radio.not-found", refining: radioFailed, "There is no such adapter or device.",
        "Look whether it is plugged in, and compare radio.device with ls /sys/class/bluetooth.")
    package static let radioBusy = ReasonCode(
        "radio.busy", refining: radioFailed, "bluetoothd or another program has the adapter.",
        "Run: systemctl disable --now bluetooth; or stop the second kiosk.")
    package static let radioBlocked = ReasonCode(
        "radio.rfkill", refining: radioFailed, "The transmitter is switched off by software.",
        "Run: rfkill unblock bluetooth; the service does so itself where it may.")
    package static let radioSwitchedOff = ReasonCode(
        "radio.switched-off", refining: radioFailed, "The transmitter is switched off by the machine.",
        "Look for a switch or key for wireless: rfkill list says hard blocked.")
    package static let radioOpener = ReasonCode(
        "radio.opener", refining: radioFailed, "The small program that hands the adapter over does not do it.",
        "Run: systemctl restart gatehouse-radio.socket. What it says: journalctl -u gatehouse-radio.")
    package static let radioNotPermitted = ReasonCode(
        "radio.not-permitted", refining: radioFailed, "This process may not take the adapter or the device.",
        "Start it as the service, or give it CAP_NET_ADMIN or the device's group.")
    package static let radioUnreachable = ReasonCode(
        "radio.unreachable", refining: radioFailed, "Nothing answers where the controller should be.",
        "Start the controller, or correct radio.host and radio.port.")
    package static let radioSpeed = ReasonCode(
        "radio.speed", refining: radioFailed, "The serial line does not know the speed of radio.baud.",
        "Write one of those that the detail lists.")
    package static let radioGone = ReasonCode(
        "radio.gone", refining: radioFailed, "The adapter was unplugged, or the controller closed the connection.",
        "Plug it in again, with a better cable or supply where that recurs; it is taken by itself.")
    package static let radioController = ReasonCode(
        "radio.controller", refining: radioFailed,
        "The controller does not do what it is told: no answer, an error, or off the air by itself.",
        "Nothing at once: it is reset by itself. If it recurs, do what the detail says, or use another adapter.")
    package static let radioStalled = ReasonCode(
        "radio.stalled", refining: radioFailed, "The controller takes no more data.",
        "Nothing at once: it is reset by itself. If it recurs, power it off and on.")
    package static let radioFraming = ReasonCode(
        "radio.framing", refining: radioFailed, "What comes from the controller is no stream of HCI packets.",
        "Check radio.baud and radio.flowControl; on a Raspberry Pi do not use the mini UART.")
    package static let radioBadPacket = ReasonCode(
        "radio.bad-packet", refining: radioFailed, "The program made a packet that cannot be sent.",
        "Keep the log and report it to the makers of Gatehouse.")
    package static let radioSystem = ReasonCode(
        "radio.system", refining: radioFailed, "Another call to the system failed on the way to the radio.",
        "Do what the detail says.")

    package static let gpioNoLibrary = ReasonCode(
        "gpio.no-library", refining: gpioFailed, "libgpiod, by which lines are driven, is not installed.",
        "Install libgpiod2 (Debian 12) or libgpiod3 (13) with apt-get; it is then found by itself.")
    package static let gpioNoChip = ReasonCode(
        "gpio.no-chip", refining: gpioFailed, "This machine has no GPIO chip of the name in gpio.chip.",
        "Compare it with what gpiodetect lists, or plug the chip in; it is taken by itself.")
    package static let gpioNotPermitted = ReasonCode(
        "gpio.not-permitted", refining: gpioFailed, "The service may not open the chip.",
        "Put its user into the group gpio; the package brings the udev rules for it.")
    package static let gpioOldKernel = ReasonCode(
        "gpio.old-kernel", refining: gpioFailed, "The kernel does not give lines as they are asked for.",
        "Use one of version 5.10 or later: Debian's since 11.")
    package static let gpioNoLine = ReasonCode(
        "gpio.no-line", refining: gpioFailed, "The chip has no line of that name.",
        "Compare the name with what gpioinfo lists.")
    package static let gpioCount = ReasonCode(
        "gpio.count", refining: gpioFailed, "More lines are configured than one chip gives at once, or none.",
        "Configure 1 to 32 lines.")
    package static let gpioBusy = ReasonCode(
        "gpio.busy", refining: gpioFailed, "Another program or a driver has one of the lines.",
        "See who with gpioinfo; stop it, remove its overlay, or use another line.")
    package static let gpioActive = ReasonCode(
        "gpio.active", refining: gpioFailed, "A line is active though it was set inactive.",
        "Look at the wiring: something else drives it, or activeLow is the wrong way round.")
    package static let gpioCall = ReasonCode(
        "gpio.failed", refining: gpioFailed, "The chip went away, or a call on its lines failed.",
        "Plug it in, and look at dmesg; it is taken again by itself.")
}
