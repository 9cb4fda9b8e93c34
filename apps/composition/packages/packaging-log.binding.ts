import { type QueryBus } from '@nestjs/cqrs';
import { type AuditLog, proofOf } from '#areas/audit/audit-log.js';
import { AuditedRequestQuery } from '#areas/audit/audited-request.handler.js';
import { PackagingLog } from '#areas/packages/packaging-log.port.js';
import { type LoggedEvent } from '#areas/packages/archive/provenance.js';

/** The transparency log of the area `audit`. */
export class AuditedPackaging extends PackagingLog {
  /** @param log absent in a process without the area */
  constructor(
    private readonly queries: Pick<QueryBus, 'execute'>,
    private readonly log: AuditLog | undefined,
  ) {
    super();
  }

  override key(): string {
    if (!this.log) throw new Error('this process does not have the area audit');
    return this.log.verifierKey();
  }

  override async prove(requestId: string): Promise<LoggedEvent> {
    const [audited] = await this.queries.execute(new AuditedRequestQuery(requestId, 'admin'));
    if (!audited) throw new Error(`the log has no event of request ${requestId}`);
    const { encoding, event, leaf } = audited;
    return {
      encoding,
      proof: proofOf(leaf),
      position: event.position,
      index: leaf.index,
      logKey: this.key(),
    };
  }
}
