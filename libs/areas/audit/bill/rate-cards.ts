import { type AccountHistory, type Movement } from './account-history.js';
import { type ArchivedEvent } from './bill-archive.js';
import { demand } from './bill.error.js';
import { amountOf, type Fields, fieldsOf, textOrNull, wholeOf } from './json-fields.js';
import { type PricedLine } from './priced-lines.js';

/** What was found of the prices of a month. */
export interface PriceReport {
  /** Lines whose price is that of their model on their rate card. */
  readonly ofModel: number;
  /** Lines of charges that name no model, whose price is that of some model on their card. */
  readonly ofCard: number;
  /** Lines of other meters whose price is that of their meter on their rate card. */
  readonly ofMeter: number;
  /** Meters that no rate card prices, such as those of rented rigs. */
  readonly unpriced: ReadonlySet<string>;
}

/** Prices of models are per this many tokens; of batches, with a discount, per a hundred times. */
const TOKENS = 1_000_000n;
const PERCENT = 100n;

const PRICE_OF_METER: Readonly<Record<string, string>> = {
  input_tokens: 'inputMicroUsdPerMtok',
  output_tokens: 'outputMicroUsdPerMtok',
};

const cardsByVersion = (cards: readonly ArchivedEvent[]): ReadonlyMap<number, Fields> => {
  const byVersion = new Map<number, Fields>();
  for (const { event } of cards) {
    demand(event.type === 'RateCardPublished', `a ${event.type} is no rate card`);
    const version = wholeOf(event.data, 'version');
    demand(!byVersion.has(version), `there are two rate cards of version ${version}`);
    byVersion.set(version, event.data);
  }
  return byVersion;
};

/** Whether the line has the price of the model, with or without the discount of batches. */
const hasPriceOf = (line: PricedLine, price: unknown, card: Fields): boolean => {
  const field = PRICE_OF_METER[line.meter];
  if (field === undefined || typeof price !== 'object' || price === null) return false;
  const full = amountOf(fieldsOf(price, 'a price'), field);
  if (line.perUnits === TOKENS) return line.unitPrice === full;
  const percent = PERCENT - BigInt(wholeOf(card, 'batchDiscountPercent'));
  return line.perUnits === TOKENS * PERCENT && line.unitPrice === full * percent;
};

/** Whether the card prices the meter of the line. @throws BillError for another price */
const isPricedMeter = ({ meter, unitPrice, perUnits }: PricedLine, card: Fields): boolean => {
  const prices = fieldsOf(card['meterPrices'], 'the prices of meters');
  if (!Object.hasOwn(prices, meter)) return false;
  const price = fieldsOf(prices[meter], 'a price');
  const isOfCard =
    unitPrice === amountOf(price, 'unitPriceMicroUsd') &&
    perUnits === BigInt(wholeOf(price, 'perUnits'));
  demand(isOfCard, `rate card ${wholeOf(card, 'version')} has another price of ${meter}`);
  return true;
};

/**
 * Compares the unit price of each charged line of the month with the rate card that it names.
 * @throws BillError for a price that is not on the card, and for a card that is missing
 */
export const comparePrices = (
  { movements }: Pick<AccountHistory, 'movements'>,
  month: string,
  archived: readonly ArchivedEvent[],
): PriceReport => {
  const cards = cardsByVersion(archived);
  let [ofModel, ofCard, ofMeter] = [0, 0, 0];
  const unpriced = new Set<string>();
  const compare = ({ data, lines }: Movement): void => {
    const version = wholeOf(data, 'rateCardVersion');
    const card = cards.get(version);
    demand(card !== undefined, `the rate card ${version} is missing`);
    const prices = fieldsOf(card['prices'], 'the prices of a rate card');
    for (const line of lines) {
      const model = line.model ?? textOrNull(data, 'model');
      if (!(line.meter in PRICE_OF_METER)) {
        if (isPricedMeter(line, card)) ofMeter += 1;
        else unpriced.add(line.meter);
      } else if (model !== null && model in prices) {
        const where = `rate card ${version} has another price of ${line.meter} of ${model}`;
        demand(hasPriceOf(line, prices[model], card), where);
        ofModel += 1;
      } else {
        const isThere = Object.values(prices).some((price) => hasPriceOf(line, price, card));
        demand(isThere, `rate card ${version} has no price of ${line.meter} as it was charged`);
        ofCard += 1;
      }
    }
  };
  for (const one of movements) if (one.kind === 'charge' && one.month === month) compare(one);
  return { ofModel, ofCard, ofMeter, unpriced };
};
