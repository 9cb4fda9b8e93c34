import { createReadStream } from 'node:fs';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { decodeEvent } from '../proof/decoded-event.js';
import { demand } from '../proof/proof.error.js';
import { type Trust } from '../proof/trusted-checkpoint.js';
import { readArchive } from './archive-file.js';
import { type ArchiveReport, verifyArchive } from './verify-archive.js';

const PAGE_EVENTS = 500;

/** The log that archives of adjoining ranges have, from its first event. Leaf n is at n + 1. */
export class ArchivedLog implements Pick<EventStore, 'readAll'> {
  private constructor(
    private readonly files: readonly string[],
    private readonly archives: readonly ArchiveReport[],
  ) {}

  /**
   * @param files in any order
   * @throws ProofError unless each is proved, and they are one log without a gap
   */
  static async open(files: readonly string[], trust: Trust = {}): Promise<ArchivedLog> {
    const verified: { readonly file: string; readonly archive: ArchiveReport }[] = [];
    for (const file of files) {
      verified.push({ file, archive: await verifyArchive(createReadStream(file), trust) });
    }
    verified.sort((one, other) => one.archive.first - other.archive.first);
    let [end, root] = [0, ''];
    for (const { file, archive } of verified) {
      const { first, rootBefore } = archive;
      demand(first === end, `${file} begins with leaf ${first}, and the one before ends at ${end}`);
      demand(end === 0 || rootBefore === root, `${file} is of another log than the one before`);
      ({ end, root } = archive);
    }
    return new ArchivedLog(
      verified.map(({ file }) => file),
      verified.map(({ archive }) => archive),
    );
  }

  /** The position of the last event. */
  get head(): bigint {
    return BigInt(this.archives.at(-1)?.end ?? 0);
  }

  async *readAll({
    after = 0n,
    maxCount = Infinity,
  }: {
    readonly after?: bigint;
    readonly maxCount?: number;
  } = {}): AsyncGenerator<readonly RecordedEvent[]> {
    let left = maxCount;
    let page: RecordedEvent[] = [];
    for await (const event of this.#events(after)) {
      if (left === 0) break;
      left -= 1;
      page.push(event);
      if (page.length < PAGE_EVENTS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  async *#events(after: bigint): AsyncGenerator<RecordedEvent> {
    for (const [index, file] of this.files.entries()) {
      const { first = 0, end = 0 } = this.archives[index] ?? {};
      if (BigInt(end) <= after) continue;
      let position = BigInt(first);
      const { encodings } = await readArchive(createReadStream(file));
      for await (const encoding of encodings) {
        position += 1n;
        if (position > after) yield recordedEvent(encoding, position);
      }
    }
  }
}

const recordedEvent = (encoding: Buffer, position: bigint): RecordedEvent => {
  const { recordedAtMs, metadata, ...event } = decodeEvent(encoding);
  const recordedAt = new Date(Number(recordedAtMs)).toISOString();
  // Quipu wrote it: the leaf of its encoding is in the signed log.
  const ofQuipu = metadata as unknown as RecordedEvent['metadata'];
  return { ...event, position, recordedAt, metadata: ofQuipu };
};
