/** Descriptions of adapter files (LoRA in the GGUF format), without loading a model. */
import {
  AdapterFileInvalidError,
  AdapterFileMissingError,
} from './language-model.engine.errors.js';
import {
  GgufFormatError,
  type GgufHeader,
  type GgufTensorInfo,
  readGgufHeader,
} from './gguf.header.js';
import { sha256Of, versionOf } from './model-files.js';

export interface AdapterDescription {
  /** The architecture of the models that it fits, such as `llama`. */
  readonly architecture: string;
  /** The largest rank of its matrices. */
  readonly rank: number;
  /** The weights are multiplied by `alpha / rank`, and by the scale of a request. */
  readonly alpha: number;
  /** Of the whole file, in lower-case hex. */
  readonly sha256: string;
}

const LORA_A = '.lora_a';
const LORA_B = '.lora_b';

/** A text that changes with the file. @throws AdapterFileMissingError, AdapterFileInvalidError */
export const adapterVersionOf = async (adapterFile: string): Promise<string> => {
  const version = await versionOf(adapterFile).catch((error: unknown) => {
    if (error instanceof TypeError) throw new AdapterFileInvalidError(adapterFile, error.message);
    throw error;
  });
  if (version === null) throw new AdapterFileMissingError(adapterFile);
  return version;
};

/**
 * Reads the header and the whole file once; callers keep the result. Whether its shapes fit a model
 * is known when it is loaded.
 * @throws AdapterFileInvalidError
 */
export const describeAdapterFile = async (adapterFile: string): Promise<AdapterDescription> => {
  try {
    const header = await readGgufHeader(adapterFile);
    return { ...adapterIn(header), sha256: await sha256Of(adapterFile) };
  } catch (error) {
    if (!(error instanceof GgufFormatError)) throw error;
    throw new AdapterFileInvalidError(adapterFile, error.message);
  }
};

const adapterIn = ({ metadata, tensors }: GgufHeader): Omit<AdapterDescription, 'sha256'> => {
  if (metadata.get('general.type') !== 'adapter' || metadata.get('adapter.type') !== 'lora') {
    throw new GgufFormatError('it is no LoRA adapter');
  }
  const architecture = metadata.get('general.architecture');
  if (typeof architecture !== 'string') {
    throw new GgufFormatError('it names no general.architecture');
  }
  const alpha = metadata.get('adapter.lora.alpha');
  if (typeof alpha !== 'number') throw new GgufFormatError('it has no adapter.lora.alpha');
  const ranks = rankedPairs(tensors);
  if (ranks.length === 0) throw new GgufFormatError('it has no matrices');
  return { architecture, alpha, rank: Math.max(...ranks) };
};

/** The rank of each pair of matrices. A native loader is given whole pairs of one rank only. */
const rankedPairs = (tensors: readonly GgufTensorInfo[]): readonly number[] => {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  for (const { name, dimensions } of tensors) {
    if (dimensions.length !== 2 || dimensions.some((side) => side < 1)) {
      throw new GgufFormatError(`${name} is no matrix`);
    }
    const weight = name.replace(/\.lora_[ab]$/, '');
    if (weight === name) throw new GgufFormatError(`${name} is no matrix of a LoRA`);
    const missing = [LORA_A, LORA_B].find((part) => !byName.has(weight + part));
    if (missing) throw new GgufFormatError(`it has ${name} without ${weight}${missing}`);
  }
  return tensors.flatMap(({ name, dimensions: [, rank = 0] }) => {
    if (!name.endsWith(LORA_A)) return [];
    const pair = byName.get(name.slice(0, -LORA_A.length) + LORA_B);
    if (pair?.dimensions[0] === rank) return [rank];
    throw new GgufFormatError(`${name} and its pair are of different ranks`);
  });
};
