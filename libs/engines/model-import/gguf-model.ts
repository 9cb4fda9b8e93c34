/** A GGUF file of an account: nothing of its header is believed before it is checked. */
import {
  GgufFormatError,
  type GgufHeader,
  type GgufTensorInfo,
  parseGgufHeader,
} from '../language-model/gguf.header.js';
import { type WrittenTensor } from '../language-model/gguf.writer.js';
import { bytesIn, FLOAT_32, readableFormat } from '../llama-layers/formats/readable-formats.js';
import { LayersError } from '../llama-layers/llama-layers.errors.js';
import { type LlamaHeader, llamaHeaderOf } from '../llama-layers/model/llama.header.js';
import { reject } from './model-import.errors.js';
import { demandFinite, type ReadModel, type ReadVocabulary } from './read-model.js';

/** @throws ModelImportError */
export const readGgufModel = ({ file }: { readonly file: Uint8Array }): ReadModel => {
  const gguf = headerIn(file);
  const header = llamaIn(gguf);
  const tensors = gguf.tensors.map((info) => tensorIn(file, gguf, info));
  demandApart(gguf, tensors, file.length);
  const template = gguf.metadata.get('tokenizer.chat_template') ?? null;
  return {
    shape: header.shape,
    vocabulary: vocabularyIn(gguf.metadata),
    template: typeof template === 'string' ? template : null,
    tensors,
  };
};

const headerIn = (file: Uint8Array): GgufHeader => {
  try {
    return parseGgufHeader(file);
  } catch (error) {
    if (error instanceof GgufFormatError) return reject('file_invalid', error.message);
    throw error;
  }
};

const llamaIn = (gguf: GgufHeader): LlamaHeader => {
  try {
    return llamaHeaderOf(gguf);
  } catch (error) {
    if (error instanceof LayersError) return reject('unsupported', error.message);
    throw error;
  }
};

/** Its shape and its type were checked by the header of the Llama. */
const tensorIn = (file: Uint8Array, gguf: GgufHeader, info: GgufTensorInfo): WrittenTensor => {
  const { name, dimensions, type, offset } = info;
  const format = readableFormat(type);
  if (format === undefined) return reject('unsupported', `its tensor ${name}`);
  const start = gguf.dataStart + offset;
  const end = start + bytesIn(format, dimensions);
  if (!Number.isSafeInteger(end) || end > file.length) {
    return reject('file_invalid', `its tensor ${name} is outside of the file`);
  }
  const stored = { name, dimensions, type, bytes: file.subarray(start, end) };
  demandFinite(stored);
  if (dimensions.length > 1) return stored;
  const { buffer } = format.read(stored.bytes);
  return { ...stored, type: FLOAT_32, bytes: new Uint8Array(buffer) };
};

/** Tensors are aligned and do not overlap, and nothing but their padding is between them. */
const demandApart = (
  { metadata, tensors, dataStart }: GgufHeader,
  written: readonly WrittenTensor[],
  fileBytes: number,
): void => {
  const alignment = Number(metadata.get('general.alignment') ?? 32);
  const places = tensors
    .map(({ name, offset, dimensions, type }) => {
      const format = readableFormat(type);
      return { name, offset, bytes: format === undefined ? 0 : bytesIn(format, dimensions) };
    })
    .sort((one, other) => one.offset - other.offset);
  let end = 0;
  for (const { name, offset, bytes } of places) {
    const next = Math.ceil(end / alignment) * alignment;
    if (offset !== next) {
      reject('file_invalid', `its tensor ${name} begins at ${offset}, not at ${next}`);
    }
    end = offset + bytes;
  }
  if (fileBytes - dataStart - end < alignment && written.length > 0) return;
  reject('file_invalid', 'bytes follow its last tensor');
};

/** @throws ModelImportError `unsupported` */
const vocabularyIn = (metadata: GgufHeader['metadata']): ReadVocabulary => {
  const key = (name: string): unknown => metadata.get(`tokenizer.ggml.${name}`);
  const kind = key('model');
  const pieces = key('pre') ?? 'gpt-2';
  if (kind !== 'gpt2' || pieces !== 'gpt-2') {
    const has = `its tokenizer is ${JSON.stringify(kind)}, cut as ${JSON.stringify(pieces)}`;
    return reject('unsupported', `${has}; byte-level BPE (gpt2, cut as gpt-2) is computed`);
  }
  const [tokens, merges] = [key('tokens'), key('merges')];
  if (!isTexts(tokens) || !isTexts(merges)) {
    return reject('file_invalid', 'it has no tokenizer.ggml.tokens and merges');
  }
  const types = key('token_type') ?? tokens.map(() => 1);
  if (!Array.isArray(types) || types.length !== tokens.length) {
    return reject('file_invalid', 'its tokenizer.ggml.token_type has another length');
  }
  const idOf = (name: string): number | null => {
    const id = key(name);
    return typeof id === 'number' ? id : null;
  };
  return {
    tokens,
    merges,
    types: types.map(Number),
    firstId: idOf('bos_token_id'),
    endId: idOf('eos_token_id') ?? reject('file_invalid', 'it has no eos_token_id'),
    paddingId: idOf('padding_token_id'),
    addsFirst: key('add_bos_token') === true,
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
