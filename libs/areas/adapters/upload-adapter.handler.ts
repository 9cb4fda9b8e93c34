import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AdapterSlug } from '#events/adapters/adapter.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AdapterVault, uploadedEntry, type VaultEntry } from './adapter-vault.js';
import { reject } from './adapters.errors.js';
import { ADAPTER_SETTINGS, type AdapterSettings } from './adapters.settings.js';
import { type BaseModel, BaseModels } from './base-models.port.js';
import { readPeftConfig } from './lora/peft-config.js';
import { readPeftWeights } from './lora/peft-weights.js';
import { StoredAdapters } from './stored-adapters.js';

/** The two files of an adapter as `peft` saves them, and what the vault shows of it. */
export interface AdapterFilesToUpload {
  readonly slug: string;
  readonly category: string;
  /** The id of a model of the catalog; or that model, where this process serves no catalog. */
  readonly baseModel: string | BaseModel;
  /** `adapter_config.json`. */
  readonly config: string;
  /** `adapter_model.safetensors`. */
  readonly weights: Buffer;
}

/** Stores an adapter, once it is shown to fit the model. */
export class UploadAdapterCommand extends Command<VaultEntry> {
  constructor(
    readonly owner: { readonly accountId: string; readonly userId: UserId },
    readonly upload: AdapterFilesToUpload,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(UploadAdapterCommand)
export class UploadAdapterHandler implements ICommandHandler<UploadAdapterCommand> {
  constructor(
    private readonly vault: AdapterVault,
    private readonly bases: BaseModels,
    private readonly stored: StoredAdapters,
    @Inject(ADAPTER_SETTINGS) private readonly settings: AdapterSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ owner, upload, context }: UploadAdapterCommand): Promise<VaultEntry> {
    const { weights } = upload;
    const { bytesMax, adaptersMax } = this.settings;
    const slug = wordOf('slug', upload.slug);
    const category = wordOf('category', upload.category);
    if (weights.length > bytesMax) {
      reject('adapter_too_large', `adapter_model.safetensors has more than ${bytesMax} bytes`);
    }
    await this.#demandFree(slug);
    const { baseModel } = upload;
    const base = typeof baseModel === 'string' ? await this.bases.find(baseModel) : baseModel;
    const config = readPeftConfig(upload.config);
    readPeftWeights(weights, config, base);
    const adapter = {
      ...owner,
      slug,
      category,
      baseModel: base.modelId,
      baseSha256: base.sha256,
      rank: config.rank,
      alpha: config.alpha,
      bytes: weights.length,
      sha256: createHash('sha256').update(weights).digest('hex'),
      uploadedAt: instant(this.clock),
    };
    return uploadedEntry(await this.stored.upload(adapter, weights, adaptersMax, context));
  }

  async #demandFree(slug: string): Promise<void> {
    const shipped = await this.vault.shippedEntries();
    if (!shipped.some((one) => one.slug === slug)) return;
    reject('adapter_slug_taken', `the slug ${slug} belongs to an adapter that ships with Quipu`);
  }
}

const wordOf = (field: string, text: string): string =>
  AdapterSlug.safeParse(text).success
    ? text
    : reject('adapter_form_invalid', `${field}: is 1 to 64 of a-z, 0-9 and hyphens inside`);
