import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import {
  byGroup,
  dayAfter,
  type Grouped,
  type Period,
  periodFault,
  sizeFault,
} from '#platform/kernel/report.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  ofSpendKey,
  quarterOf,
  spend,
  type SpendCell,
  type SpendLevel,
  spendPrefix,
} from '#projections/requests/spend.projection.js';
import { type RequestsErrorCode } from './requests.errors.js';
import { SubAccounts } from './sub-accounts.port.js';
import { isLabel, type SpendGroup, tagNameOf } from './spend-groups.js';

export const UTC = 'UTC';

/** Below an account, whose spend one report has. */
export const TEAMS_MAX = 1_000;

/** Of days in the time zone. */
export interface SpendOrder extends Period {
  readonly accountId: string;
  /** None: one row for each kind. */
  readonly by: readonly SpendGroup[];
  /** An IANA time zone. */
  readonly timeZone: string;
}

export interface SpendRow extends Grouped<SpendGroup> {
  readonly kind: SpendCell['kind'];
  /** `YYYY-MM`: the month that a correction is of. */
  readonly corrects: string | null;
  /** Null where the row is not by class, and for a correction: it adds unlike units. */
  readonly quantity: bigint | null;
  /** Below zero where it was given back. */
  readonly amount: MicroUsd;
}

export interface SpendReport {
  readonly rows: readonly SpendRow[];
  /** The sum of all rows. */
  readonly amount: MicroUsd;
  readonly position: bigint;
}

/** The charges and corrections of an account by groups. */
export class SpendQuery extends Query<SpendReport> {
  constructor(
    readonly order: SpendOrder,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

/** The hours by which the days of a time zone begin before, and end after, the days in UTC. */
const EARLIEST_HOURS = 14;
const LATEST_HOURS = 12;
const HOUR_MS = 3_600_000;

const hoursFrom = (day: string, hours: number): string =>
  quarterOf(new Date(Date.parse(day) + hours * HOUR_MS).toISOString());

/** @throws DomainError `invalid_spend_period` */
const demandPeriod = (period: Period): void => {
  const fault = periodFault(period);
  if (fault !== null) throw new DomainError<RequestsErrorCode>('invalid_spend_period', fault);
};

/** @throws DomainError `spend_too_large` */
const demandSize = (documents: number, rows: number): void => {
  const fault = sizeFault(documents, rows);
  if (fault !== null) throw new DomainError<RequestsErrorCode>('spend_too_large', fault);
};

/** The day of an instant in a time zone. @throws DomainError `unknown_time_zone` */
const dayIn = (timeZone: string): ((instant: string) => string) => {
  const days = new Map<string, string>();
  let format: Intl.DateTimeFormat;
  try {
    // Canada writes days as ISO 8601 does.
    format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  } catch {
    const detail = 'tz: expected a time zone of the IANA database, such as Europe/Berlin';
    throw new DomainError<RequestsErrorCode>('unknown_time_zone', detail);
  }
  return (instant) => {
    const known = days.get(instant) ?? format.format(new Date(instant));
    days.set(instant, known);
    return known;
  };
};

@QueryHandler(SpendQuery)
export class SpendHandler implements IQueryHandler<SpendQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
    private readonly subAccounts: SubAccounts,
  ) {}

  async execute({ order, asOf }: SpendQuery): Promise<SpendReport> {
    demandPeriod(order);
    const { accountId, from, to, by, timeZone } = order;
    const dayOf = dayIn(timeZone);
    const reader = await this.projections.at(asOf);
    const level: SpendLevel = by.some(isLabel) ? 'labelled' : 'plain';
    const sums = new SpendSums(by);
    let read = 0;
    let position: bigint | undefined;
    for (const team of [null, ...(await this.#teamsBelow(order))]) {
      const prefix = spendPrefix(level, team ?? accountId);
      const range = {
        prefix,
        from: `${prefix}${hoursFrom(from, -EARLIEST_HOURS)}`,
        before: `${prefix}${hoursFrom(dayAfter(to), LATEST_HOURS)}`,
      };
      for await (const page of projectionPages(reader, spend, range)) {
        position ??= page.position;
        read += page.documents.length;
        for (const { key, document } of page.documents) {
          const day = dayOf(ofSpendKey(key).at);
          if (day < from || day > to) continue;
          for (const cell of document.cells) sums.add(cell, day, team);
        }
        demandSize(read, sums.size);
      }
    }
    const rows = sums.rows.toSorted(byGroup(by));
    const amount = rows.reduce((sum, row) => sum + row.amount, 0n);
    return { rows, amount, position: position ?? 0n };
  }

  /** @throws DomainError `spend_too_large` */
  async #teamsBelow({ accountId, by }: SpendOrder): Promise<readonly string[]> {
    if (!by.includes('team')) return [];
    const teams = await this.subAccounts.below(accountId, TEAMS_MAX + 1);
    if (teams.length <= TEAMS_MAX) return teams;
    const detail = `by: expected at most ${TEAMS_MAX} teams below the account for a report by team`;
    throw new DomainError<RequestsErrorCode>('spend_too_large', detail);
  }
}

/** Sums cells by groups; usage and corrections are never in one row. */
class SpendSums {
  readonly #rows = new Map<string, SpendRow>();

  constructor(private readonly by: readonly SpendGroup[]) {}

  get size(): number {
    return this.#rows.size;
  }

  get rows(): readonly SpendRow[] {
    return [...this.#rows.values()];
  }

  add(cell: SpendCell, day: string, team: string | null): void {
    const { kind, corrects, quantity, amount } = cell;
    const group = Object.fromEntries(
      this.by.map((name) => [name, valueOf(name, cell, { day, team })]),
    );
    const name = JSON.stringify([kind, corrects, group]);
    const isCounted = kind === 'usage' && this.by.includes('class');
    const before = this.#rows.get(name) ?? { quantity: 0n, amount: 0n };
    this.#rows.set(name, {
      group,
      kind,
      corrects,
      quantity: isCounted ? (before.quantity ?? 0n) + BigInt(quantity) : null,
      amount: before.amount + fromDecimal(amount),
    });
  }
}

/** Where a cell was read. */
interface SpendSource {
  readonly day: string;
  /** Null: of the account itself. */
  readonly team: string | null;
}

const valueOf = (group: SpendGroup, cell: SpendCell, { day, team }: SpendSource): string | null => {
  switch (group) {
    case 'day':
      return day;
    case 'team':
      return team;
    case 'key':
      return cell.key;
    case 'user':
      return cell.endUser;
    case 'model':
      return cell.model;
    case 'rig':
      return cell.rig;
    case 'product':
      return cell.product;
    case 'class':
      return cell.meter;
    case 'tags':
      return cell.tags.length === 0 ? null : cell.tags.join(',');
    default: {
      const begin = `${tagNameOf(group)}=`;
      return cell.tags.find((tag) => tag.startsWith(begin))?.slice(begin.length) ?? null;
    }
  }
};
