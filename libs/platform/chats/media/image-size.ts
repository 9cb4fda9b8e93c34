/** Pixels of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The bytes of an image that are read; a JPEG may have its size behind a profile or a preview. */
export const HEADER_BYTES_MAX = 262_144;

/** No provider takes more pixels on one side; a larger number is no size. */
const SIDE_MAX = 1_000_000;

/** The size in the header of a PNG, JPEG, GIF or WebP; undefined where none can be read. */
export const imageSizeIn = (bytes: Buffer): ImageSize | undefined => {
  const size = READERS.find(({ isOne }) => isOne(bytes))?.read(bytes);
  if (!size) return undefined;
  const { width, height } = size;
  return [width, height].every((side) => side > 0 && side <= SIDE_MAX) ? size : undefined;
};

interface Reader {
  readonly isOne: (bytes: Buffer) => boolean;
  /** Undefined where the bytes end before the size. */
  readonly read: (bytes: Buffer) => ImageSize | undefined;
}

const startsWith =
  (text: string, at = 0) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(at, at + text.length).toString('latin1') === text;

const isWebp = startsWith('WEBP', 8);

const READERS: readonly Reader[] = [
  { isOne: startsWith('\x89PNG\r\n\x1A\n'), read: (bytes) => ofPng(bytes) },
  { isOne: startsWith('\xFF\xD8'), read: (bytes) => ofJpeg(bytes) },
  { isOne: startsWith('GIF8'), read: (bytes) => ofGif(bytes) },
  {
    isOne: (bytes) => startsWith('RIFF')(bytes) && isWebp(bytes),
    read: (bytes) => ofWebp(bytes),
  },
];

/** The first chunk of a PNG is its header. */
const ofPng = (bytes: Buffer): ImageSize | undefined =>
  bytes.length < 24 || !startsWith('IHDR', 12)(bytes)
    ? undefined
    : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };

const ofGif = (bytes: Buffer): ImageSize | undefined =>
  bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };

const ofWebp = (bytes: Buffer): ImageSize | undefined => {
  if (bytes.length < 30) return undefined;
  const format = bytes.subarray(12, 16).toString('latin1');
  switch (format) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
};

/** Markers without a length: restarts and the begin of the image. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** A frame's header: C0 to CF without the tables C4, C8 and CC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Every segment has two bytes at least, so the walk ends. */
const ofJpeg = (bytes: Buffer): ImageSize | undefined => {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    // A marker may have further bytes FF before it.
    if (marker === 0xff) at += 1;
    else if (isBare(marker)) at += 2;
    else if (isFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    } else {
      const length = bytes.readUInt16BE(at + 2);
      if (length < 2) return undefined;
      at += 2 + length;
    }
  }
  return undefined;
};
