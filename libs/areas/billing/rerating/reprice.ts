import { type HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { priceOf, type UnitPrice } from '#platform/ledger/price.js';
import { type AnyProduct } from '#platform/ledger/product.js';

/** Units of one price, and what they are at another one. */
export interface RepricedLine {
  readonly line: ChargedLine;
  readonly to: UnitPrice;
}

/** A charge at other prices; null where the card lacks a price of its lines. */
export const repriced = (
  charge: Pick<HoldCaptured['data'], 'lines' | 'model' | 'evidence'>,
  product: AnyProduct | undefined,
  card: PriceCard,
): { readonly amount: MicroUsd; readonly lines: readonly RepricedLine[] } | null => {
  const found: RepricedLine[] = [];
  for (const line of charge.lines) {
    const to = product?.unitPrice(card, { line, charge });
    if (!to) return null;
    found.push({ line, to });
  }
  const amount = priceOf(found.map(({ line, to }) => ({ ...line, ...to })));
  return { amount, lines: found };
};
