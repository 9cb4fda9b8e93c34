import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { monthOf } from '#events/billing/statement-month.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type DocumentReader } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  entriesPrefix,
  monthKey,
  type StatementDocument,
  type StatementMonth,
  statements,
} from '#projections/billing/statements.projection.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { type Statement, statementOf } from './statement.js';

/** Groups of charges, deposits and adjustments of one statement. */
export const STATEMENT_ENTRIES_MAX = 100_000;
/** Months of an account before the statement: eight centuries. */
const MONTHS_MAX = 10_000;

/** The statement of one account and month. */
export class StatementQuery extends Query<Statement> {
  constructor(
    readonly accountId: string,
    /** `YYYY-MM`, in UTC. */
    readonly month: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

/** The projections that the handler needs. */
interface StatementReaders {
  at(asOf: AsOf | undefined): Promise<DocumentReader>;
}

/** @throws DomainError `statement_not_found`, `statement_too_large` */
@QueryHandler(StatementQuery)
export class StatementHandler implements IQueryHandler<StatementQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: StatementReaders) {}

  async execute({ accountId, month, asOf }: StatementQuery): Promise<Statement> {
    const reader = await this.projections.at(asOf);
    const now = monthOf(new Date(reader.readAt).toISOString());
    if (month > now) reject('statement_not_found', `the month ${month} has not begun`);
    const found = await reader.get(statements, monthKey(accountId, month));
    const months = await monthsBefore(reader, accountId, month);
    const current = found.document?.kind === 'month' ? found.document : null;
    return statementOf({
      accountId,
      month,
      isOver: month < now,
      earlier: months,
      entries: await entriesOf(reader, entriesPrefix(accountId, month)),
      closed: current?.closed ?? null,
      position: found.position,
    });
  }
}

const monthsBefore = async (
  reader: DocumentReader,
  accountId: string,
  month: string,
): Promise<readonly StatementMonth[]> => {
  const { documents } = await reader.list(statements, {
    prefix: monthKey(accountId),
    before: monthKey(accountId, month),
    limit: MONTHS_MAX,
  });
  return documents.flatMap(({ document }) => (document.kind === 'month' ? [document] : []));
};

const entriesOf = async (
  reader: DocumentReader,
  prefix: string,
): Promise<readonly StatementDocument[]> => {
  const entries: StatementDocument[] = [];
  for await (const { documents } of projectionPages(reader, statements, { prefix })) {
    entries.push(...documents.map(({ document }) => document));
    if (entries.length > STATEMENT_ENTRIES_MAX) {
      reject('statement_too_large', `a statement has at most ${STATEMENT_ENTRIES_MAX} entries`);
    }
  }
  return entries;
};

const reject = (code: BillingErrorCode, message: string): never => {
  throw new DomainError<BillingErrorCode>(code, message);
};
