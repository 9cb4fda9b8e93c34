import { type Logger } from 'pino';
import {
  type OwnModelEvent,
  ownModelEvents,
  OwnModelRegistered,
  OwnModelRemoved,
} from '#events/platform/own-model.events.js';
import { type BlobRef, type Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { blobOwnerOf } from '#platform/jobs/job-blobs.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LogRunner } from '#platform/runtime/subscriptions/log-runner.js';
import { PollingRunner } from '#platform/runtime/subscriptions/polling-runner.js';
import { type SubscriptionHandler } from '#platform/runtime/subscriptions/subscription-handler.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import {
  type AccountModels,
  nameOf,
  type OwnModel,
  type OwnModelCommand,
  ownModelDecider,
  reject,
} from './own-model.decider.js';

/** Models that an account may have at once. */
export const OWN_MODELS_MAX = 20;
/** A worker copies no larger file from the process that asks. */
export const OWN_MODEL_BYTES_MAX = 64 * 1_024 * 1_024;

const REACH_TIMEOUT_MS = 10_000;

/** Without the fields that storing adds. */
export type NewOwnModel = Omit<OwnModel, 'modelId' | 'blob' | 'bytes'>;

export interface OwnModelsOptions {
  readonly eventStore: EventStore;
  readonly codec: EventCodec;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Interval of asking the log for changes, instead of subscribing to all of it. */
  readonly pollMs?: number;
}

/**
 * The models that belong to accounts: events of their account, and their files as sealed blobs.
 * Where it was started, every model is in memory and updated from the log, so a lookup does not
 * wait.
 */
export class OwnModels {
  readonly #commands: CommandRunner<OwnModelCommand, AccountModels, OwnModelEvent>;
  readonly #codec: CodecOf<OwnModelEvent>;
  readonly #log: LogRunner;
  readonly #byName = new Map<string, OwnModel>();
  #position: Position | undefined;
  #isStarted = false;

  constructor(private readonly options: OwnModelsOptions) {
    const { eventStore, codec, clock, logger, pollMs } = options;
    this.#codec = codec.for(ownModelEvents);
    const decider = ownModelDecider;
    this.#commands = new CommandRunner({ decider, eventStore, codec: this.#codec });
    const handler: SubscriptionHandler = {
      name: 'platform.own-models',
      types: [OwnModelRegistered.type, OwnModelRemoved.type],
      checkpoint: () => Promise.resolve(this.#position),
      // eslint-disable-next-line @typescript-eslint/require-await -- exceptions must reject
      handle: async (batch) => this.#fold(batch),
    };
    this.#log =
      pollMs === undefined
        ? new SubscriptionRunner(handler, eventStore, clock, logger)
        : new PollingRunner(handler, eventStore, pollMs, logger);
  }

  start(): void {
    this.#isStarted = true;
    this.#log.start();
  }

  async stop(): Promise<void> {
    await this.#log.stop();
  }

  /** By `{owner}/{slug}`; undefined for the model of another account. */
  find(name: string, accountId: string): OwnModel | undefined {
    const model = this.#byName.get(name);
    return model?.accountId === accountId ? model : undefined;
  }

  /** Of any account: for rigs and prices, behind the admission of a request. */
  ofName(name: string): OwnModel | undefined {
    return this.#byName.get(name);
  }

  /** In the order of their registration. */
  ofAccount(accountId: string): readonly OwnModel[] {
    return [...this.#byName.values()].filter((model) => model.accountId === accountId);
  }

  /** The bytes of the files of an account. */
  bytesOf(accountId: string): number {
    return this.ofAccount(accountId).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * For work that will register a model: rejects now what would be rejected at its end.
   * @throws DomainError `own_model_name_taken`, unless the model is of the same job or request;
   *   `own_model_limit_reached`
   */
  demandRoom(accountId: string, slug: string, jobId: string): void {
    const present = this.ofAccount(accountId);
    const namesake = present.find((model) => model.slug === slug);
    if (namesake?.modelId === modelIdOf(jobId)) return;
    if (namesake) reject('own_model_name_taken', `the account has a model ${nameOf(namesake)}`);
    if (present.length < OWN_MODELS_MAX) return;
    const detail = `an account has at most ${OWN_MODELS_MAX} models of its own; delete one first`;
    reject('own_model_limit_reached', detail);
  }

  /** The rate of a model is fixed; undefined for an unknown one. */
  rateOf(name: string): TokenRate | undefined {
    const model = this.#byName.get(name);
    if (!model) return undefined;
    const { price, rateCardVersion: version, batchDiscountPercent } = model;
    return { ...price, version, batchDiscountPercent };
  }

  /**
   * The file comes first, then the event, then the reference: a crash in between leaves content
   * that a sweep collects, or an event whose content the saga retains. A repeated request is the
   * same model.
   * @throws DomainError `own_model_name_taken`, `own_model_limit_reached`, `own_model_too_large`
   */
  async register(model: NewOwnModel, file: Uint8Array, context: CommandContext): Promise<OwnModel> {
    const { accountId } = model;
    if (file.length > OWN_MODEL_BYTES_MAX) {
      const detail = `the file has ${file.length} bytes; at most ${OWN_MODEL_BYTES_MAX} are served`;
      return reject('own_model_too_large', detail);
    }
    const owner = blobOwnerOf(accountId);
    const { address: blob } = await this.options.blobs.put(inOnePiece(file), { owner });
    const modelId = modelIdOf(context.requestId);
    const registered = { ...model, modelId, blob, bytes: file.length };
    const data = { model: registered, modelsMax: OWN_MODELS_MAX };
    const { state, position } = await this.#commands.run(
      streamOf(accountId),
      { type: 'RegisterOwnModel', data },
      context,
    );
    const present = state.present.get(modelId);
    if (!present) return reject('own_model_not_found', `the model ${nameOf(model)} was deleted`);
    await this.options.blobs.retain(refOf(present), holderOf(modelId));
    await this.#reach(position);
    return present;
  }

  /** @throws DomainError `own_model_not_found`, also for the model of another account */
  async remove(
    accountId: string,
    name: string,
    removedAt: string,
    context: CommandContext,
  ): Promise<void> {
    const prefix = `${accountId}/`;
    const slug = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const { events, position } = await this.#commands.run(
      streamOf(accountId),
      { type: 'RemoveOwnModel', data: { slug, removedAt } },
      context,
    );
    for (const { data } of events) await this.settleContent(accountId, data.modelId);
    await this.#reach(position);
  }

  /** Retains the file of a model that is present, and releases the file of a removed one. */
  async settleContent(accountId: string, modelId: string): Promise<void> {
    const { state } = await this.#commands.stateOf(streamOf(accountId));
    const [present, removed] = [state.present.get(modelId), state.removed.get(modelId)];
    const { blobs } = this.options;
    if (present) await blobs.retainOrReport(refOf(present), holderOf(modelId));
    else if (removed) await blobs.release(refOf(removed), holderOf(modelId));
  }

  /** The bytes of the GGUF file. @throws BlobError */
  async fileOf(model: OwnModel): Promise<Buffer> {
    const { content } = await this.options.blobs.open(refOf(model));
    return Buffer.concat(await Array.fromAsync(content));
  }

  async #reach(position: Position): Promise<void> {
    if (this.#isStarted) await this.#log.reach(position, REACH_TIMEOUT_MS);
  }

  #fold({ events, position }: SubscriptionBatch): void {
    for (const recorded of events) {
      const { type, data } = this.#codec.revive(recorded);
      if (type === 'OwnModelRegistered') this.#byName.set(nameOf(data), data);
      else this.#byName.delete(nameOf(data));
    }
    this.#position = position;
  }
}

/** The id of the request is the id of the job, where a job made the model. */
const modelIdOf = (requestId: string): string =>
  `model-${derivedId('own-model', requestId).replaceAll('-', '')}`;

const streamOf = (accountId: string): string => `ownmodels-${accountId}`;

const refOf = ({ accountId, blob }: OwnModel): BlobRef => ({
  address: blob,
  owner: blobOwnerOf(accountId),
});

const holderOf = (modelId: string): string => `own-model:${modelId}`;
