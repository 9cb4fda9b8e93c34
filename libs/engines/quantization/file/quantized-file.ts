/** Writes a GGUF file with the metadata of another one and tensors in fewer bits. */
import {
  type FileSource,
  ggufValue,
  rewrittenFile,
  type WrittenTensor,
} from '../../language-model/gguf.writer.js';
import { type CodedTensor } from '../model/coded-tensor.js';

/** Of the encoders of llama.cpp, whose blocks these are. */
const QUANTIZATION_VERSION = 2;

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
    'general.quantization_version': ggufValue.u32(QUANTIZATION_VERSION),
  };
  const written = source.header.tensors.map(({ name: tensor, dimensions }): WrittenTensor => {
    const coded = tensors.get(tensor);
    if (coded === undefined) throw new RangeError(`the file has no ${tensor}`);
    return { name: tensor, dimensions, type: coded.type, bytes: coded.bytes };
  });
  return rewrittenFile(source, changes, written);
};
