/** GGUF files with matrices in another format. */
import { readFile } from 'node:fs/promises';
import { parseGgufHeader } from '../../language-model/gguf.header.js';
import { rewrittenFile } from '../../language-model/gguf.writer.js';
import { type BlockFormat, encodeTensor } from './block-format.js';
import { bytesIn, readableFormat } from './readable-formats.js';

export interface MatrixFormat {
  readonly type: number;
  readonly encode: (weights: Float32Array) => Uint8Array;
}

export const HALF: MatrixFormat = {
  type: 1,
  encode: (weights) => new Uint8Array(new Float16Array(weights).buffer),
};

/** The upper half of each number, which is rounded towards zero. */
export const BRAIN: MatrixFormat = {
  type: 30,
  encode: (weights) => {
    const bits = new Uint32Array(new Float32Array(weights).buffer);
    return new Uint8Array(Uint16Array.from(bits, (one) => one >>> 16).buffer);
  },
};

export const inBlocks = (format: BlockFormat): MatrixFormat => ({
  type: format.type,
  encode: (weights) => encodeTensor(format, weights),
});

/** The file with the matrices of its layers, and its embedding, in the format. */
export const storedAs = async (
  modelFile: string,
  { type, encode }: MatrixFormat,
): Promise<Buffer> => {
  const file = await readFile(modelFile);
  const header = parseGgufHeader(file);
  const tensors = header.tensors.map((info) => {
    const format = readableFormat(info.type);
    if (!format) throw new Error(`${info.name} is not read`);
    const start = header.dataStart + info.offset;
    const bytes = file.subarray(start, start + bytesIn(format, info.dimensions));
    const isMatrix = info.dimensions.length === 2;
    return isMatrix ? { ...info, type, bytes: encode(format.read(bytes)) } : { ...info, bytes };
  });
  const start = file.subarray(0, header.dataStart);
  return Buffer.concat(rewrittenFile({ header, start }, {}, tensors));
};
