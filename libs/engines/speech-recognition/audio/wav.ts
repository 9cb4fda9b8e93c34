import { AudioError } from '../speech.errors.js';

/** Coded samples, as the format of a WAV file describes them. */
export interface WavSound {
  readonly sampleRate: number;
  readonly channels: number;
  readonly coding: Coding;
  /** Whole frames: one sample of each channel. */
  readonly data: Buffer;
}

type Coding = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';

const CHANNELS_MAX = 8;
const RATE_MIN = 2_000;
const RATE_MAX = 384_000;
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** Behind the two bytes of its number: the GUID of a format, as it is in a file. */
const FORMAT_GUID = '000000001000800000aa00389b71';

const CODINGS: Readonly<Record<string, Coding>> = {
  [`${PCM}/8`]: 'u8',
  [`${PCM}/16`]: 's16',
  [`${PCM}/24`]: 's24',
  [`${PCM}/32`]: 's32',
  [`${FLOAT}/32`]: 'f32',
  [`${FLOAT}/64`]: 'f64',
};

const BYTES: Readonly<Record<Coding, number>> = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 };

const reject = (message: string): never => {
  throw new AudioError('audio_invalid', `file: the WAV file is invalid: ${message}`);
};

export const isWav = (file: Buffer): boolean =>
  file.length >= 12 &&
  file.toString('latin1', 0, 4) === 'RIFF' &&
  file.toString('latin1', 8, 12) === 'WAVE';

interface Chunk {
  readonly id: string;
  readonly bytes: Buffer;
}

function* chunksOf(file: Buffer): Generator<Chunk, void, void> {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) reject(`it says that it has ${end} bytes and has ${file.length}`);
  for (let at = 12; at + 8 <= end;) {
    const id = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const from = at + 8;
    if (from + size > end) {
      reject(`the part "${id}" says that it has ${size} bytes and has ${end - from}`);
    }
    yield { id, bytes: file.subarray(from, from + size) };
    // A part of an odd length has a byte of padding behind it.
    at = from + size + (size % 2);
  }
}

/**
 * Reads the header, and believes nothing that the bytes contradict.
 * @throws AudioError
 */
export const readWav = (file: Buffer): WavSound => {
  if (!isWav(file)) reject('it does not begin with RIFF and WAVE');
  let format: Buffer | undefined;
  for (const { id, bytes } of chunksOf(file)) {
    if (id === 'fmt ') format = bytes;
    else if (id === 'data')
      return soundOf(format ?? reject('its data come before the format'), bytes);
  }
  return reject('it has no data');
};

const soundOf = (format: Buffer, data: Buffer): WavSound => {
  if (format.length < 16) reject(`its format has ${format.length} bytes, not 16 or more`);
  const channels = format.readUInt16LE(2);
  const sampleRate = format.readUInt32LE(4);
  const frameBytes = format.readUInt16LE(12);
  const bits = format.readUInt16LE(14);
  const tag = tagOf(format);
  const coding =
    CODINGS[`${tag}/${bits}`] ??
    reject(`format ${tag} with ${bits} bits a sample is not supported`);
  if (channels < 1 || channels > CHANNELS_MAX) {
    reject(`it has ${channels} channels, not 1 to ${CHANNELS_MAX}`);
  }
  if (sampleRate < RATE_MIN || sampleRate > RATE_MAX) {
    reject(`it has ${sampleRate} samples a second, not ${RATE_MIN} to ${RATE_MAX}`);
  }
  if (frameBytes !== channels * BYTES[coding]) {
    reject(`a frame of ${channels} times ${bits} bits does not have ${frameBytes} bytes`);
  }
  if (format.readUInt32LE(8) !== sampleRate * frameBytes) {
    reject(`${format.readUInt32LE(8)} bytes a second are not ${sampleRate} frames`);
  }
  if (data.length % frameBytes !== 0) reject('its data end within a frame');
  return { sampleRate, channels, coding, data };
};

const tagOf = (format: Buffer): number => {
  const tag = format.readUInt16LE(0);
  if (tag !== EXTENSIBLE) return tag;
  if (format.length < 40) return reject('its extensible format is cut short');
  if (format.toString('hex', 26, 40) !== FORMAT_GUID) {
    return reject('its extensible format has an unknown identifier');
  }
  return format.readUInt16LE(24);
};

const READERS: Readonly<Record<Coding, (data: Buffer, at: number) => number>> = {
  u8: (data, at) => ((data[at] ?? 128) - 128) / 128,
  s16: (data, at) => data.readInt16LE(at) / 2 ** 15,
  s24: (data, at) => data.readIntLE(at, 3) / 2 ** 23,
  s32: (data, at) => data.readInt32LE(at) / 2 ** 31,
  f32: (data, at) => data.readFloatLE(at),
  f64: (data, at) => data.readDoubleLE(at),
};

/**
 * The mean of the channels.
 * @throws AudioError for a sample that is no number
 */
export const monoOf = ({ channels, coding, data }: WavSound): Float32Array => {
  const [read, bytes] = [READERS[coding], BYTES[coding]];
  const samples = new Float32Array(data.length / (bytes * channels));
  for (let frame = 0; frame < samples.length; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      sum += read(data, (frame * channels + channel) * bytes);
    }
    if (!Number.isFinite(sum)) reject(`sample ${frame} is no number`);
    samples[frame] = sum / channels;
  }
  return samples;
};

/** The length of the sound, in seconds. */
export const secondsOf = ({ sampleRate, channels, coding, data }: WavSound): number =>
  data.length / (channels * BYTES[coding] * sampleRate);
