/** WAV files for specs. */
type Coding = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';

interface WavContent {
  /** From -1 to 1; of several channels, one after the other. */
  readonly samples: Iterable<number>;
  readonly coding?: Coding;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly isExtensible?: boolean;
}

const BITS: Readonly<Record<Coding, number>> = {
  u8: 8,
  s16: 16,
  s24: 24,
  s32: 32,
  f32: 32,
  f64: 64,
};

const write = (data: Buffer, at: number, sample: number, coding: Coding): void => {
  const scaled = (bits: number): number =>
    Math.max(
      -(2 ** (bits - 1)),
      Math.min(2 ** (bits - 1) - 1, Math.round(sample * 2 ** (bits - 1))),
    );
  switch (coding) {
    case 'u8':
      data.writeUInt8(scaled(8) + 128, at);
      return;
    case 's16':
    case 's24':
    case 's32':
      data.writeIntLE(scaled(BITS[coding]), at, BITS[coding] / 8);
      return;
    case 'f32':
      data.writeFloatLE(sample, at);
      return;
    case 'f64':
      data.writeDoubleLE(sample, at);
  }
};

export const wavOf = ({
  samples,
  coding = 's16',
  sampleRate = 16_000,
  channels = 1,
  isExtensible = false,
}: WavContent): Buffer => {
  const values = [...samples];
  const bytes = BITS[coding] / 8;
  const tag = coding.startsWith('f') ? 3 : 1;
  const format = Buffer.alloc(isExtensible ? 40 : 16);
  format.writeUInt16LE(isExtensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * channels * bytes, 8);
  format.writeUInt16LE(channels * bytes, 12);
  format.writeUInt16LE(BITS[coding], 14);
  if (isExtensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(tag, 24);
    format.write('000000001000800000aa00389b71', 26, 'hex');
  }
  const data = Buffer.alloc(values.length * bytes);
  for (const [at, sample] of values.entries()) write(data, at * bytes, sample, coding);
  const chunk = (id: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(id, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  };
  const parts = [Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data)];
  return chunk('RIFF', Buffer.concat(parts));
};
