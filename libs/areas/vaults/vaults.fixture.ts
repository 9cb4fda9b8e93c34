import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Marking, vaultsEvents } from '#events/vaults/vault.events.js';
import { UserId } from '#events/vocabulary.js';
import { BlobsStage } from '#platform/blobs/blobs.fixture.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { SearchVaultCommand, SearchVaultHandler } from './search-vault.handler.js';
import { StoredVaults } from './stored-vaults.js';
import { type TextVectors, TextVectorizer, type TextVectorsOrder } from './text-vectors.port.js';
import { type IngestOrder, VaultIngest } from './vault-ingest.js';
import { VaultMemory } from './vault-memory.js';
import { type SearchOrder, VaultSearch } from './vault-search.js';
import { BYTES_METER, VECTOR_METER } from './vault.product.js';
import { type VaultSettings } from './vaults.settings.js';

export const AT = '2026-11-25T19:00:00.000Z';
export const ACCOUNT = '7';
const NAMESPACE = '01996f4e-0000-7000-8000-000000000001';
export const VAULT = derivedId('a vault', NAMESPACE);
const DIMENSIONS = 32;
const MODEL = 'words';

export const SETTINGS: VaultSettings = {
  words: { levels: ['OPEN', 'SECRET', 'TOP'], compartments: ['A', 'B'] },
  model: MODEL,
  vaultsMax: 2,
  documentsMax: 100,
  chunksMax: 1_000,
  exactRowsMax: 50_000,
  memoryBytesMax: 1_000_000,
  idleMs: 60_000,
  requestMsMax: 10_000,
};

const PRICE = { unitPriceMicroUsd: '1', perUnits: 1 };

/** A word is a direction, and a token for a micro-dollar. */
export class WordVectorizer extends TextVectorizer {
  failure: Error | null = null;
  work: () => void = () => undefined;

  override model(name: string) {
    return name === MODEL ? { id: MODEL, dimensions: DIMENSIONS } : undefined;
  }

  override held({ texts }: Omit<TextVectorsOrder, 'accountId'>) {
    return { lines: this.charged(MODEL, { promptTokens: tokensOf(texts) }), rateCardVersion: 3 };
  }

  override async embed({ texts }: TextVectorsOrder): Promise<TextVectors> {
    this.work();
    if (this.failure) throw this.failure;
    const vectors = await Promise.resolve(texts.map(vectorOf));
    return { vectors, promptTokens: tokensOf(texts), rig: 'built-in' };
  }

  override charged(model: string, { promptTokens: quantity }: { readonly promptTokens: number }) {
    return [{ model, meter: 'input_tokens', quantity, ...PRICE }];
  }

  override used(_: string, { promptTokens: quantity }: { readonly promptTokens: number }) {
    return [{ meter: 'input_tokens', quantity }];
  }

  override reasonOf(error: unknown) {
    return error === this.failure ? ('upstream_failed' as const) : null;
  }
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\w+/g) ?? [];

const tokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + wordsOf(text).length, 0);

const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of wordsOf(text)) {
    const at = Buffer.from(derivedId(word, NAMESPACE).replaceAll('-', ''), 'hex');
    vector[at.readUInt8(0) % DIMENSIONS] = 1 + at.readUInt8(1) / 256;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};

class OnePrice extends MeterPrices {
  override inForce() {
    return {
      rateCardVersion: 3,
      prices: new Map([VECTOR_METER, BYTES_METER].map((meter) => [meter, PRICE])),
    };
  }
}

/** Its own documents and searches, as tests write them. */
type Ingest = Partial<IngestOrder> & { caller?: VaultCaller; own?: CommandContext };

type Search = Partial<Omit<SearchOrder, 'query'>> & { caller?: VaultCaller; process?: Process };

export const CALLER: VaultCaller = { accountId: ACCOUNT, keys: [] };

const NEVER = new AbortController().signal;
const hash = (text: string): string => Buffer.from(text.padEnd(32)).toString('hex').slice(0, 64);

const openProcess = (
  { stage, eventStore, vectorizer, settings }: VaultsWorld,
  paid: PaidRequests,
  clock: Clock,
) => {
  const codec = new EventCodec(vaultsEvents);
  const log = [eventStore, codec] as const;
  const vaults = new StoredVaults(stage.blobs, stage.secrets, clock, ...log);
  const clearances = new Clearances(settings, clock, ...log);
  const memory = new VaultMemory(vaults, settings, clock);
  const parts = [vaults, clearances, memory, vectorizer, new OnePrice()] as const;
  const searches = new VaultSearch(...parts, hash, settings, clock, ...log);
  const ingests = new VaultIngest(vaults, clearances, vectorizer, new OnePrice(), settings, clock);
  const handler = new SearchVaultHandler(searches, vectorizer, paid, settings, clock);
  return { vaults, clearances, memory, searches, ingests, handler };
};
type Process = ReturnType<typeof openProcess>;

/** The area on a log, blobs and keys in files of their own. */
export class VaultsWorld {
  readonly ledger = new FakeLedger();
  readonly vectorizer = new WordVectorizer();
  readonly first: Process;
  readonly #processes: Process[] = [];
  #nowMs = Date.parse(AT);
  #requests = 0;

  constructor(
    readonly folder: string,
    readonly stage: BlobsStage,
    readonly eventStore: SqliteEventStore,
    readonly settings: VaultSettings,
  ) {
    this.first = this.start();
  }

  /** A process on the same files. */
  start(paid?: PaidRequests, clock: Clock = { now: () => this.#nowMs }): Process {
    const own = paid ?? new PaidRequests(this.ledger, { settleMsMax: 1_000 }, clock);
    const process = openProcess(this, own, clock);
    this.#processes.push(process);
    return process;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  context(): CommandContext {
    this.#requests += 1;
    return contextOf(derivedId(`request ${this.#requests}`, NAMESPACE), 'user:7');
  }

  async clear(clearance: Marking | null, keyId: string | null = null): Promise<void> {
    await this.first.clearances.set({ accountId: ACCOUNT, keyId, clearance }, this.context());
  }

  async create(vaultId = VAULT): Promise<string> {
    const sealedLabel = await this.first.vaults.sealVaultLabel(7, {
      name: 'a vault',
      metadata: {},
    });
    const data = {
      ...{ vaultId, accountId: ACCOUNT, userId: UserId.parse(7), sealedLabel },
      ...{ model: MODEL, dimensions: DIMENSIONS, createdAt: AT },
    };
    await this.first.vaults.run(vaultId, { type: 'CreateVault', data }, this.context());
    return vaultId;
  }

  async ingest(text: string, { caller = CALLER, own, ...order }: Ingest = {}): Promise<string> {
    const asked = { vaultId: VAULT, title: 'a title', marking: null, ...order, text };
    const context = own ?? this.context();
    const { ingests } = this.first;
    const opened = await ingests.open(asked, caller, context);
    await Array.fromAsync(ingests.run(opened, NEVER, context));
    return opened.documentId;
  }

  async search(
    query: string,
    { caller = CALLER, top = 5, vaultId = VAULT, process = this.first, filter }: Search = {},
  ) {
    const order = {
      ...{ accountId: ACCOUNT, receivedAtMs: this.#nowMs, context: this.context(), caller },
      search: { vaultId, query, top, filter },
    };
    return process.handler.execute(new SearchVaultCommand(order, NEVER));
  }

  async close(): Promise<void> {
    for (const { memory } of this.#processes) await memory.onApplicationShutdown();
    await this.eventStore.close();
    await this.stage.end();
    await rm(this.folder, { recursive: true });
  }
}

type SqliteEventStore = Awaited<ReturnType<typeof openSqliteEventStore>>;

export const openVaultsWorld = async (
  changes: Partial<VaultSettings> = {},
): Promise<VaultsWorld> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-vaults-'));
  const stage = new BlobsStage();
  await stage.begin(() =>
    Promise.resolve({
      open: () => Promise.resolve(new FileObjectStore(path.join(folder, 'blobs'))),
      remove: () => Promise.resolve(),
    }),
  );
  const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
  return new VaultsWorld(folder, stage, eventStore, { ...SETTINGS, ...changes });
};
