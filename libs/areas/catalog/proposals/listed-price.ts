import { picoUsdOf } from '#platform/kernel/pico-usd.js';
import { type PRICE_FIELDS } from '../token-price.schema.js';

/** A field of a price of the catalog, such as `input_usd_per_mtok`. */
export type PriceField = (typeof PRICE_FIELDS)[keyof typeof PRICE_FIELDS] | typeof SEARCH_FIELD;

export const SEARCH_FIELD = 'search_usd_per_thousand';

/** Micro-dollars for a million tokens, or for a thousand searches, by field. */
export type ListedPrices = Readonly<Partial<Record<PriceField, bigint>>>;

export interface ListedTier {
  /** The tier applies to more input tokens than these. */
  readonly above: number;
  readonly prices: ListedPrices;
}

/** The price of one model in a list. */
export interface ListedPrice {
  readonly prices: ListedPrices;
  /** In rising order. */
  readonly tiers: readonly ListedTier[];
  /** By service tier. */
  readonly services: ReadonlyMap<
    string,
    { readonly prices: ListedPrices; readonly tiers: readonly ListedTier[] }
  >;
  /** The parts of the list that are left out, each with its reason. */
  readonly notes: readonly string[];
}

/** A row of a list: a model under its name, with its price or the reason why it has none. */
export interface ListedRow {
  /** The names under which the list has the model, the most precise one first. */
  readonly names: readonly string[];
  readonly provider: string;
  readonly price: ListedPrice | { readonly problem: string };
}

/** A price that cannot be taken over. */
export class UnmappedPriceError extends Error {
  override readonly name = 'UnmappedPriceError';
}

/** The unit of the prices in a list. */
export type ListUnit = 'token' | 'million_tokens' | 'search';

const MILLION = 1_000_000n;
/** Units that a price of the catalog is for, in units of a list. */
const FACTORS: Readonly<Record<ListUnit, bigint>> = {
  token: MILLION,
  million_tokens: 1n,
  search: 1_000n,
};
/** Parts of a dollar that are counted: fine enough to see prices that a micro-dollar rounds. */
const PARTS_PER_USD = 10n ** 24n;
const PARTS_PER_MICRO_USD = PARTS_PER_USD / MILLION;

/**
 * A price in the micro-dollars of the catalog, exactly: 1.25e-7 dollars for a token are 125,000.
 * @throws UnmappedPriceError
 */
export const catalogMicroUsd = (field: string, written: unknown, unit: ListUnit): bigint => {
  const isNumber = typeof written === 'number' || typeof written === 'string';
  const parts = isNumber ? picoUsdOf(String(written), PARTS_PER_USD) : null;
  if (parts === null) {
    throw new UnmappedPriceError(`${field}: expected a price, received ${JSON.stringify(written)}`);
  }
  const price = parts * FACTORS[unit];
  if (price % PARTS_PER_MICRO_USD !== 0n) {
    throw new UnmappedPriceError(
      `${field}: expected whole micro-dollars for a million tokens, received ${String(written)}`,
    );
  }
  return price / PARTS_PER_MICRO_USD;
};

/** Collects the price of one model while its row is read. */
export class PriceDraft {
  readonly #prices: Partial<Record<PriceField, bigint>> = {};
  readonly #tiers = new Map<number, Partial<Record<PriceField, bigint>>>();
  readonly #services = new Map<string, PriceDraft>();
  readonly #notes: string[] = [];

  constructor(private readonly unit: ListUnit) {}

  /**
   * @param above of the tier that the price is of; absent: of none
   * @throws UnmappedPriceError
   */
  set(name: string, field: PriceField, written: unknown, above?: number): void {
    if (written === undefined || written === null) return;
    const unit = field === SEARCH_FIELD ? 'search' : this.unit;
    const price = catalogMicroUsd(name, written, unit);
    const isSide = field === 'input_usd_per_mtok' || field === 'output_usd_per_mtok';
    // Lists write 0 for classes that have no price of their own.
    if (price === 0n && !isSide) return;
    if (above === undefined) {
      this.#prices[field] = price;
      return;
    }
    this.#tiers.set(above, { ...this.#tiers.get(above), [field]: price });
  }

  service(name: string): PriceDraft {
    const known = this.#services.get(name) ?? new PriceDraft(this.unit);
    this.#services.set(name, known);
    return known;
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** @throws UnmappedPriceError without a price of input */
  price(): ListedPrice {
    if (this.#prices.input_usd_per_mtok === undefined) {
      throw new UnmappedPriceError('has no price for input tokens');
    }
    return {
      prices: this.#prices,
      tiers: this.#risingTiers(),
      services: new Map(
        [...this.#services].map(([name, draft]) => [
          name,
          { prices: draft.#prices, tiers: draft.#risingTiers() },
        ]),
      ),
      notes: this.#notes,
    };
  }

  #risingTiers(): readonly ListedTier[] {
    return [...this.#tiers]
      .toSorted(([one], [other]) => one - other)
      .map(([above, prices]) => ({ above, prices }));
  }
}

/** The price of a row, or its problem. */
export const priceOfRow = (
  unit: ListUnit,
  read: (draft: PriceDraft) => void,
): ListedRow['price'] => {
  const draft = new PriceDraft(unit);
  try {
    read(draft);
    return draft.price();
  } catch (error) {
    if (!(error instanceof UnmappedPriceError)) throw error;
    return { problem: error.message };
  }
};
