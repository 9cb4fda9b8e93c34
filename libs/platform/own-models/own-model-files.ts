import { randomUUID } from 'node:crypto';
import { rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '#platform/files/create-folder.js';
import { tidy } from '#platform/tasks/borrowed-folder.js';
import { type OwnModel } from './own-model.decider.js';
import { type OwnModels } from './own-models.js';

/** Of all copies in the folder together; the longest unused ones go first. */
export const OWN_MODEL_COPIES_BYTES_MAX = 1_073_741_824;

/**
 * Models of accounts as files for the embedded engine, each written at its first use. A file is
 * named after its digest, so it never changes; another process may write the same one meanwhile.
 */
export class OwnModelFiles {
  readonly #writing = new Map<string, Promise<string>>();

  /** @param folder for the copies alone; an absolute path, which may be absent */
  constructor(
    private readonly models: Pick<OwnModels, 'fileOf'>,
    private readonly folder: string,
    private readonly bytesMax = OWN_MODEL_COPIES_BYTES_MAX,
  ) {}

  /** The absolute path of the model's GGUF file. @throws BlobError */
  async pathOf(model: OwnModel): Promise<string> {
    const file = path.join(this.folder, model.sha256);
    const writing = this.#writing.get(file) ?? this.#write(file, model);
    this.#writing.set(file, writing);
    return writing.finally(() => this.#writing.delete(file));
  }

  async #write(file: string, model: OwnModel): Promise<string> {
    if (await touched(file)) return file;
    const bytes = await this.models.fileOf(model);
    await createFolder(this.folder);
    const fresh = `${file}.${randomUUID()}`;
    await writeFile(fresh, bytes, { mode: 0o600 });
    await rename(fresh, file);
    const digests = [...this.#writing.keys()].map((one) => path.basename(one));
    await tidy(this.folder, this.bytesMax, new Set(digests));
    return file;
  }
}

/** Marks it as used. */
const touched = (file: string): Promise<boolean> => {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    () => false,
  );
};
