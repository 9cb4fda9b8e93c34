import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { BillSources } from './bill-sources.port.js';
import { SharedEvents } from './shared-events.port.js';
import { auditError, AuditLog, type ProvenLeaf } from './audit-log.js';

/**
 * Who asks. An Admin sees every event. A user also sees what it did in other accounts, but not with
 * a key of a team, which has no user here.
 */
export type AuditReader = 'admin' | { readonly accountId: string; readonly userId: number | null };

export interface AuditedEvent {
  readonly event: RecordedEvent;
  /** The canonical bytes of the event, which its leaf is the hash of. */
  readonly encoding: Buffer;
  readonly leaf: ProvenLeaf;
}

/** The events of a request that the reader may see, with their proofs; at least one. */
export class AuditedRequestQuery extends Query<readonly AuditedEvent[]> {
  constructor(
    readonly requestId: string,
    readonly reader: AuditReader,
    /** Leaves out what came later. The newest checkpoint is the one of the proofs. */
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(AuditedRequestQuery)
export class AuditedRequestHandler implements IQueryHandler<AuditedRequestQuery> {
  constructor(
    private readonly log: AuditLog,
    private readonly sources: BillSources,
    private readonly shared: SharedEvents,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
  ) {}

  /** @throws DomainError `audited_request_not_found`, also for a request of another account */
  async execute(query: AuditedRequestQuery): Promise<readonly AuditedEvent[]> {
    const { requestId, reader, asOf } = query;
    const until = asOf && (await this.projections.at(asOf)).position;
    const found: AuditedEvent[] = [];
    for (const leaf of await this.log.leavesOf(requestId)) {
      if (until !== undefined && leaf.position > until) continue;
      const event = await this.log.eventOf(leaf);
      if (await this.#maySee(reader, event)) found.push(audited(event, leaf));
    }
    if (found.length > 0) return found;
    throw auditError('audited_request_not_found', `the log has no event of request ${requestId}`);
  }

  async #maySee(reader: AuditReader, event: RecordedEvent): Promise<boolean> {
    if (reader === 'admin') return true;
    const { stream, metadata } = event;
    return (
      stream === this.sources.accountStream(reader.accountId) ||
      (reader.userId !== null && metadata.actor === `user:${reader.userId}`) ||
      this.shared.maySee(reader.accountId, event)
    );
  }
}

/** @throws DomainError `audit_inconsistent` for an event that differs from its leaf */
export const audited = (event: RecordedEvent, leaf: ProvenLeaf): AuditedEvent => {
  const hasher = new EventHasher();
  const fields = storedFieldsOf(event);
  if (!hasher.leafHash(fields).equals(leaf.hash)) {
    const detail = `the event at position ${event.position} differs from the appended event`;
    throw auditError('audit_inconsistent', detail);
  }
  return { event, encoding: hasher.encode(fields), leaf };
};
