import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ADAPTER_SETTINGS, type AdapterSettings } from './adapters.settings.js';
import { AdapterManifest, type ShippedCard } from './shipped-card.js';

const MANIFEST = 'manifest.json';

interface Shipped {
  readonly folder: string;
  readonly manifest: AdapterManifest;
}

/** The adapters of `models/adapters`. The manifest is read for the first caller. */
@Injectable()
export class ShippedAdapters {
  #reading: Promise<Shipped | null> | undefined;

  constructor(
    @Inject(ADAPTER_SETTINGS) private readonly settings: Pick<AdapterSettings, 'shippedFolders'>,
  ) {}

  /**
   * Null for an installation without any.
   * @throws Error for a manifest that cannot be read; the next caller reads it again
   */
  async manifest(): Promise<AdapterManifest | null> {
    return (await this.#shipped())?.manifest ?? null;
  }

  /** The weights. @throws Error for a file that is not the one of the card */
  async weights({ file, sha256 }: ShippedCard): Promise<Buffer> {
    const found = path.join((await this.#shipped())?.folder ?? '', file);
    const weights = await readFile(found);
    if (createHash('sha256').update(weights).digest('hex') === sha256) return weights;
    throw new Error(`${found} is not the adapter that the manifest describes`);
  }

  #shipped(): Promise<Shipped | null> {
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  async #read(): Promise<Shipped | null> {
    for (const folder of this.settings.shippedFolders) {
      const text = await textOf(path.join(folder, MANIFEST));
      if (text !== null) return { folder, manifest: AdapterManifest.parse(JSON.parse(text)) };
    }
    return null;
  }
}

/** Null for a file that is not there. */
const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (Error.isError(error) && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
