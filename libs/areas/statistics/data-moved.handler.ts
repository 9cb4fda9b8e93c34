import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { monthOf } from '#events/billing/statement-month.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  answersSent,
  type SentInMonth,
  sentTo,
} from '#projections/statistics/answers-sent.projection.js';
import {
  type DataMoved,
  dataMoved,
  movedByAccount,
  movedByRigs,
} from '#projections/statistics/data-moved.projection.js';

/** More rigs of a month are not listed. */
export const RIGS_LISTED_MAX = 1_000;

export interface DataMovedInMonth {
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  /** The answers of every route. */
  readonly sent: SentInMonth;
  /** The content of charged answers. */
  readonly byRig: readonly DataMoved[];
  readonly position: bigint;
}

/** How much data the answers of a month had: to one account, or of all rigs. */
export class DataMovedQuery extends Query<DataMovedInMonth> {
  constructor(
    /** Null: of all accounts. */
    readonly accountId: string | null,
    /** `YYYY-MM` in UTC; default: the current one. */
    readonly month?: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(DataMovedQuery)
export class DataMovedHandler implements IQueryHandler<DataMovedQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ accountId, month: asked, asOf }: DataMovedQuery): Promise<DataMovedInMonth> {
    const reader = await this.projections.at(asOf);
    const month = asked ?? monthOf(new Date(reader.readAt).toISOString());
    const prefix = accountId === null ? movedByRigs(month) : movedByAccount(accountId, month);
    const options = { prefix, limit: RIGS_LISTED_MAX };
    const { documents, position } = await reader.list(dataMoved, options);
    const { document: sent } = await reader.get(answersSent, sentTo(accountId, month));
    const byRig = documents.map(({ document }) => document);
    return { month, sent: sent ?? { answers: 0, bytes: 0 }, byRig, position };
  }
}
