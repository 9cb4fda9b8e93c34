import { type HoldCaptured } from '#events/billing/account.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type PriceCard, type UnitPrice } from '#platform/ledger/price-card.js';
import { priceOf } from '#platform/ledger/price.js';
import { type AnyProduct } from '#platform/ledger/product.js';

/** Units of one price, and what they are at another one. */
export interface RepricedLine {
  readonly line: PriceLine;
  readonly to: UnitPrice;
}

/** A charge at other prices; null where the card or the product lacks a price of its lines. */
export const repriced = (
  { lines, ...charge }: Pick<HoldCaptured['data'], 'lines' | 'model'>,
  product: AnyProduct | undefined,
  card: PriceCard,
): { readonly amount: MicroUsd; readonly lines: readonly RepricedLine[] } | null => {
  const model = charge.model ?? null;
  const found: RepricedLine[] = [];
  for (const line of lines) {
    const to = product?.unitPrice?.(card, { meter: line.meter, model });
    if (!to) return null;
    found.push({ line, to });
  }
  const amount = priceOf(found.map(({ line, to }) => ({ ...line, ...to })));
  return { amount, lines: found };
};
