/** Writes a GGUF file with the metadata of another one and tensors in fewer bits. */
import {
  type FileSource,
  ggufValue,
  rewrittenFile,
  type WrittenTensor,
} from '../../language-model/gguf.writer.js';
import { type CodedTensor } from '../model/coded-tensor.js';

/** llama.cpp's numbers of files by the format of most of their weights. */
const FILE_TYPES: Readonly<Record<string, number>> = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q8_0: 7,
  Q5_0: 8,
  Q5_1: 9,
  BF16: 32,
  TQ1_0: 36,
  TQ2_0: 37,
};
/** Of the encoders of llama.cpp, whose blocks these are. */
const QUANTIZATION_VERSION = 2;

const fileTypeOf = (tensors: Iterable<CodedTensor>): number => {
  const weights = new Map<string, number>();
  for (const { format, restored } of tensors) {
    weights.set(format, (weights.get(format) ?? 0) + restored.length);
  }
  const [most] = [...weights].sort(([, one], [, other]) => other - one);
  return FILE_TYPES[most?.[0] ?? ''] ?? 0;
};

/**
 * The parts of the file in their order. Every entry of the metadata is copied as it is, but for the
 * name and the type of the file.
 * @param tensors by their names, in the order of the source
 */
export const quantizedFile = (
  source: FileSource,
  name: string,
  tensors: ReadonlyMap<string, CodedTensor>,
): readonly Uint8Array[] => {
  const changes = {
    'general.name': ggufValue.text(name),
    'general.file_type': ggufValue.u32(fileTypeOf(tensors.values())),
    'general.quantization_version': ggufValue.u32(QUANTIZATION_VERSION),
  };
  const written = source.header.tensors.map(({ name: tensor, dimensions }): WrittenTensor => {
    const coded = tensors.get(tensor);
    if (coded === undefined) throw new RangeError(`the file has no ${tensor}`);
    return { name: tensor, dimensions, type: coded.type, bytes: coded.bytes };
  });
  return rewrittenFile(source, changes, written);
};
