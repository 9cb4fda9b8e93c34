import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describeModelFile, fileVersionOf } from '../language-model/model-files.js';
import { EmbeddingEngineError } from './embeddings.errors.js';
import { cardBeside, WEIGHTS_FILE } from './lexical/lexical-weights.js';

/** Of the lexical models in a folder of models. */
const LEXICAL_FOLDER = 'embeddings';

const digests = new Map<string, { readonly version: string; readonly sha256: Promise<string> }>();

/** A card states the digest of its weights, which are checked against it when they are loaded. */
const digestOf = async (file: string): Promise<string> =>
  file.endsWith('.gguf')
    ? (await describeModelFile(file)).sha256
    : (await cardBeside(file)).weightsSha256;

/** Lower-case hex of the whole file; remembered until the file changes. */
export const sha256Of = async (file: string): Promise<string> => {
  const version = await fileVersionOf(file);
  const known = digests.get(file);
  if (known?.version === version) return known.sha256;
  const sha256 = digestOf(file);
  digests.set(file, { version, sha256 });
  sha256.catch(() => digests.delete(file));
  return sha256;
};

const namesIn = async (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch(() => []);

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const gguf = (await namesIn(folder)).filter((name) => name.endsWith('.gguf'));
  const lexical = await namesIn(path.join(folder, LEXICAL_FOLDER));
  return [
    ...lexical.map((name) => path.join(folder, LEXICAL_FOLDER, name, WEIGHTS_FILE)),
    ...gguf.map((name) => path.join(folder, name)),
  ];
};

/** Finds this machine's copy of an embedding model by the SHA-256 of its file. */
export class ModelFiles {
  #files: ReadonlyMap<string, string> = new Map();

  /** @param folders absolute paths; an absent folder holds no models */
  constructor(private readonly folders: readonly string[]) {}

  get count(): number {
    return this.#files.size;
  }

  /** Reads every file that is new or has changed. */
  async scan(): Promise<void> {
    const found = new Map<string, string>();
    for (const file of (await Promise.all(this.folders.map(filesIn))).flat()) {
      const sha256 = await sha256Of(file).catch(() => null);
      if (sha256 !== null) found.set(sha256, file);
    }
    this.#files = found;
  }

  /** Scans again for an unknown one. @throws EmbeddingEngineError `model_file_missing` */
  async fileOf(sha256: string): Promise<string> {
    if (!this.#files.has(sha256)) await this.scan();
    const file = this.#files.get(sha256);
    if (file !== undefined) return file;
    const message = `no model file here has the SHA-256 ${sha256}`;
    throw new EmbeddingEngineError('model_file_missing', message);
  }
}
