import { open, type FileHandle } from 'node:fs/promises';
import { ModelFileInvalidError } from '../../language-model/language-model.engine.errors.js';
import { LayersError } from '../llama-layers.errors.js';
import { EMBEDDING, layerTensors, type LlamaHeader, OUTPUT, OUTPUT_NORM } from './llama.header.js';
import { bytesIn, readableFormat } from '../formats/readable-formats.js';
import { type LayerRange } from './layer-range.js';

/** The memory of WebAssembly ends at 4 GiB; what is computed needs room beside the weights. */
export const RANGE_BYTES_MAX = 3 * 1_024 ** 3;

/** Tensors of a range by llama.cpp's names, row-major, in 32-bit floats. */
export type RangeWeights = ReadonlyMap<string, Float32Array<ArrayBuffer>>;

export const isFirst = ({ first }: LayerRange): boolean => first === 0;
export const isLast = ({ last }: LayerRange, { shape }: LlamaHeader): boolean =>
  last === shape.layers - 1;

/** The first range embeds tokens, the last one gives logits. */
const tensorsOf = (header: LlamaHeader, range: LayerRange): ReadonlySet<string> => {
  const names = new Set<string>();
  if (isFirst(range)) names.add(EMBEDDING);
  for (let layer = range.first; layer <= range.last; layer += 1) {
    for (const [name] of layerTensors(header.shape, layer)) names.add(name);
  }
  if (isLast(range, header)) {
    names.add(OUTPUT_NORM).add(header.shape.isTied ? EMBEDDING : OUTPUT);
  }
  return names;
};

/**
 * Reads the tensors of a range, and no others.
 * @throws ModelFileInvalidError for a file that is cut short; LayersError `model_too_large`
 */
export const readWeights = async (
  modelFile: string,
  header: LlamaHeader,
  range: LayerRange,
): Promise<RangeWeights> => {
  const infos = [...tensorsOf(header, range)].flatMap((name) => header.tensors.get(name) ?? []);
  const lengthOf = (dimensions: readonly number[]): number =>
    dimensions.reduce((product, side) => product * side, 1);
  const bytes = infos.reduce((sum, { dimensions }) => sum + 4 * lengthOf(dimensions), 0);
  if (bytes > RANGE_BYTES_MAX) {
    const detail = `layers ${range.first} to ${range.last} have ${bytes} bytes; more stages help`;
    throw new LayersError('model_too_large', detail);
  }
  await using file = await open(modelFile, 'r');
  const weights = new Map<string, Float32Array<ArrayBuffer>>();
  for (const { name, dimensions, type, offset } of infos) {
    const format = readableFormat(type);
    if (format === undefined) throw new RangeError(`the tensor ${name} has type ${type}`);
    const stored = new Uint8Array(bytesIn(format, dimensions));
    if (!(await fill(file, stored, header.dataStart + offset))) {
      throw new ModelFileInvalidError(modelFile, `its tensor ${name} is cut short`);
    }
    weights.set(name, format.read(stored));
  }
  return weights;
};

/** False at the end of the file. GGUF is little-endian, as every machine that Node runs on. */
const fill = async (file: FileHandle, bytes: Uint8Array, start: number): Promise<boolean> => {
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) return false;
    at += bytesRead;
  }
  return true;
};
