"""Records small GeoTIFF files that GDAL writes, and what GDAL reads in them.

    npm run oracles -- rasters
"""

import base64
import json
import pathlib
import tempfile

import numpy as np
import rasterio
from rasterio.transform import Affine, from_origin
from rasterio.warp import transform

WIDTH, HEIGHT = 80, 60
UTM = from_origin(500_000, 5_300_000, 10, 10)
DEGREES = from_origin(9.0, 48.0, 0.001, 0.001)

# Name, data type, bands, size, EPSG code, transform, options of GDAL.
CASES = [
    ("stripped", "uint8", 3, None, 32633, UTM, {}),
    ("tiled-deflate", "uint16", 1, None, 4326, DEGREES,
     dict(TILED="YES", BLOCKXSIZE=32, BLOCKYSIZE=32, COMPRESS="DEFLATE", PREDICTOR=2)),
    ("tiled-lzw-south", "uint8", 3, None, 32755, from_origin(600_000, 6_000_000, 30, 30),
     dict(TILED="YES", BLOCKXSIZE=16, BLOCKYSIZE=16, COMPRESS="LZW", PREDICTOR=2)),
    ("packbits-mercator", "uint8", 1, None, 3857, from_origin(1_000_000, 6_000_000, 100, 100),
     dict(COMPRESS="PACKBITS")),
    ("float-predictor", "float32", 1, None, 32601, from_origin(300_000, 100_000, 20, 20),
     dict(TILED="YES", BLOCKXSIZE=32, BLOCKYSIZE=32, COMPRESS="DEFLATE", PREDICTOR=3)),
    ("double", "float64", 2, None, 4326, DEGREES, dict(COMPRESS="LZW", PREDICTOR=3)),
    ("planar-lzw", "int16", 3, None, 25832, UTM, dict(INTERLEAVE="BAND", COMPRESS="LZW", PREDICTOR=2)),
    ("big-tiff", "uint8", 1, None, 32633, UTM, dict(BIGTIFF="YES", COMPRESS="DEFLATE")),
    ("big-endian", "uint16", 3, None, 26910, UTM, dict(ENDIANNESS="BIG", COMPRESS="LZW", PREDICTOR=2)),
    ("big-endian-float", "float32", 1, None, 4269, DEGREES,
     dict(ENDIANNESS="BIG", COMPRESS="DEFLATE", PREDICTOR=3)),
    ("unsigned-32", "uint32", 1, None, 4326, DEGREES, dict(COMPRESS="DEFLATE", PREDICTOR=2)),
    ("cloud-optimised", "uint8", 1, (600, 700), 32633, UTM, dict(driver="COG", COMPRESS="DEFLATE", BLOCKSIZE=256)),
    ("no-overviews", "uint8", 1, (600, 700), 32633, UTM,
     dict(TILED="YES", BLOCKXSIZE=256, BLOCKYSIZE=256, COMPRESS="DEFLATE")),
    ("antimeridian", "uint8", 1, None, 4326, from_origin(179.95, -16.0, 0.001, 0.001), {}),
    ("antimeridian-utm", "uint8", 1, None, 32701, from_origin(180_000, 8_000_000, 500, 500), {}),
    ("rotated", "uint8", 1, None, 32633,
     Affine.translation(500_000, 5_300_000) * Affine.rotation(30) * Affine.scale(10, -10), {}),
    ("point", "uint8", 1, None, 32633, UTM, dict(AREA_OR_POINT="Point")),
    ("whole-earth", "uint8", 1, (360, 180), 4326, from_origin(-180, 90, 1, 1), dict(COMPRESS="DEFLATE")),
    ("polar", "uint8", 1, None, 3031, from_origin(0, 0, 100, 100), {}),
    ("jpeg", "uint8", 3, None, 32633, UTM, dict(COMPRESS="JPEG", PHOTOMETRIC="YCBCR")),
    ("no-place", "uint8", 1, None, None, None, {}),
]


def pixels(dtype, bands, size):
    width, height = size
    rows, columns = np.mgrid[0:height, 0:width]
    values = [(columns // 7 * 5 + rows // 5 * 3 + 40 * band) % 251 for band in range(bands)]
    stack = np.stack(values).astype("float64")
    if dtype == "uint16":
        stack = stack * 200
    if dtype == "uint32":
        stack = stack * 16_000_000
    if dtype == "int16":
        stack = stack * 100 - 12_000
    if dtype.startswith("float"):
        stack = stack / 8 - 10
    return stack.astype(dtype)


def record(folder, name, dtype, bands, size, epsg, affine, options):
    size = size or (WIDTH, HEIGHT)
    options = dict(options)
    tags = {"AREA_OR_POINT": options.pop("AREA_OR_POINT", "Area")}
    driver = options.pop("driver", "GTiff")
    file = pathlib.Path(folder) / f"{name}.tif"
    profile = dict(width=size[0], height=size[1], count=bands, dtype=dtype)
    if epsg:
        profile.update(crs=f"EPSG:{epsg}", transform=affine)
    if dtype == "int16":
        profile.update(nodata=-12_000)
    with rasterio.open(file, "w", driver=driver, **profile, **options) as raster:
        raster.write(pixels(dtype, bands, size))
        raster.update_tags(**tags)
        if driver == "GTiff":
            raster.update_tags(TIFFTAG_DATETIME="2026:11:20 10:30:00")
    with rasterio.open(file) as raster:
        values = raster.read()
        width, height = raster.width, raster.height
        corners = None
        if raster.crs:
            places = [(0, 0), (0, height), (width, height), (width, 0)]
            xs, ys = zip(*(raster.transform * place for place in places))
            longitudes, latitudes = transform(raster.crs, "EPSG:4326", xs, ys)
            corners = [list(each) for each in zip(longitudes, latitudes)]
        return {
            "name": name,
            "tiff": base64.b64encode(file.read_bytes()).decode(),
            "width": width,
            "height": height,
            "bands": raster.count,
            "dataType": raster.dtypes[0],
            "epsg": raster.crs.to_epsg() if raster.crs else None,
            "transform": list(raster.transform)[:6],
            "noData": raster.nodata,
            "sums": [float(band.astype("float64").sum()) for band in values],
            "last": [float(band[-1, -1]) for band in values],
            "corners": corners,
        }


with tempfile.TemporaryDirectory() as folder:
    files = [record(folder, *case) for case in CASES]
print(json.dumps({"gdal": rasterio.__gdal_version__, "files": files}))
