/** Bytes a second: no speech codec that a provider takes is slower than 8 kbit/s, */
const SLOWEST = 1_000;
/** and no recording faster than two channels of 32 bits at 48 kHz. */
const FASTEST = 384_000;
/** The format of a WAV file is at its begin. */
export const WAV_HEADER_BYTES = 64;

/**
 * The most seconds of a recording: by the byte rate in the header of a WAV file, else by the
 * slowest codec.
 * @param bytes of the whole recording
 */
export const audioSecondsMax = (header: Buffer, bytes: number): number =>
  Math.ceil(bytes / byteRateIn(header));

const byteRateIn = (header: Buffer): number => {
  const isWav =
    header.length >= 32 &&
    header.subarray(0, 4).toString('latin1') === 'RIFF' &&
    header.subarray(8, 16).toString('latin1') === 'WAVEfmt ';
  if (!isWav) return SLOWEST;
  return Math.min(FASTEST, Math.max(SLOWEST, header.readUInt32LE(28)));
};
