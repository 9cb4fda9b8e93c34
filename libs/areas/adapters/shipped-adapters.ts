import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ADAPTER_SETTINGS, type AdapterSettings } from './adapters.settings.js';
import { AdapterManifest, type ShippedCard } from './shipped-card.js';

const MANIFEST = 'manifest.json';

/** The adapters of `models/adapters`. The manifest is read for the first caller. */
@Injectable()
export class ShippedAdapters {
  #reading: Promise<AdapterManifest> | undefined;

  constructor(
    @Inject(ADAPTER_SETTINGS) private readonly settings: Pick<AdapterSettings, 'shippedFolder'>,
  ) {}

  /** @throws Error for a manifest that cannot be read; the next caller reads it again */
  manifest(): Promise<AdapterManifest> {
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  /** The weights. @throws Error for a file that is not the one of the card */
  async weights({ file, sha256 }: ShippedCard): Promise<Buffer> {
    const found = path.join(this.settings.shippedFolder, file);
    const weights = await readFile(found);
    if (createHash('sha256').update(weights).digest('hex') === sha256) return weights;
    throw new Error(`${found} is not the adapter that the manifest describes`);
  }

  async #read(): Promise<AdapterManifest> {
    const text = await readFile(path.join(this.settings.shippedFolder, MANIFEST), 'utf8');
    return AdapterManifest.parse(JSON.parse(text));
  }
}
