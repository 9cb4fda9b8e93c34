import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { PartnerAccess } from '#areas/partners/partner-access.js';
import { Beneficiaries } from '#areas/payouts/beneficiaries.port.js';
import { Charges } from '#areas/payouts/charges.port.js';
import { WithholdingTax } from '#areas/payouts/withholding-tax.port.js';
import { WithholdingQuery } from '#areas/tax/withholding.handler.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { AccountCharges } from './charges.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: Beneficiaries,
    inject: [PartnerAccess],
    useFactory: (partners: PartnerAccess): Beneficiaries => ({
      ofUser: async (caller) =>
        caller.role === 'Investor'
          ? `investor-${caller.userId}`
          : `partner-${await partners.partnerOf(caller, undefined)}`,
    }),
  },
  {
    provide: Charges,
    inject: [EVENT_STORE, CODEC],
    useFactory: (eventStore: EventStore, codec: EventCodec) =>
      new AccountCharges(eventStore, codec),
  },
  {
    provide: WithholdingTax,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): WithholdingTax => ({
      decide: (payment) => queries.execute(new WithholdingQuery(payment)),
    }),
  },
];
