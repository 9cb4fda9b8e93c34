import { Injectable } from '@nestjs/common';
import { AdapterFiles } from './adapter-files.js';
import { AdapterVault } from './adapter-vault.js';
import { BaseModels } from './base-models.port.js';

/** An adapter as the engine takes it. */
export interface PlacedAdapter {
  /** Absolute path of a GGUF file. */
  readonly file: string;
  readonly scale: number;
}

/** For the areas that run models: the file of an adapter that an account may use. */
@Injectable()
export class PlacedAdapters {
  constructor(
    private readonly vault: AdapterVault,
    private readonly bases: BaseModels,
    private readonly files: AdapterFiles,
  ) {}

  /**
   * @param asked id or slug
   * @throws DomainError `adapter_not_found`, `adapter_base_unknown`, `adapter_base_unsuitable`,
   *   `adapter_base_mismatch`
   */
  async place(accountId: string, asked: string, modelId: string): Promise<PlacedAdapter> {
    const adapter = await this.vault.find(accountId, asked);
    const base = await this.bases.find(modelId);
    return { file: await this.files.fileOf(adapter, base), scale: 1 };
  }
}
