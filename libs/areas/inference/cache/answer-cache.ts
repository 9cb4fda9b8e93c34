import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { storedPages } from '#platform/read-store/document-pages.js';
import {
  type DocumentWrite,
  type ReadStore,
  type StoredDocument,
} from '#platform/read-store/read-store.port.js';
import { CLOCK, READ_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { ANSWER_CACHE_LIMITS, type AnswerCacheLimits } from './answer-cache.settings.js';

/** Not read models: nothing rebuilds them, and no decision reads them. */
export const CACHED_ANSWERS = 'cached-answers.v1';
/** Of one answer. */
export const ANSWER_BYTES_MAX = 1_024 ** 2;
/** Of one account: the oldest ones go first. */
export const ANSWERS_PER_ACCOUNT_MAX = 1_000;

const ENTRIES = 'e/';
const entriesOf = (accountId: string): string => `${ENTRIES}${accountId}/`;
const contentKeyOf = (entryKey: string): string => `c/${entryKey.slice(ENTRIES.length)}`;

interface EntryDocument {
  /** Whose key seals the content, such as `user:7`. */
  readonly subject: string;
  readonly bytes: number;
  /** In milliseconds since the Unix epoch. */
  readonly keptAtMs: number;
  readonly expiresAtMs: number;
}

interface ContentDocument {
  readonly sealed: string;
}

/** The place of an answer. */
export interface AnswerPlace {
  readonly accountId: string;
  /** A keyed hash. */
  readonly key: string;
}

export interface FoundAnswer {
  readonly content: string;
  readonly keptAtMs: number;
}

/**
 * Answers that accounts asked to keep, in the read store, sealed with the key of their user.
 * Once that user is erased, none of them opens. An answer is found by its account alone.
 */
@Injectable()
export class AnswerCache {
  /** Of all accounts: the size at the last sweep, plus the answers kept by this process since. */
  #bytes = 0;

  constructor(
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ANSWER_CACHE_LIMITS) private readonly limits: AnswerCacheLimits,
  ) {}

  /** Undefined for one that has expired, or whose user was erased. */
  async find({ accountId, key }: AnswerPlace): Promise<FoundAnswer | undefined> {
    const entryKey = entriesOf(accountId) + key;
    const entry = await this.readStore.get<EntryDocument>(CACHED_ANSWERS, entryKey);
    if (!entry || entry.document.expiresAtMs <= this.clock.now()) return undefined;
    const contentKey = contentKeyOf(entryKey);
    const stored = await this.readStore.get<ContentDocument>(CACHED_ANSWERS, contentKey);
    if (!stored) return undefined;
    const { subject, keptAtMs } = entry.document;
    const field = fieldOf(contentKey);
    const content = await this.secrets.subjects.open(subject, field, stored.document.sealed);
    return content === null ? undefined : { content, keptAtMs };
  }

  /**
   * Keeps an answer, and removes the oldest ones of the account that have no room any more. One
   * that is too large for it is not kept.
   */
  async keep(
    { accountId, key }: AnswerPlace,
    { subject, seconds, content }: NewAnswer,
  ): Promise<void> {
    const bytes = Buffer.byteLength(content);
    const { accountBytesMax, bytesMax } = this.limits;
    if (bytes > Math.min(ANSWER_BYTES_MAX, accountBytesMax)) return;
    if (this.#bytes + bytes > bytesMax) return;
    const entryKey = entriesOf(accountId) + key;
    const contentKey = contentKeyOf(entryKey);
    const sealed = await this.secrets.subjects.seal(subject, fieldOf(contentKey), content);
    const old = await this.#surplusOf(accountId, entryKey, bytes);
    const keptAtMs = this.clock.now();
    const entry: EntryDocument = {
      subject,
      bytes,
      keptAtMs,
      expiresAtMs: keptAtMs + seconds * 1_000,
    };
    const position = BigInt(Math.floor(keptAtMs));
    await this.readStore.commit({
      writes: [
        ...old.flatMap(deletionsOf),
        { collection: CACHED_ANSWERS, key: contentKey, document: { sealed }, position },
        { collection: CACHED_ANSWERS, key: entryKey, document: entry, position },
      ],
    });
    this.#bytes += bytes;
  }

  /** Removes expired answers, and the oldest answers above the size of all. @returns how many */
  async sweep(): Promise<number> {
    const now = this.clock.now();
    const kept: StoredDocument<EntryDocument>[] = [];
    let removed = 0;
    const pages = storedPages<EntryDocument>(this.readStore, CACHED_ANSWERS, { prefix: ENTRIES });
    for await (const { documents } of pages) {
      const expired = documents.filter(({ document }) => document.expiresAtMs <= now);
      removed += await this.#remove(expired);
      kept.push(...documents.filter(({ document }) => document.expiresAtMs > now));
    }
    const surplus = surplusOf(kept, this.limits.bytesMax, Infinity);
    removed += await this.#remove(surplus);
    this.#bytes = sizeOf(kept) - sizeOf(surplus);
    return removed;
  }

  async #surplusOf(
    accountId: string,
    entryKey: string,
    bytes: number,
  ): Promise<readonly StoredDocument<EntryDocument>[]> {
    const entries = await this.readStore.list<EntryDocument>(CACHED_ANSWERS, {
      prefix: entriesOf(accountId),
      limit: 2 * ANSWERS_PER_ACCOUNT_MAX,
    });
    const others = entries.filter(({ key }) => key !== entryKey);
    const room = this.limits.accountBytesMax - bytes;
    return surplusOf(others, room, ANSWERS_PER_ACCOUNT_MAX - 1);
  }

  async #remove(entries: readonly StoredDocument<EntryDocument>[]): Promise<number> {
    for (let at = 0; at < entries.length; at += REMOVED_AT_ONCE) {
      const some = entries.slice(at, at + REMOVED_AT_ONCE);
      await this.readStore.commit({ writes: some.flatMap(deletionsOf) });
    }
    return entries.length;
  }
}

export interface NewAnswer {
  /** Whose key seals it, such as `user:7`. */
  readonly subject: string;
  readonly seconds: number;
  readonly content: string;
}

/** Of a sweep, in one commit. */
const REMOVED_AT_ONCE = 250;

/** The content is sealed for its key: content that was moved to another key does not open. */
const fieldOf = (contentKey: string): string => `cached-answers.content/${contentKey}`;

const sizeOf = (entries: readonly StoredDocument<EntryDocument>[]): number =>
  entries.reduce((sum, { document }) => sum + document.bytes, 0);

/** The oldest entries, so that the others are within the limits. */
const surplusOf = (
  entries: readonly StoredDocument<EntryDocument>[],
  bytesMax: number,
  countMax: number,
): readonly StoredDocument<EntryDocument>[] => {
  let bytes = sizeOf(entries);
  let count = entries.length;
  const surplus: StoredDocument<EntryDocument>[] = [];
  const oldestFirst = entries.toSorted(
    (one, other) => one.document.keptAtMs - other.document.keptAtMs,
  );
  for (const entry of oldestFirst) {
    if (bytes <= bytesMax && count <= countMax) break;
    bytes -= entry.document.bytes;
    count -= 1;
    surplus.push(entry);
  }
  return surplus;
};

/** Only of this entry: an answer that was kept meanwhile has a later position. */
const deletionsOf = ({ key, position }: StoredDocument<EntryDocument>): readonly DocumentWrite[] =>
  [contentKeyOf(key), key].map((one) => ({
    collection: CACHED_ANSWERS,
    key: one,
    document: null,
    position: position + 1n,
  }));
