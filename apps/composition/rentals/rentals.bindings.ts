import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { RentalRates } from '#areas/rentals/rental-rates.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';

export const bindings: readonly Provider[] = [
  {
    provide: RentalRates,
    inject: [QueryBus, CLOCK],
    useFactory: (queries: QueryBus, clock: Clock): RentalRates => ({
      rateOf: async (rig) => {
        const { card } = await queries.execute(new RateCardQuery({ at: instant(clock) }));
        const rate = card.compute.find((one) => one.rig === rig);
        return (
          (rate && { rateCardVersion: card.version, microUsdPerHour: rate.microUsdPerHour }) ?? null
        );
      },
    }),
  },
];
