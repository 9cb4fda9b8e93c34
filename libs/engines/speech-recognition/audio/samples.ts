const FULL_SCALE = 32_768;

/** Floats from -1 to 1 of 16-bit little-endian samples; an odd last byte is ignored. */
export const samplesIn = (pcm: Buffer): Float32Array => {
  const samples = new Float32Array(Math.floor(pcm.length / 2));
  for (let at = 0; at < samples.length; at += 1) samples[at] = pcm.readInt16LE(2 * at) / FULL_SCALE;
  return samples;
};

/** 16-bit little-endian samples of floats; what is beyond -1 and 1 is cut. */
export const pcmOf = (samples: Float32Array): Buffer => {
  const pcm = Buffer.allocUnsafe(2 * samples.length);
  for (let at = 0; at < samples.length; at += 1) {
    const scaled = Math.round((samples[at] ?? 0) * FULL_SCALE);
    pcm.writeInt16LE(Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, scaled)), 2 * at);
  }
  return pcm;
};
