/** A format of llama.cpp in which weights are stored in blocks with scales of their own. */
export interface BlockFormat {
  /** llama.cpp's name of it. */
  readonly name: string;
  /** llama.cpp's number of it in files. */
  readonly type: number;
  readonly blockWeights: number;
  readonly blockBytes: number;
  /** Writes one block from `weights[at]` on into `bytes` at its start. */
  readonly encode: (weights: Float32Array, at: number, bytes: DataView) => void;
  /** Reads one block at the start of `bytes` into `weights[at]` and on. */
  readonly decode: (bytes: DataView, weights: Float32Array, at: number) => void;
}

/** Whether rows of this length can be stored: a block does not reach into the next row. */
export const holdsRows = ({ blockWeights }: BlockFormat, rowLength: number): boolean =>
  rowLength % blockWeights === 0;

export const encodedBytes = ({ blockWeights, blockBytes }: BlockFormat, weights: number): number =>
  (weights / blockWeights) * blockBytes;

/** @throws RangeError where the weights are no whole number of blocks */
export const encodeTensor = (
  format: BlockFormat,
  weights: Float32Array,
): Uint8Array<ArrayBuffer> => {
  const { name, blockWeights, blockBytes, encode } = format;
  if (!holdsRows(format, weights.length)) {
    throw new RangeError(`${weights.length} weights are no whole blocks of ${name}`);
  }
  const bytes = new Uint8Array(encodedBytes(format, weights.length));
  for (let at = 0, start = 0; at < weights.length; at += blockWeights, start += blockBytes) {
    encode(weights, at, new DataView(bytes.buffer, start, blockBytes));
  }
  return bytes;
};

export const decodeTensor = (
  { blockWeights, blockBytes, decode }: BlockFormat,
  bytes: Uint8Array,
): Float32Array<ArrayBuffer> => {
  const weights = new Float32Array((bytes.length / blockBytes) * blockWeights);
  for (let at = 0, start = bytes.byteOffset; at < weights.length; at += blockWeights) {
    decode(new DataView(bytes.buffer, start, blockBytes), weights, at);
    start += blockBytes;
  }
  return weights;
};
