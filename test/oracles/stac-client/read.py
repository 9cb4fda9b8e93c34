"""Ingests images into a Quipu of its own, and reads its catalog with pystac-client.

    npm run oracles -- stac-client
"""

import base64
import json
import pathlib
import sys
import urllib.request

import pystac_client

ORACLES = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(ORACLES))
from served_quipu import served_quipu  # noqa: E402

VECTORS = json.loads((ORACLES / "rasters/vectors.json").read_text())
NAMES = ["stripped", "tiled-deflate", "antimeridian", "polar"]


def ingest(url, key, name):
    tiff = next(one["tiff"] for one in VECTORS["files"] if one["name"] == name)
    order = {
        "satellite_id": name,
        "sensor_type": "radar" if name == "antimeridian" else "multispectral",
        "compressed_payload_hex": base64.b64decode(tiff).hex(),
    }
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    body = json.dumps(order).encode()
    request = urllib.request.Request(f"{url}/api/v1/space/eo_ingest.php", body, headers)
    return json.loads(urllib.request.urlopen(request).read())


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")
    print(f"{what}: {found}")


def read(url, key):
    headers = {"authorization": f"Bearer {key}"}
    client = pystac_client.Client.open(f"{url}/api/v1/stac", headers=headers)
    check("collections", sorted(one.id for one in client.get_collections()), ["multispectral", "radar"])
    platforms = lambda **asked: sorted(
        item.properties["platform"] for item in client.search(**asked).items()
    )
    check("all, a page each", platforms(limit=1), sorted(NAMES))
    check("by GET", platforms(limit=1, method="GET"), sorted(NAMES))
    check("by place", platforms(bbox=[14, 47, 16, 48]), ["stripped"])
    check("over the antimeridian", platforms(bbox=[179, -17, -179, -15]), ["antimeridian"])
    check("by collection", platforms(collections=["radar"]), ["antimeridian"])
    check("by time", platforms(datetime="2027-01-01/.."), [])
    items = client.get_collection("multispectral").get_items()
    check("items of a collection", sorted(one.properties["platform"] for one in items),
          ["polar", "stripped", "tiled-deflate"])
    for item in client.search().items():
        # The schemas of extensions are on the network, those of STAC itself in the package.
        item.stac_extensions = []
        item.validate()
    print("every item is valid by the schemas of STAC 1.1")


with served_quipu() as (url, key):
    for name in NAMES:
        ingest(url, key, name)
    read(url, key)
