import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Logger } from 'pino';
import { type TokenRate } from '#platform/chats/token-tariff.js';
import { createFolder } from '#platform/files/create-folder.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { type CatalogModel, type CatalogRig } from './catalog-entry.js';
import { CatalogError } from './catalog.error.js';
import { parseCatalog } from './catalog.parser.js';
import { type CatalogSettings } from './catalog.settings.js';
import { type FolderWatch, watchFolder } from './folder-watch.js';
import { CHAT_KIND, type LocalModelKinds } from './local-model-kinds.port.js';
import { ggufFilesIn, type LocalFile, type Offer, withLocalModels } from './local-models.js';
import { mediaRulesOf } from './media-rules-of.js';
import { PublishRateCardCommand, type RateCardReceipt } from './publish-rate-card.handler.js';
import { type PriceList, type ProposedFrom, sameTokenPrice } from './rate-card.decider.js';
import { type RateCard, type RateCards } from './rate-cards.js';

/** Quiet time after the last change of a file, before it is read. */
const QUIET_MS = 100;
/** Pause before a valid file is tried again whose prices could not be published. */
const RETRY_MS = 5_000;
/** Time for this process to read the file that another one has published. */
const OVERRULED_MS = 5_000;

/** For health and metrics. */
export interface CatalogStatus {
  readonly file: string;
  /** Of the file that is served; null before `start`. */
  readonly sha256: string | null;
  /** ISO 8601 UTC; null before `start`. */
  readonly loadedAt: string | null;
  /** Why the current file is not the one that is served, or why changes are not noticed. */
  readonly failure: string | null;
  /** A sentence for each local file that is not served. */
  readonly problems: readonly string[];
  /** How the rate card that another process published differs from the file, or null. */
  readonly overruled: string | null;
}

/** The part of Nest's `CommandBus` that the service needs. */
export interface RateCardPublisher {
  execute(command: PublishRateCardCommand): Promise<RateCardReceipt>;
}

export type CatalogListener = (catalog: Catalog) => void;

interface Loaded {
  readonly fingerprint: string;
  readonly sha256: string;
  readonly loadedAt: string;
  readonly rigs: readonly CatalogRig[];
  /** Of the file. */
  readonly models: readonly CatalogModel[];
  readonly problems: readonly string[];
}

/** The models of the file that the newest rate card prices. */
interface Served {
  readonly models: readonly CatalogModel[];
  readonly modelsById: ReadonlyMap<string, CatalogModel>;
  /** How that card differs from the file, or null. */
  readonly overruled: string | null;
}

interface PublishOptions {
  readonly proposedFrom?: ProposedFrom;
  /** Default: of the system. */
  readonly context?: CommandContext;
}

const NOTHING: Served = { models: [], modelsById: new Map(), overruled: null };

/**
 * The models that are served, their rigs and prices. The file is read at `start` and whenever it
 * changes. Its prices are published before its models are served, so every model has a rate. An
 * invalid file stops `start`; later it is logged and reported, and the old catalog stays. The rate
 * card that any process published last is in force in all: a model that it does not price is not
 * served until this process publishes its file again.
 */
export class Catalog {
  #loaded: Loaded | undefined;
  #served = NOTHING;
  #overruled: NodeJS.Timeout | undefined;
  /** The next card may come from a file that is not served yet. */
  #isPublishing = false;
  #failure: string | null = null;
  #watchFailure: string | null = null;
  #reading: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #watches: readonly FolderWatch[] = [];
  readonly #listeners = new Set<CatalogListener>();

  constructor(
    private readonly settings: CatalogSettings,
    private readonly publisher: RateCardPublisher,
    private readonly rateCards: RateCards,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly kinds?: LocalModelKinds,
  ) {}

  /**
   * Reads the file, publishes its prices and watches it from then on.
   * @throws CatalogError; EventStoreError
   */
  async start(): Promise<void> {
    await createFolder(this.settings.localModelsFolder);
    this.rateCards.start(() => {
      if (!this.#isPublishing) this.#serve();
    });
    // The watch starts before the first read, so a change in between is read, too.
    this.#watches = this.#watch();
    const first = this.#read();
    this.#reading = first.catch(() => undefined);
    try {
      await first;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    this.#watches = [];
    await this.#reading;
    clearTimeout(this.#retry);
    clearTimeout(this.#overruled);
    await this.rateCards.stop();
  }

  /**
   * Reads the file now, and publishes its prices unless they are in force. Never rejects: problems
   * are logged and shown in `status`.
   */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOrKeep());
    return this.#reading;
  }

  /** In the order of the file, local models last. */
  models(): readonly CatalogModel[] {
    return this.#served.models;
  }

  model(id: string): CatalogModel | undefined {
    return this.#served.modelsById.get(id);
  }

  /** The id of a model, by that id or by the name that its upstream has for it. */
  idOf(name: string): string | undefined {
    if (this.#served.modelsById.has(name)) return name;
    return this.#served.models.find(({ upstreamId }) => upstreamId === name)?.id;
  }

  rigs(): readonly CatalogRig[] {
    return this.#loaded?.rigs ?? [];
  }

  /** The rate in force at an instant; undefined for a model that was not on sale then. */
  rateFor(modelId: string, atEpochMs: number): TokenRate | undefined {
    return this.rateCards.rateFor(modelId, atEpochMs);
  }

  /** Calls back after each reading that changed something; returns the unsubscribe function. */
  onChange(listener: CatalogListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  status(): CatalogStatus {
    return {
      file: this.settings.catalogFile,
      sha256: this.#loaded?.sha256 ?? null,
      loadedAt: this.#loaded?.loadedAt ?? null,
      failure: this.#failure ?? this.#watchFailure ?? this.rateCards.failure(),
      problems: this.#loaded?.problems ?? [],
      overruled: this.#served.overruled,
    };
  }

  async #readOrKeep(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      await this.#read();
      this.#failure = null;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      this.logger.error({ err: error }, 'the catalog could not be read; the old one stays');
      if (error instanceof CatalogError) return;
      this.#retry = setTimeout(() => void this.reload(), RETRY_MS).unref();
    }
  }

  /**
   * Publishes the prices of a text that becomes the file next. Its models are served when the file
   * is read again.
   * @throws CatalogError
   */
  async publishPrices(
    source: string,
    proposedFrom: ProposedFrom,
    context?: CommandContext,
  ): Promise<RateCardReceipt> {
    const { catalogFile, localModelsFolder } = this.settings;
    const files = await this.#withKinds(await ggufFilesIn(localModelsFolder));
    const offer = withLocalModels(parseCatalog(source, catalogFile), files);
    return this.#publish(offer, sha256Of(source), { proposedFrom, ...(context && { context }) });
  }

  async #read(): Promise<void> {
    const { catalogFile, localModelsFolder } = this.settings;
    const source = await readSource(catalogFile);
    const localFiles = await ggufFilesIn(localModelsFolder);
    const sha256 = sha256Of(source);
    const fingerprint = [sha256, ...localFiles].join('\n');
    const isInForce = this.#served.overruled === null;
    if (fingerprint === this.#loaded?.fingerprint && isInForce) return;
    const files = await this.#withKinds(localFiles);
    const offer = withLocalModels(parseCatalog(source, catalogFile), files);
    this.#isPublishing = true;
    try {
      const { position } = await this.#publish(offer, sha256);
      await this.rateCards.reach(position);
      this.#install(offer, sha256, fingerprint);
    } finally {
      this.#isPublishing = false;
      this.#serve();
    }
  }

  #withKinds(paths: readonly string[]): Promise<readonly LocalFile[]> {
    return Promise.all(
      paths.map(async (path) => ({ path, model: (await this.kinds?.kindOf(path)) ?? CHAT_KIND })),
    );
  }

  #publish(
    offer: Offer,
    sourceSha256: string,
    { proposedFrom, context = contextOf(randomUUID(), 'system') }: PublishOptions = {},
  ): Promise<RateCardReceipt> {
    const data = {
      ...priceList(offer),
      sourceSha256,
      ...(proposedFrom && { proposedFrom }),
      publishedAt: instant(this.clock),
    };
    return this.publisher.execute(new PublishRateCardCommand(data, context));
  }

  #install({ rigs, models: entries, problems }: Offer, sha256: string, fingerprint: string): void {
    const models = entries.map((entry): CatalogModel => {
      const mediaRules = mediaRulesOf(entry, rigs);
      const created = entry.createdEpochSeconds ?? this.#firstPricedEpochSeconds(entry.id);
      return { ...entry, createdEpochSeconds: created, ...(mediaRules && { mediaRules }) };
    });
    const loadedAt = instant(this.clock);
    this.#loaded = { fingerprint, sha256, loadedAt, rigs, models, problems };
    const counts = { models: models.length, rigs: rigs.length, sha256 };
    this.logger.info(counts, 'the catalog was read');
    for (const problem of problems) this.logger.warn(problem);
  }

  /** After each reading of the file, and after each new rate card. */
  #serve(): void {
    const card = this.rateCards.newest();
    if (!this.#loaded || !card) return;
    this.#served = servedBy(this.#loaded.models, card);
    for (const listener of this.#listeners) listener(this);
    clearTimeout(this.#overruled);
    const { overruled } = this.#served;
    if (overruled === null) return;
    this.#overruled = setTimeout(() => {
      this.logger.warn({ reason: overruled }, 'the catalog of another process is in force');
    }, OVERRULED_MS).unref();
  }

  #firstPricedEpochSeconds(modelId: string): number {
    return Math.floor((this.rateCards.firstPricedMs(modelId) ?? this.clock.now()) / 1_000);
  }

  #watch(): readonly FolderWatch[] {
    const { catalogFile, localModelsFolder } = this.settings;
    const file = basename(catalogFile);
    return [
      // Kubernetes swaps the link `..data`, through which the file is reached.
      this.#watchFor(dirname(resolve(catalogFile)), (name) => name === file || name === '..data'),
      this.#watchFor(localModelsFolder, (name) => name.endsWith('.gguf')),
    ].filter((watch) => watch !== undefined);
  }

  #watchFor(folder: string, concerns: (name: string) => boolean): FolderWatch | undefined {
    const onFailure = (error: unknown): void => {
      this.#watchFailure = `changes in ${folder} go unnoticed`;
      this.logger.error({ err: error, folder }, 'a folder of the catalog cannot be watched');
    };
    const onChange = (): void => void this.reload();
    try {
      return watchFolder(folder, { concerns, quietMs: QUIET_MS, onChange, onFailure });
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  }
}

const servedBy = (all: readonly CatalogModel[], { version, prices }: RateCard): Served => {
  const models = all.filter(({ id }) => prices[id]);
  const missing = all.filter(({ id }) => !prices[id]);
  const otherwise = models.filter(({ id, price }) => {
    const inForce = prices[id];
    return inForce && !sameTokenPrice(price, inForce);
  });
  const parts = [
    ...(missing.length > 0 ? [`does not price ${namesOf(missing)}, not served here`] : []),
    ...(otherwise.length > 0 ? [`has other prices for ${namesOf(otherwise)}`] : []),
  ];
  const overruled =
    parts.length === 0 ? null : `rate card ${version} of another process ${parts.join(', and ')}`;
  return { models, modelsById: new Map(models.map((model) => [model.id, model])), overruled };
};

const sha256Of = (source: string): string => createHash('sha256').update(source).digest('hex');

const NAMES_MAX = 5;

const namesOf = (models: readonly CatalogModel[]): string => {
  const names = models.slice(0, NAMES_MAX).map(({ id }) => id);
  const more = models.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
};

const readSource = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `cannot be read: ${reason}`;
    throw new CatalogError(file, [{ path: '', line: 1, column: 1, message }]);
  }
};

const priceList = ({ models, rigs, meters, batchDiscountPercent }: Offer): PriceList => ({
  batchDiscountPercent,
  prices: Object.fromEntries(models.map(({ id, price }) => [id, price])),
  computePrices: Object.fromEntries(
    rigs.flatMap(({ name, microUsdPerHour }) =>
      microUsdPerHour === null ? [] : [[name, { microUsdPerHour: toDecimal(microUsdPerHour) }]],
    ),
  ),
  meterPrices: Object.fromEntries(
    meters.map(({ meter, price, perUnits }) => [
      meter,
      { unitPriceMicroUsd: toDecimal(price), perUnits },
    ]),
  ),
});
