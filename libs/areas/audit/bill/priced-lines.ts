import { type PriceTier } from '#events/token-price.vocabulary.js';
import {
  demandOnly,
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textOrNull,
  amountOf,
  wholeOf,
} from '../proof/json-fields.js';
import { demand } from '../proof/proof.error.js';

/** One line of a hold or a charge. */
export interface PricedLine {
  readonly meter: string;
  /** The model whose price it is; null where the charge names it, or none has it. */
  readonly model: string | null;
  readonly quantity: bigint;
  readonly unitPrice: bigint;
  readonly perUnits: bigint;
  /** Of the price of a model; nothing in it for the standard price. */
  readonly tier: PriceTier;
}

export const pricedLinesOf = (data: Fields): readonly PricedLine[] =>
  listOf(data, 'lines').map((line) => {
    const fields = fieldsOf(line, 'a line');
    const quantity = wholeOf(fields, 'quantity');
    const perUnits = wholeOf(fields, 'perUnits');
    demand(quantity >= 0 && perUnits > 0, 'a line has a quantity below zero');
    return {
      meter: textOf(fields, 'meter'),
      model: textOrNull(fields, 'model'),
      quantity: BigInt(quantity),
      unitPrice: amountOf(fields, 'unitPriceMicroUsd'),
      perUnits: BigInt(perUnits),
      tier: tierOf(fields['tier']),
    };
  });

const NAMES = ['service', 'period', 'residency'] as const;

const tierOf = (value: unknown): PriceTier => {
  if (value === undefined) return {};
  const fields = fieldsOf(value, 'the tier of a line');
  demandOnly(fields, [...NAMES, 'aboveInputTokens'], 'the tier of a line');
  const named = NAMES.filter((name) => fields[name] !== undefined);
  const { aboveInputTokens } = fields;
  return {
    ...Object.fromEntries(named.map((name) => [name, textOf(fields, name)])),
    ...(aboveInputTokens !== undefined && {
      aboveInputTokens: wholeOf(fields, 'aboveInputTokens'),
    }),
  };
};

/** The exact sum of the lines, rounded up once to a whole micro-dollar. */
export const priceOf = (lines: readonly PricedLine[]): bigint => {
  const divisor = lines.reduce((product, { perUnits }) => leastCommon(product, perUnits), 1n);
  const sum = lines.reduce(
    (total, { quantity, unitPrice, perUnits }) =>
      total + quantity * unitPrice * (divisor / perUnits),
    0n,
  );
  return (sum + divisor - 1n) / divisor;
};

const leastCommon = (one: bigint, other: bigint): bigint =>
  (one / greatestCommon(one, other)) * other;

const greatestCommon = (one: bigint, other: bigint): bigint =>
  other === 0n ? one : greatestCommon(other, one % other);
