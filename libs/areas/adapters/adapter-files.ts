import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { createFolder } from '#platform/files/create-folder.js';
import { type FoundAdapter, type VaultEntry } from './adapter-vault.js';
import { reject } from './adapters.errors.js';
import { ADAPTER_SETTINGS, type AdapterSettings } from './adapters.settings.js';
import { type BaseModel } from './base-models.port.js';
import { LORA_TARGET_NAMES } from './lora/lora-adapter.js';
import { writeLoraGguf } from './lora/lora-gguf.js';
import { readPeftWeights } from './lora/peft-weights.js';

/** The rank is in the shapes of the weights. */
type Made = Pick<VaultEntry, 'sha256' | 'alpha' | 'baseSha256'>;

/**
 * Adapters as files for the engine, made on first use. A file is named after all that it is made
 * of, so it never changes; another process may write the same one meanwhile.
 */
@Injectable()
export class AdapterFiles {
  readonly #writing = new Map<string, Promise<string>>();

  constructor(
    @Inject(ADAPTER_SETTINGS) private readonly settings: Pick<AdapterSettings, 'engineFolder'>,
  ) {}

  /**
   * The absolute path of a GGUF file.
   * @throws DomainError `adapter_base_mismatch` for another base than the adapter was made for;
   *   `adapter_not_found` once its weights are gone
   */
  async fileOf(adapter: FoundAdapter, base: BaseModel): Promise<string> {
    const { baseSha256, slug } = adapter.entry;
    if (base.sha256 !== baseSha256) {
      const detail = `the adapter ${slug} was made for other weights than ${base.modelId} has`;
      return reject('adapter_base_mismatch', detail);
    }
    const file = this.#pathOf(adapter.entry);
    const writing = this.#writing.get(file) ?? this.#write(file, adapter, base);
    this.#writing.set(file, writing);
    return writing.finally(() => this.#writing.delete(file));
  }

  async remove(adapter: Made): Promise<void> {
    await rm(this.#pathOf(adapter), { force: true });
  }

  #pathOf({ sha256, alpha, baseSha256 }: Made): string {
    const name = createHash('sha256').update(`${sha256} ${alpha} ${baseSha256}`).digest('hex');
    return path.join(this.settings.engineFolder, `${name}.gguf`);
  }

  async #write(file: string, { entry, weights }: FoundAdapter, base: BaseModel): Promise<string> {
    if (await exists(file)) return file;
    const { rank, alpha } = entry;
    const config = { rank, alpha, targets: LORA_TARGET_NAMES };
    const adapter = readPeftWeights(await weights(), config, base);
    await createFolder(this.settings.engineFolder);
    const fresh = `${file}.${randomUUID()}`;
    await writeFile(fresh, writeLoraGguf(adapter, base));
    await rename(fresh, file);
    return file;
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
