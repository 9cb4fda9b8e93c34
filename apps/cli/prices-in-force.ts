import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { instant } from '#platform/kernel/clock.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { type Quipu } from './quipu.context.js';

/** Commands start no catalog. Needs the area `catalog` and the read model of its rate cards. */
export const pricesInForce = async ({
  queries,
  clock,
}: Pick<Quipu, 'queries' | 'clock'>): Promise<MeterPriceList> => {
  const { card } = await queries.execute(new RateCardQuery({ at: instant(clock) }));
  return {
    rateCardVersion: card.version,
    prices: new Map(card.meters.map(({ meter, ...price }) => [meter, price])),
  };
};
