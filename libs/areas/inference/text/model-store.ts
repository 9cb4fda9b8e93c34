import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** No file of this machine has the SHA-256 that was asked for. */
export class FileMissingError extends Error {
  override readonly name = 'FileMissingError';
  readonly code: 'model_file_missing' | 'adapter_file_missing';

  constructor(kind: FileKind, sha256: string, options: ErrorOptions = {}) {
    super(`no ${kind} file here has the SHA-256 ${sha256}`, options);
    this.code = `${kind}_file_missing`;
  }
}

export type FileKind = 'model' | 'adapter';

/** Lower-case hex of the whole file; rejects for a file that is absent or of another kind. */
export type Sha256Of = (modelFile: string) => Promise<string>;

/** Finds this machine's copy of a model, or of an adapter, by the SHA-256 of its file. */
export class ModelStore {
  #files: ReadonlyMap<string, string> = new Map();
  #scanning: Promise<void> | undefined;

  /**
   * @param sha256Of remembers a file until it changes
   * @param folders absolute paths; an absent folder holds no files
   */
  constructor(
    private readonly kind: FileKind,
    private readonly sha256Of: Sha256Of,
    private readonly folders: readonly string[],
  ) {}

  get count(): number {
    return this.#files.size;
  }

  /** In the order of the names of their files. */
  models(): readonly { readonly name: string; readonly sha256: string }[] {
    return [...this.#files]
      .map(([sha256, file]) => ({ name: path.basename(file, '.gguf'), sha256 }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Reads every file that is new or has changed. */
  scan(): Promise<void> {
    this.#scanning ??= this.#scan().finally(() => (this.#scanning = undefined));
    return this.#scanning;
  }

  /**
   * The absolute path of the file; scans again for an unknown one.
   * @throws FileMissingError
   */
  async fileOf(sha256: string): Promise<string> {
    const known = this.#files.get(sha256);
    if (known !== undefined && (await this.#sha256Of(known)) === sha256) return known;
    await this.scan();
    const found = this.#files.get(sha256);
    if (found !== undefined) return found;
    throw new FileMissingError(this.kind, sha256);
  }

  async #scan(): Promise<void> {
    const found = new Map<string, string>();
    for (const folder of this.folders) {
      for (const file of await ggufFilesIn(folder)) {
        const sha256 = await this.#sha256Of(file);
        if (sha256 !== null) found.set(sha256, file);
      }
    }
    this.#files = found;
  }

  /** Null for a file that is absent or of another kind. */
  #sha256Of(file: string): Promise<string | null> {
    return this.sha256Of(file).catch(() => null);
  }
}

const ggufFilesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.gguf'))
    .map(({ name }) => path.join(folder, name))
    .sort();
};
