import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type TaxStatusSet } from '#events/tax/tax-status.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type TaxStatus } from '#projections/tax/tax-status.projection.js';
import { type TaxStatusCommand, type TaxStatusState } from './tax-status.decider.js';
import { TaxStatuses } from './tax-statuses.js';
import { type TaxErrorCode } from './tax.errors.js';
import { TableAges, type TaxTable } from './table-ages.js';
import { type VatRate, VatRates } from './vat-rates.js';
import { demandCountry } from './withholding.js';

export type TaxStatusRunner = CommandRunner<TaxStatusCommand, TaxStatusState, TaxStatusSet>;
export const TAX_STATUSES = Symbol('TaxStatuses');

export const taxStatusStream = (accountId: string): string => `tax-${accountId}`;

type Change =
  | Omit<Extract<TaxStatusCommand, { type: 'DeclareCountry' }>['data'], 'setAt'>
  | Omit<Extract<TaxStatusCommand, { type: 'SetTaxStatus' }>['data'], 'setAt'>;

/**
 * Sets the tax status of an account: with the facts that the operator has verified, or the country
 * only.
 */
export class SetTaxStatusCommand extends Command<{ readonly changed: boolean }> {
  constructor(
    readonly change: Change,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError `country_unknown`, `region_unknown` */
@CommandHandler(SetTaxStatusCommand)
export class SetTaxStatusHandler implements ICommandHandler<SetTaxStatusCommand> {
  constructor(
    @Inject(TAX_STATUSES) private readonly runner: TaxStatusRunner,
    private readonly rates: VatRates,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ change, context }: SetTaxStatusCommand): Promise<{ readonly changed: boolean }> {
    demandPlace(change.country, change.region, this.rates);
    const setAt = instant(this.clock);
    const command: TaxStatusCommand =
      'taxExempt' in change
        ? { type: 'SetTaxStatus', data: { ...change, setAt } }
        : { type: 'DeclareCountry', data: { ...change, setAt } };
    const stream = taxStatusStream(change.accountId);
    const { events } = await this.runner.run(stream, command, context);
    return { changed: events.length > 0 };
  }
}

/** Canada's provinces have taxes of their own, so the country alone says too little. */
const NEEDS_REGION: ReadonlySet<string> = new Set(['CA']);

const demandPlace = (country: string, region: string | null, rates: VatRates): void => {
  demandCountry(country, rates);
  const regions = rates.regionsOf(country);
  if (region === null && NEEDS_REGION.has(country)) {
    reject(`region is required for ${country}: one of ${regions.join(', ')}`);
  }
  if (region !== null && !regions.includes(region)) {
    const known = regions.length > 0 ? `one of ${regions.join(', ')}` : 'none';
    reject(`region ${region} of ${country} is not in the tables; expected ${known}`);
  }
};

const reject = (message: string): never => {
  throw new DomainError<TaxErrorCode>('region_unknown', message);
};

export interface TaxStatusFound {
  /** Its own, or else the nearest one above it, whose account it names. Null: never set. */
  readonly status: TaxStatus | null;
  /** The standard rate of the place; null without a status. */
  readonly rate: VatRate | null;
  /** The tables that are older than the stated age. */
  readonly stale: readonly TaxTable[];
  readonly position: bigint;
}

/** The tax status that applies to an account. */
export class TaxStatusQuery extends Query<TaxStatusFound> {
  constructor(
    readonly accountId: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(TaxStatusQuery)
export class TaxStatusHandler implements IQueryHandler<TaxStatusQuery> {
  constructor(
    private readonly statuses: TaxStatuses,
    private readonly rates: VatRates,
    private readonly ages: TableAges,
  ) {}

  async execute({ accountId, asOf }: TaxStatusQuery): Promise<TaxStatusFound> {
    const { status, position, readAt } = await this.statuses.find(accountId, asOf);
    if (!status) return { status, rate: null, stale: [], position };
    const at = new Date(readAt).toISOString();
    const rate = this.rates.standardRate(status.country, status.region, at) ?? null;
    const stale = rate ? this.ages.stale({ vat: rate.asOf }) : [];
    return { status, rate, stale, position };
  }
}
