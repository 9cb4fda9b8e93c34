import { isModelMeter, TOKEN_METERS } from '#events/token-meters.js';
import {
  type ContextTier,
  type PricePeriod,
  type PricesByMeter,
  type ServiceTierPrice,
  type TokenPrice,
  type TokenPriceList,
} from '#events/token-price.vocabulary.js';
import { timesPercent, tokenUnitPrice } from '#platform/ledger/token-price.js';
import { type AccountHistory, type Movement } from './account-history.js';
import { type ArchivedEvent } from './bill-archive.js';
import { demand } from '../proof/proof.error.js';
import {
  amountOf,
  demandOnly,
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textOrNull,
  wholeOf,
} from '../proof/json-fields.js';
import { type PricedLine } from './priced-lines.js';

/** The findings about the prices of a month. */
export interface PriceReport {
  /** Lines whose price is the price of their model on their rate card. */
  readonly ofModel: number;
  /** Lines of charges that name no model, whose price is the price of some model on their card. */
  readonly ofCard: number;
  /** Lines of other meters whose price is the price of their meter on their rate card. */
  readonly ofMeter: number;
  /** Meters that no rate card prices, such as the meters of rented rigs. */
  readonly unpriced: ReadonlySet<string>;
}

const PERCENT = 100;

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
  if (!isModelMeter(line.meter)) return false;
  const whole = tokenUnitPrice(tokenPriceIn(price), line.meter, line.tier);
  const batch = timesPercent(whole, PERCENT - wholeOf(card, 'batchDiscountPercent'));
  return [whole, batch].some(
    ({ unitPriceMicroUsd, perUnits }) =>
      line.unitPrice === BigInt(unitPriceMicroUsd) && line.perUnits === BigInt(perUnits),
  );
};

const decimalOf = (fields: Fields, name: string): string => amountOf(fields, name).toString();

const pricesIn = (value: unknown): PricesByMeter => {
  const fields = fieldsOf(value, 'the prices of classes');
  demandOnly(fields, TOKEN_METERS, 'the prices of classes');
  return Object.fromEntries(Object.keys(fields).map((name) => [name, decimalOf(fields, name)]));
};

const tiersIn = (fields: Fields): readonly ContextTier[] =>
  listOf(fields, 'tiers').map((tier) => {
    const of = fieldsOf(tier, 'a tier');
    return {
      aboveInputTokens: wholeOf(of, 'aboveInputTokens'),
      mode: textOf(of, 'mode') === 'excess' ? 'excess' : 'whole',
      prices: pricesIn(of['prices']),
    };
  });

const serviceIn = (value: unknown): ServiceTierPrice => {
  const fields = fieldsOf(value, 'a service tier');
  return {
    percent: wholeOf(fields, 'percent'),
    prices: pricesIn(fields['prices']),
    ...('tiers' in fields && { tiers: [...tiersIn(fields)] }),
  };
};

/** An object whose values are of one kind; undefined where the field is absent. */
const recordIn = <Value>(
  fields: Fields,
  name: string,
  valueOf: (fields: Fields, key: string) => Value,
): Readonly<Record<string, Value>> | undefined => {
  if (fields[name] === undefined) return undefined;
  const record = fieldsOf(fields[name], name);
  return Object.fromEntries(Object.keys(record).map((key) => [key, valueOf(record, key)]));
};

const priceListIn = (fields: Fields): TokenPriceList => {
  const { classes, tiers, searchMicroUsdPerThousand } = fields;
  const serviceTiers = recordIn(fields, 'serviceTiers', (record, name) => serviceIn(record[name]));
  const residencyPercent = recordIn(fields, 'residencyPercent', wholeOf);
  return {
    inputMicroUsdPerMtok: decimalOf(fields, 'inputMicroUsdPerMtok'),
    outputMicroUsdPerMtok: decimalOf(fields, 'outputMicroUsdPerMtok'),
    ...(classes !== undefined && { classes: pricesIn(classes) }),
    ...(tiers !== undefined && { tiers: [...tiersIn(fields)] }),
    ...(serviceTiers && { serviceTiers }),
    ...(residencyPercent && { residencyPercent }),
    ...(searchMicroUsdPerThousand !== undefined && {
      searchMicroUsdPerThousand: decimalOf(fields, 'searchMicroUsdPerThousand'),
    }),
  };
};

const tokenPriceIn = (value: unknown): TokenPrice => {
  const fields = fieldsOf(value, 'a price');
  if (fields['periods'] === undefined) return priceListIn(fields);
  const periods = listOf(fields, 'periods').map((one): PricePeriod => {
    const period = fieldsOf(one, 'a period');
    const { price } = period;
    return {
      name: textOf(period, 'name'),
      percent: wholeOf(period, 'percent'),
      ...(price !== undefined && { price: priceListIn(fieldsOf(price, 'the price of a period')) }),
    };
  });
  return { ...priceListIn(fields), periods };
};

/** Whether the card prices the meter of the line. @throws ProofError for another price */
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
 * @throws ProofError for a price that is not on the card, and for a card that is missing
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
      if (!isModelMeter(line.meter)) {
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
