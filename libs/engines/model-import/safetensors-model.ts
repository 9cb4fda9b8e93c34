/** Safetensors of a Llama, with the `config.json` and the `tokenizer.json` that go with them. */
import {
  InvalidWeightsError,
  type ReadTensors,
  readTensors,
} from '#platform/safetensors/safetensors.js';
import { type WrittenTensor } from '../language-model/gguf.writer.js';
import { FLOAT_32 } from '../llama-layers/formats/readable-formats.js';
import { ggufName, reorderHeads } from '../training/files/gguf.js';
import { type LlamaShape, tensorShapes } from '../training/model/llama-shape.js';
import { readConfig } from './hugging-face/config.js';
import { readTokenizer } from './hugging-face/tokenizer.js';
import { reject } from './model-import.errors.js';
import { type ModelImportTask } from './model-import.protocol.js';
import { demandFinite, type ReadModel } from './read-model.js';

const OUTPUT = 'lm_head.weight';
/** A constant of the rotation, which older files have. */
const FREQUENCIES = /\.rotary_emb\.inv_freq$/;

const FORMATS = {
  F32: { type: FLOAT_32, bytesOf: (values: Float32Array) => bytesIn(values) },
  F16: { type: 1, bytesOf: (values: Float32Array) => bytesIn(new Float16Array(values)) },
  BF16: {
    type: 30,
    bytesOf: (values: Float32Array) =>
      bytesIn(Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16)),
  },
} as const;
type Format = keyof typeof FORMATS;

const bytesIn = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** @throws ModelImportError */
export const readSafetensorsModel = ({
  file,
  config,
  tokenizer,
}: Pick<ModelImportTask, 'file' | 'config' | 'tokenizer'>): ReadModel => {
  const tensors = tensorsIn(file);
  const asked = readConfig(config);
  const shape: LlamaShape = { ...asked.shape, hasOutput: tensors.has(OUTPUT) };
  const expected = new Map(tensorShapes(shape));
  for (const name of tensors.keys()) {
    if (expected.has(name) || FREQUENCIES.test(name)) continue;
    reject('unsupported', `its tensor ${name} has no place in a plain Llama`);
  }
  const written = [...expected].map(([name, sides]) => writtenIn(tensors, name, sides, shape));
  written.forEach(demandFinite);
  const { width, heads, keyHeads = heads, contextLength, ...rest } = shape;
  return {
    shape: {
      ...rest,
      width,
      heads,
      keyHeads,
      headWidth: width / heads,
      contextTokens: contextLength,
      isTied: !tensors.has(OUTPUT),
    },
    vocabulary: readTokenizer(tokenizer, asked),
    template: null,
    tensors: written,
  };
};

const tensorsIn = (file: Uint8Array): ReadTensors => {
  try {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    return readTensors(bytes, ['F32', 'F16', 'BF16']);
  } catch (error) {
    if (error instanceof InvalidWeightsError) return reject('file_invalid', error.message);
    throw error;
  }
};

/** Matrices keep their type; vectors are in 32-bit floats, as llama.cpp needs them. */
const writtenIn = (
  tensors: ReadTensors,
  name: string,
  sides: readonly number[],
  shape: LlamaShape,
): WrittenTensor => {
  const found = tensors.get(name);
  if (!found) return reject('file_invalid', `it has no tensor ${name}`);
  const { values, type } = found;
  if (!(values instanceof Float32Array) || found.shape.join() !== sides.join()) {
    const detail = `its tensor ${name} is ${found.shape.join(' x ')}, not ${sides.join(' x ')}`;
    return reject('file_invalid', detail);
  }
  const ordered = reorderHeads({ name, shape: sides, values }, shape, 'to-gguf');
  const format = FORMATS[sides.length > 1 ? (type as Format) : 'F32'];
  const bytes = format.bytesOf(ordered);
  return { name: ggufName(name), dimensions: sides.toReversed(), type: format.type, bytes };
};
