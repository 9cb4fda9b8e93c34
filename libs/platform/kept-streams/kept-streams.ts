import { storedPages } from '#platform/read-store/document-pages.js';
import { type DocumentWrite, type StoredDocument } from '#platform/read-store/read-store.port.js';
import {
  cancelKey,
  KEPT_STREAMS,
  pagesPrefix,
  readersKey,
  type StreamDocument,
  STATES,
  stateKey,
  streamIdOf,
} from './kept-stream.documents.js';
import { FollowedStream } from './followed-stream.js';
import { type KeeperParts, type NewKeptStream, StreamKeeper } from './stream-keeper.js';

/** Of a sweep, in one commit. */
const LIST_MAX = 500;

/**
 * Streams of events that are kept for a while, so that a reader who was cut off continues where it
 * stopped, in this process or in another one.
 */
export class KeptStreams {
  constructor(private readonly parts: KeeperParts) {}

  get graceMs(): number {
    return this.parts.times.graceMs;
  }

  /** Resolves when readers find the stream. Look at `isKept`: the store may be away. */
  begin(stream: NewKeptStream): Promise<StreamKeeper> {
    return StreamKeeper.begin(stream, this.parts);
  }

  /** Undefined for a stream of another account, too, and for one that has expired. */
  async find(streamId: string, accountId: string): Promise<FollowedStream | undefined> {
    const key = stateKey(streamId);
    const found = await this.parts.readStore.get<StreamDocument>(KEPT_STREAMS, key);
    if (found?.document.accountId !== accountId || this.#isExpired(found)) return undefined;
    return new FollowedStream(streamId, found.document, this.parts);
  }

  /** Removes expired streams, which are not found either way. @returns how many */
  async sweep(): Promise<number> {
    const { readStore } = this.parts;
    let removed = 0;
    const states = storedPages<StreamDocument>(readStore, KEPT_STREAMS, { prefix: STATES });
    for await (const { documents } of states) {
      for (const state of documents.filter((one) => this.#isExpired(one))) {
        await this.#remove(state);
        removed += 1;
      }
    }
    return removed;
  }

  /** The state last: a sweep that stops midway finds the stream again. */
  async #remove(state: StoredDocument<object>): Promise<void> {
    const { readStore } = this.parts;
    const streamId = streamIdOf(state.key);
    const prefix = pagesPrefix(streamId);
    for (;;) {
      const pages = await readStore.list(KEPT_STREAMS, { prefix, limit: LIST_MAX });
      if (pages.length === 0) break;
      await readStore.commit({ writes: pages.map(deletionOf) });
    }
    const marks = await Promise.all(
      [readersKey(streamId), cancelKey(streamId)].map((key) => readStore.get(KEPT_STREAMS, key)),
    );
    const rest = [...marks.filter((mark) => mark !== undefined), state];
    await readStore.commit({ writes: rest.map(deletionOf) });
  }

  /** One that runs is written again and again. */
  #isExpired({ document: { writtenAtMs } }: StoredDocument<StreamDocument>): boolean {
    return writtenAtMs + this.parts.times.keptMs <= this.parts.clock.now();
  }
}

const deletionOf = ({ key, position }: StoredDocument<object>): DocumentWrite => ({
  collection: KEPT_STREAMS,
  key,
  document: null,
  position: position + 1n,
});
