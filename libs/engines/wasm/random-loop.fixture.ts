const leb = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];

const section = (id: number, ...content: readonly number[]): readonly number[] => [
  id,
  ...leb(content.length),
  ...content,
];

const text = (value: string): readonly number[] => [value.length, ...Buffer.from(value)];

const ENDLESS_LOOP = [0x03, 0x40];
const LENGTH = 100_000_000;

/** A module of some hundred bytes that draws 100 MB at random, again and again. */
export const randomLoop = (): Buffer =>
  Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 2, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 0),
    ...section(2, 1, ...text('wasi_snapshot_preview1'), ...text('random_get'), 0, 0),
    ...section(3, 1, 1),
    ...section(5, 1, 0, ...leb(1_600)),
    ...section(7, 2, ...text('memory'), 2, 0, ...text('_start'), 0, 1),
    ...section(
      10,
      1,
      ...[17, 0, ...ENDLESS_LOOP, 0x41, 0, 0x41, 0x80, 0xc2, 0xd7, 0x2f, 0x10, 0, 0x1a],
      ...[0x0c, 0, 0x0b, 0x0b],
    ),
  ]);

/** The fuel of drawing the bytes once. */
export const DRAW_FUEL = LENGTH;
