/** Descriptions of adapter files (LoRA in the GGUF format), without loading a model. */
import {
  AdapterFileInvalidError,
  AdapterFileMissingError,
} from './language-model.engine.errors.js';
import { GgufFormatError, type GgufHeader, readGgufHeader } from './gguf.header.js';
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
  const names = new Set(tensors.map(({ name }) => name));
  const ranks = tensors
    .filter(({ name }) => name.endsWith(LORA_A))
    .map(({ name, dimensions: [, rank = 1] }) => {
      const pair = name.slice(0, -LORA_A.length) + LORA_B;
      if (!names.has(pair)) throw new GgufFormatError(`it has ${name} without ${pair}`);
      return rank;
    });
  if (ranks.length === 0) throw new GgufFormatError('it has no matrices');
  return { architecture, alpha, rank: Math.max(...ranks) };
};
