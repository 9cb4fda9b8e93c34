import { type WrittenTensor } from '../language-model/gguf.writer.js';
import { type LlamaShape } from '../llama-layers/model/llama.header.js';
import { readableFormat } from '../llama-layers/formats/readable-formats.js';
import { reject } from './model-import.errors.js';

/** The tokens of a byte-level BPE, with llama.cpp's numbers of their types. */
export interface ReadVocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  readonly merges: readonly string[];
  readonly firstId: number | null;
  readonly endId: number;
  readonly paddingId: number | null;
  readonly addsFirst: boolean;
}

/** A model as a file of either format describes it. */
export interface ReadModel {
  readonly shape: LlamaShape;
  readonly vocabulary: ReadVocabulary;
  /** Jinja; null where the file has none. */
  readonly template: string | null;
  /** By llama.cpp's names and in its order of rows; vectors are in 32-bit floats. */
  readonly tensors: readonly WrittenTensor[];
}

/** Tensors are looked through in parts, so that no second copy of a large one is needed. */
const PART_BLOCKS = 16_384;

/** @throws ModelImportError `file_invalid` for a value that is not finite */
export const demandFinite = ({ name, type, bytes }: WrittenTensor): void => {
  const format = readableFormat(type);
  const step = PART_BLOCKS * (format?.blockBytes ?? 1);
  for (let at = 0; at < bytes.length; at += step) {
    const values = format?.read(bytes.subarray(at, at + step)) ?? new Float32Array();
    if (values.every(Number.isFinite)) continue;
    reject('file_invalid', `its tensor ${name} has a value that is not finite`);
  }
};
