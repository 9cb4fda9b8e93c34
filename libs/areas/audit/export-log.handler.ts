import { type Readable } from 'node:stream';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { type ArchiveHeader, writeArchive } from './archive/archive-file.js';
import { auditError, AuditLog } from './audit-log.js';

/** An archive of a range of the log, as it is written, and the range. */
export interface ExportedLog extends Pick<ArchiveHeader, 'first' | 'end' | 'root'> {
  readonly archive: Readable;
}

/** The leaves from `first` to before `end`; by default all that are published. */
export class ExportLogQuery extends Query<ExportedLog> {
  constructor(
    readonly first: number,
    readonly end?: number,
  ) {
    super();
  }
}

@QueryHandler(ExportLogQuery)
export class ExportLogHandler implements IQueryHandler<ExportLogQuery> {
  constructor(
    private readonly log: AuditLog,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'readAll'>,
  ) {}

  /**
   * The events are read while the archive is written.
   * @throws DomainError `leaf_not_found`, `audit_not_ready`
   */
  async execute({ first, end: asked }: ExportLogQuery): Promise<ExportedLog> {
    const checkpoint = await this.log.cosigned();
    const { size, note } = checkpoint;
    const end = asked ?? size;
    if (first >= end || end > size) {
      throw auditError('leaf_not_found', `expected leaves within the ${size} of the checkpoint`);
    }
    const [edge, root, consistency, before] = await Promise.all([
      this.log.edge(first),
      this.log.root(end),
      this.log.consistency(end, size),
      first === 0 ? null : this.log.leaf(first - 1, checkpoint),
    ]);
    const key = this.log.verifierKey();
    const header = { first, end, edge, root, checkpoint: note, consistency, key };
    const encodings = this.#encodings(before?.position ?? 0n, end - first);
    return { first, end, root, archive: writeArchive(header, encodings) };
  }

  async *#encodings(after: bigint, count: number): AsyncGenerator<Buffer> {
    const hasher = new EventHasher();
    for await (const page of this.eventStore.readAll({ after, maxCount: count })) {
      for (const event of page) yield hasher.encode(storedFieldsOf(event));
    }
  }
}
