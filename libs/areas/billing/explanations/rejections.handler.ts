import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { RejectionMemory, type RememberedRejection } from './rejection-memory.js';

/** The rejected requests of an account that are remembered, the last one first. */
export class RejectionsQuery extends Query<readonly RememberedRejection[]> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(RejectionsQuery)
export class RejectionsHandler implements IQueryHandler<RejectionsQuery> {
  constructor(private readonly memory: RejectionMemory) {}

  execute({ accountId }: RejectionsQuery): Promise<readonly RememberedRejection[]> {
    return this.memory.list(accountId);
  }
}
