import { type ChargeAdjusted, type HoldCaptured } from '#events/billing/account.events.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { modelOfLine, type PriceCard } from '#platform/ledger/price-card.js';
import { type UnitPrice } from '#platform/ledger/price.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { repriced, type RepricedLine } from './reprice.js';

/** Units of one purpose, model and meter, at two prices. */
export interface PriceDifference {
  readonly purpose: string;
  readonly model: string | null;
  readonly meter: string;
  readonly quantity: bigint;
  readonly from: UnitPrice;
  readonly to: UnitPrice;
}

/** The charges of an account, as they were made and at other prices. */
export interface RepricedAccount {
  readonly accountId: string;
  readonly charges: number;
  /** Charges that the card does not price: they stay as they are, in both sums. */
  readonly unpriced: number;
  readonly charged: MicroUsd;
  readonly repriced: MicroUsd;
  /** Given back by earlier re-ratings, less what they charged in addition. */
  readonly rerated: MicroUsd;
  readonly reratings: number;
  /** Only prices that differ. */
  readonly lines: readonly PriceDifference[];
}

interface Sums {
  charges: number;
  unpriced: number;
  charged: MicroUsd;
  repriced: MicroUsd;
  rerated: MicroUsd;
  reratings: number;
  readonly lines: Map<string, PriceDifference>;
}

/** Prices charges with another card, one at a time, and sums them by account. */
export class Repricing {
  readonly #accounts = new Map<string, Sums>();
  readonly #products: ReadonlyMap<string, AnyProduct>;

  constructor(
    products: readonly AnyProduct[],
    private readonly card: PriceCard,
  ) {
    this.#products = new Map(products.map((product) => [product.purpose, product]));
  }

  charge(data: HoldCaptured['data']): void {
    const sums = this.#of(data.accountId);
    const amount = fromDecimal(data.amountMicroUsd);
    const after = repriced(data, this.#products.get(data.purpose), this.card);
    sums.charges += 1;
    sums.charged += amount;
    sums.repriced += after?.amount ?? amount;
    if (!after) sums.unpriced += 1;
    for (const line of after?.lines ?? []) addLine(sums.lines, data, line);
  }

  rerating({ accountId, amountMicroUsd }: ChargeAdjusted['data']): void {
    const sums = this.#of(accountId);
    sums.rerated += fromDecimal(amountMicroUsd);
    sums.reratings += 1;
  }

  /** Accounts with charges, in the order of their first one. */
  accounts(): readonly RepricedAccount[] {
    return [...this.#accounts].flatMap(([accountId, { lines, ...sums }]) =>
      sums.charges === 0 ? [] : [{ accountId, ...sums, lines: [...lines.values()] }],
    );
  }

  #of(accountId: string): Sums {
    const known = this.#accounts.get(accountId);
    if (known) return known;
    const sums: Sums = {
      charges: 0,
      unpriced: 0,
      charged: 0n,
      repriced: 0n,
      rerated: 0n,
      reratings: 0,
      lines: new Map(),
    };
    this.#accounts.set(accountId, sums);
    return sums;
  }
}

const addLine = (
  lines: Map<string, PriceDifference>,
  charge: HoldCaptured['data'],
  { line, to }: RepricedLine,
): void => {
  const { purpose } = charge;
  const model = modelOfLine({ line, charge }) ?? null;
  const { meter, unitPriceMicroUsd, perUnits } = line;
  const from = { unitPriceMicroUsd, perUnits };
  if (isSamePrice(from, to)) return;
  const key = JSON.stringify([purpose, model, meter, from, to]);
  const quantity = (lines.get(key)?.quantity ?? 0n) + BigInt(line.quantity);
  lines.set(key, { purpose, model, meter, quantity, from, to });
};

const isSamePrice = (one: UnitPrice, other: UnitPrice): boolean =>
  fromDecimal(one.unitPriceMicroUsd) * BigInt(other.perUnits) ===
  fromDecimal(other.unitPriceMicroUsd) * BigInt(one.perUnits);
