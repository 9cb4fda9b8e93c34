import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { storedPages } from '#platform/read-store/document-pages.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { CLOCK, READ_STORE } from '#platform/runtime/tokens.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';

/** A request that the ledger rejected, with the facts that it decided with. */
export interface RememberedRejection {
  readonly accountId: string;
  readonly requestId: string;
  /** ISO 8601 UTC. */
  readonly rejectedAt: string;
  readonly code: string;
  readonly message: string;
  /** The facts: what was asked, what was left, and in which window. */
  readonly facts: Readonly<Record<string, unknown>>;
  /**
   * The decision rests on events of the account up to this revision of its stream, which is the
   * same wherever the log is stored.
   */
  readonly revision: string;
  /** Null for a request that was rejected before it was priced. */
  readonly asked: {
    readonly purpose: string;
    readonly lines: readonly PriceLine[];
    readonly rateCardVersion: number;
    readonly key: string | null;
  } | null;
}

/** Not a read model: nothing rebuilds it, and no decision reads it. */
const COLLECTION = 'rejections.v1';
/** Documents of an account. Two requests in one slot: the later one is remembered. */
export const SLOTS = 256;
/** Of an account, at once and then in a second. */
export const BURST = 20;
const PER_SECOND = 1;
const ACCOUNTS_CACHED_MAX = 10_000;
const WAITING_MAX = 1_000;
const COMMIT_MAX = 100;

const slotName = (slot: number): string => slot.toString(16).padStart(2, '0');

const slotOf = (requestId: string): string =>
  slotName(Number.parseInt(requestId.slice(-4), 16) % SLOTS);

interface Allowance {
  left: number;
  atMs: number;
}

/**
 * Remembers rejections for explanations, beside the log: a rejected request must cost an attacker
 * more than it costs the log. It is bounded for each account, in number and in time, and best
 * effort: a rejection that it does not remember is still rejected.
 */
@Injectable()
export class RejectionMemory {
  readonly #allowances = growingCache<Allowance>(ACCOUNTS_CACHED_MAX);
  #waiting: RememberedRejection[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether the account may have one more remembered now; asking counts. */
  admits(accountId: string): boolean {
    const nowMs = this.clock.now();
    const known = this.#allowances.get(accountId) ?? { left: BURST, atMs: nowMs };
    const back = (Math.max(0, nowMs - known.atMs) / 1_000) * PER_SECOND;
    const left = Math.min(BURST, known.left + back);
    const admitted = left >= 1 && this.#waiting.length < WAITING_MAX;
    this.#allowances.set(accountId, { left: admitted ? left - 1 : left, atMs: nowMs });
    return admitted;
  }

  /** Resolves when it is written, or could not be. */
  remember(rejection: RememberedRejection): Promise<void> {
    this.#waiting.push(rejection);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** @param accountId null for any account */
  async find(
    requestId: string,
    accountId: string | null,
  ): Promise<RememberedRejection | undefined> {
    const slot = `${slotOf(requestId)}/`;
    if (accountId !== null) {
      const key = slot + accountId;
      const found = await this.readStore.get<RememberedRejection>(COLLECTION, key);
      return found?.document.requestId === requestId ? found.document : undefined;
    }
    const pages = storedPages<RememberedRejection>(this.readStore, COLLECTION, { prefix: slot });
    for await (const { documents } of pages) {
      const found = documents.find(({ document }) => document.requestId === requestId);
      if (found) return found.document;
    }
    return undefined;
  }

  /** Of an account, the last one first. */
  async list(accountId: string): Promise<readonly RememberedRejection[]> {
    const slots = Array.from({ length: SLOTS }, (_, slot) => slotName(slot));
    const found = await Promise.all(
      slots.map((slot) =>
        this.readStore.get<RememberedRejection>(COLLECTION, `${slot}/${accountId}`),
      ),
    );
    return found
      .flatMap((one) => (one ? [one.document] : []))
      .sort((one, other) => (one.rejectedAt < other.rejectedAt ? 1 : -1));
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const writes = this.#waiting.splice(0, COMMIT_MAX).map((document) => ({
        collection: COLLECTION,
        key: `${slotOf(document.requestId)}/${document.accountId}`,
        document,
        // Later rejections replace earlier ones, whatever the log did meanwhile.
        position: BigInt(Date.parse(document.rejectedAt)),
      }));
      await this.readStore.commit({ writes }).catch(() => undefined);
    }
  }
}
