import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PrivacySpent } from '#events/cleanrooms/cleanroom.events.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { privacySpends, spendsPrefix } from '#projections/cleanrooms/privacy-spends.projection.js';
import { type PageAsked } from './cleanroom.queries.js';
import { demandRoom } from './room.decider.js';

export interface SpendPage {
  readonly spends: readonly PrivacySpent['data'][];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the spends of a room, the newest first, for every account that takes part in it. */
export class SpendsQuery extends Query<SpendPage> {
  constructor(
    readonly cleanroomId: string,
    readonly accountId: string,
    readonly asked: PageAsked,
  ) {
    super();
  }
}

@QueryHandler(SpendsQuery)
export class SpendsHandler implements IQueryHandler<SpendsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  /** @throws DomainError `cleanroom_not_found` */
  async execute({ cleanroomId, accountId, asked }: SpendsQuery): Promise<SpendPage> {
    const { asOf, page, limit } = asked;
    const reader = await this.projections.at(asOf);
    const { document } = await reader.get(cleanrooms, cleanroomId);
    demandRoom(document?.room ?? null, accountId);
    const prefix = spendsPrefix(cleanroomId);
    const range = { page, limit, prefix, direction: 'backwards' } as const;
    const { documents, total, position } = await numberedPage(reader, privacySpends, range);
    return { spends: documents.flatMap((one) => one.document.spent ?? []), total, position };
  }
}
