"""echo.py: a phone that finds a peripheral by its name, writes to its characteristic, and waits for the notification.

    <- {"event": "listening", "port": N}      the port at which the peripheral finds its controller
    <- {"event": "echo", "value": HEX, "wrote": HEX}, once for each of several values; then the program ends
"""
import asyncio

from bumble.core import UUID, AdvertisingData
from bumble.device import Peer

from air import Air, say

VALUES = [b"", b"hello", bytes(range(200))]


async def main():
    air = Air()
    say(event="listening", port=await air.listen())
    phone, _ = await air.phone("C1:C2:C3:C4:C5:C6")
    await phone.power_on()
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        if advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME) == "Echo" and not found.done():
            found.set_result(advertisement.address)

    phone.on("advertisement", on_advertisement)
    await phone.start_scanning()
    address = await found
    await phone.stop_scanning()
    peer = Peer(await phone.connect(address))
    await peer.request_mtu(247)
    await peer.discover_services()
    service = peer.get_services_by_uuid(UUID("FFF0"))[0]
    await service.discover_characteristics()
    characteristic = service.get_characteristics_by_uuid(UUID("FFF1"))[0]
    answers = asyncio.Queue()
    await peer.subscribe(characteristic, answers.put_nowait)
    for value in VALUES:
        await characteristic.write_value(value, with_response=True)
        say(event="echo", value=(await answers.get()).hex(), wrote=value.hex())


asyncio.run(asyncio.wait_for(main(), 30))
