import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type OwnModelCard } from '#events/platform/own-model.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type OwnModel } from '#platform/own-models/own-model.decider.js';
import { OWN_MODEL_BYTES_MAX, OwnModels } from '#platform/own-models/own-models.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type ChatTemplate,
  type ModelImportEnd,
  type ModelImportTask,
} from './model-import.engine.js';
import { ModelReader } from './model-reader.js';
import { reject } from './models.errors.js';
import { priceClassOf } from './price-class.js';
import { type PricedModel, PricedModels } from './priced-models.port.js';
import { UploadedFiles } from './uploaded-files.port.js';

const MIB = 1_024 ** 2;
/** Of `config.json` and of `tokenizer.json`. */
const CONFIG_BYTES_MAX = MIB;
const TOKENIZER_BYTES_MAX = 32 * MIB;

/** The files of a model: ids of files of the account, or their content. */
export interface ModelFiles<Part> {
  readonly file: Part;
  /** Null for GGUF, which has its own. */
  readonly config: Part | null;
  readonly tokenizer: Part | null;
}

export interface ModelImportOrder {
  readonly accountId: string;
  readonly slug: string;
  readonly files: ModelFiles<string | Uint8Array>;
  readonly card: OwnModelCard;
  /** Null: the length of the file. */
  readonly contextTokens: number | null;
  readonly chatTemplate: ChatTemplate | null;
  /** The models that it is priced by, where this process serves no catalog; null: its catalog's. */
  readonly priced: readonly PricedModel[] | null;
}

export interface ImportedModel {
  readonly model: OwnModel;
  readonly tensorFormats: readonly string[];
  readonly chatTemplate: ChatTemplate;
}

/** Makes a model of the account of files that it brings. */
export class ImportModelCommand extends Command<ImportedModel> {
  constructor(
    readonly order: ModelImportOrder,
    readonly signal: AbortSignal,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ImportModelCommand)
export class ImportModelHandler implements ICommandHandler<ImportModelCommand> {
  constructor(
    private readonly files: UploadedFiles,
    private readonly reader: ModelReader,
    private readonly priced: PricedModels,
    private readonly own: OwnModels,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError of the area; `own_model_name_taken`, `own_model_limit_reached`,
   *   `own_model_too_large`, `file_storage_full`; ModelImportFailure; the reason of the signal
   */
  async execute({ order, signal, context }: ImportModelCommand): Promise<ImportedModel> {
    const { accountId, slug, card } = order;
    this.own.demandRoom(accountId, slug, context.requestId);
    const bytesLeft = await this.files.bytesLeft(accountId);
    const models = order.priced ?? (await this.priced.list());
    const load = () => this.#taskOf(order);
    const { task, end } = await this.reader.read(accountId, load, signal);
    demandTokenizer(card, end, models);
    if (end.file.length > bytesLeft) {
      const detail = `the model has ${end.file.length} bytes, and ${bytesLeft} are left`;
      return reject('uploaded_model_storage_full', detail);
    }
    const { pricedAs, ...terms } = priceClassOf(end.parameters, models);
    const { contextTokens, parameters, format, tensorFormats, chatTemplate } = end;
    const uploadedSha256 = sha256Of(task.file);
    const model = await this.own.register(
      {
        ...terms,
        accountId,
        slug,
        origin: { kind: 'upload', format, uploadedSha256, card, pricedAs },
        sha256: sha256Of(end.file),
        parameters,
        contextTokens,
        maxOutputTokens: Math.min(terms.maxOutputTokens, contextTokens),
        registeredAt: instant(this.clock),
      },
      end.file,
      context,
    );
    return { model, tensorFormats, chatTemplate };
  }

  async #taskOf(order: ModelImportOrder): Promise<ModelImportTask> {
    const { accountId, files, card, contextTokens, chatTemplate } = order;
    const contentOf = async (
      field: string,
      part: string | Uint8Array,
      bytesMax: number,
    ): Promise<Uint8Array> => {
      const isId = typeof part === 'string';
      const content = isId ? await this.files.read(accountId, part, bytesMax) : part;
      if (content === null) {
        return reject('uploaded_model_file_unknown', `${field}: there is no file ${String(part)}`);
      }
      if (content !== 'too_large' && content.length <= bytesMax) return content;
      return reject('uploaded_model_too_large', `${field}: expected at most ${bytesMax} bytes`);
    };
    const textOf = async (field: string, part: string | Uint8Array | null, bytesMax: number) =>
      part === null ? null : new TextDecoder().decode(await contentOf(field, part, bytesMax));
    const { name, licence, source } = card;
    return {
      file: await contentOf('file', files.file, OWN_MODEL_BYTES_MAX),
      config: await textOf('config_file', files.config, CONFIG_BYTES_MAX),
      tokenizer: await textOf('tokenizer_file', files.tokenizer, TOKENIZER_BYTES_MAX),
      name,
      licence,
      source,
      contextTokens,
      chatTemplate,
    };
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The card's claim is checked. */
const demandTokenizer = (
  { baseTokenizer }: OwnModelCard,
  { vocabulary }: ModelImportEnd,
  models: readonly PricedModel[],
): void => {
  if (baseTokenizer === null) return;
  const base = models.find(({ name }) => name === baseTokenizer);
  if (base?.vocabulary === vocabulary) return;
  const detail = base
    ? `the model has other tokens than ${baseTokenizer}`
    : `the catalog has no model ${baseTokenizer} with weights here`;
  reject('uploaded_model_vocabulary_mismatch', `card.base_tokenizer: ${detail}`);
};
