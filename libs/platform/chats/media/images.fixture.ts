/** The begins of images of one size, as files of each format have them. */
const bytesOf = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  );

const be16 = (value: number) => [value >> 8, value & 0xff];
const be32 = (value: number) => [...be16(value >>> 16), ...be16(value & 0xffff)];
const le16 = (value: number) => [value & 0xff, value >> 8];
const le24 = (value: number) => [...le16(value & 0xffff), value >> 16];

export const png = (width: number, height: number): Buffer =>
  bytesOf('\x89PNG\r\n\x1A\n', be32(13), 'IHDR', be32(width), be32(height), [8, 6, 0, 0, 0]);

export const gif = (width: number, height: number): Buffer =>
  bytesOf('GIF89a', le16(width), le16(height), [0, 0, 0]);

/** With a preview of some bytes before the size, and with a restart and a fill byte. */
export const jpeg = (width: number, height: number, preview = 100): Buffer =>
  bytesOf(
    [0xff, 0xd8, 0xff, 0xe1, ...be16(preview + 2)],
    '\xff\xc0'.repeat(preview / 2),
    [0xff, 0xc4, 0, 4, 1, 2, 0xff, 0xd0, 0xff, 0xff, 0xc2, 0, 11, 8],
    [...be16(height), ...be16(width), 1, 1, 0x11, 0],
  );

const riff = (format: string, ...rest: readonly number[]): Buffer =>
  bytesOf('RIFF', [0, 0, 0, 0], 'WEBP', format, [0, 0, 0, 0], rest, Array<number>(8).fill(0));

export const webp = {
  lossy: (width: number, height: number) =>
    riff('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, ...le16(width), ...le16(height)),
  lossless: (width: number, height: number) => {
    const bits = (width - 1) | ((height - 1) << 14);
    return riff('VP8L', 0x2f, bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff, bits >>> 24);
  },
  extended: (width: number, height: number) =>
    riff('VP8X', 0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)),
};

export const dataUrl = (image: Buffer): string =>
  `data:image/png;base64,${image.toString('base64')}`;
