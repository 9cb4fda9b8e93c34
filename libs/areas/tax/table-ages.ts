import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TAX_SETTINGS, type TaxSettings } from './tax.settings.js';

export type TaxTable = 'vat' | 'withholding';

const DAY_MS = 86_400_000;

/** Tables change with the law: an old one is marked on every answer. */
@Injectable()
export class TableAges {
  constructor(
    @Inject(TAX_SETTINGS) private readonly settings: TaxSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The tables above the stated age. @param asOf their dates */
  stale(asOf: Readonly<Partial<Record<TaxTable, string>>>): readonly TaxTable[] {
    const oldest = this.clock.now() - this.settings.tableDaysMax * DAY_MS;
    const tables = Object.entries(asOf) as readonly (readonly [TaxTable, string])[];
    return tables.filter(([, date]) => Date.parse(date) < oldest).map(([table]) => table);
  }
}
