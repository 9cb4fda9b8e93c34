/** Descriptions of model files, without loading the models. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ModelFileInvalidError, ModelFileMissingError } from './language-model.engine.errors.js';
import { GgufFormatError, readGgufHeader, type GgufHeader } from './gguf.header.js';
import { parametersIn } from './parameters.js';

export interface ModelDescription {
  readonly name: string;
  readonly architecture: string;
  readonly parameters: number;
  /** Tokens the model was trained for. */
  readonly contextLength: number;
  /** Of the whole file, in lower-case hex. */
  readonly sha256: string;
}

/** By its code: errors of a test runner come from another realm, where `instanceof` fails. */
const isAbsent = (error: unknown): boolean => {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/**
 * A text that changes with the file, or null for an absent one.
 * @throws TypeError for a folder, a socket and the like
 */
export const versionOf = async (file: string): Promise<string | null> => {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new TypeError('it is not a file');
    return `${found.size}-${found.mtimeMs}`;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
};

/** The SHA-256 of a whole file, in lower-case hex. */
export const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
};

/** A text that changes with the file. @throws ModelFileMissingError, ModelFileInvalidError */
export const fileVersionOf = async (modelFile: string): Promise<string> => {
  const version = await versionOf(modelFile).catch((error: unknown) => {
    if (error instanceof TypeError) throw new ModelFileInvalidError(modelFile, error.message);
    throw error;
  });
  if (version === null) throw new ModelFileMissingError(modelFile);
  return version;
};

export const headerOf = async (modelFile: string): Promise<GgufHeader> => {
  try {
    return await readGgufHeader(modelFile);
  } catch (error) {
    if (error instanceof GgufFormatError) throw new ModelFileInvalidError(modelFile, error.message);
    throw error;
  }
};

/** @throws ModelFileInvalidError for a file of another kind */
export const checkHeader = async (modelFile: string): Promise<void> => {
  await headerOf(modelFile);
};

/** Reads the header and the whole file once; callers keep the result. */
export const describeModelFile = async (modelFile: string): Promise<ModelDescription> => {
  const { metadata, tensors } = await headerOf(modelFile);
  const architecture = metadata.get('general.architecture');
  if (typeof architecture !== 'string') {
    throw new ModelFileInvalidError(modelFile, 'it names no general.architecture');
  }
  const contextLength = metadata.get(`${architecture}.context_length`);
  if (typeof contextLength !== 'number') {
    throw new ModelFileInvalidError(modelFile, `it has no ${architecture}.context_length`);
  }
  const name = metadata.get('general.name');
  return {
    name: typeof name === 'string' ? name : path.basename(modelFile, '.gguf'),
    architecture,
    parameters: parametersIn(tensors),
    contextLength,
    sha256: await sha256Of(modelFile),
  };
};
