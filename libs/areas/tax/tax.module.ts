import { Module } from '@nestjs/common';
import { taxEvents } from '#events/tax/tax-status.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { SupplyTaxHandler } from './supply-tax.handler.js';
import { TableAges } from './table-ages.js';
import { TaxComplianceHandler } from './tax-compliance.handler.js';
import { taxStatusDecider } from './tax-status.decider.js';
import {
  SetTaxStatusHandler,
  TAX_STATUSES,
  TaxStatusHandler,
  type TaxStatusRunner,
} from './tax-status.handlers.js';
import { TaxStatuses } from './tax-statuses.js';
import { TaxTool } from './tax.tool.js';
import { VatRates } from './vat-rates.js';
import { WithholdingHandler } from './withholding.handler.js';

const taxStatuses = {
  provide: TAX_STATUSES,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): TaxStatusRunner =>
    new CommandRunner({ decider: taxStatusDecider, eventStore, codec: codec.for(taxEvents) }),
};

/** Requires, besides the platform: `AccountsAbove`. */
@Module({
  providers: [
    taxStatuses,
    { provide: VatRates, useFactory: () => new VatRates() },
    TableAges,
    TaxStatuses,
    TaxComplianceHandler,
    SetTaxStatusHandler,
    TaxStatusHandler,
    SupplyTaxHandler,
    WithholdingHandler,
    TaxTool,
  ],
  exports: [TaxTool],
})
export class TaxModule {}
