/** A little-endian TIFF file of one strip of bytes. */
export const tiffOf = (
  width: number,
  height: number,
  more: readonly (readonly [tag: number, value: number])[] = [],
): Uint8Array => {
  const pixels = new Uint8Array(Math.min(width * height, 4_096)).map((_, n) => n % 251);
  const tags = new Map<number, number>([
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, height],
    [279, pixels.length],
    ...more,
  ]);
  const file = Buffer.alloc(8 + pixels.length + 2 + tags.size * 12 + 4);
  const directory = 8 + pixels.length;
  file.write('II', 'latin1');
  file.writeUInt16LE(42, 2);
  file.writeUInt32LE(directory, 4);
  file.set(pixels, 8);
  file.writeUInt16LE(tags.size, directory);
  for (const [n, [tag, value]] of [...tags].sort(([a], [b]) => a - b).entries()) {
    const at = directory + 2 + 12 * n;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return new Uint8Array(file);
};
