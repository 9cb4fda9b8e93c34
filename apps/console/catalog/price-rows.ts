import { type AnswerOf } from '../shell/routes.js';
/** A rate card as the route of rates gives it. */
export type Rates = AnswerOf<'/api/v1/billing/rates.php'>;

/** A price on one card, and on the card beside it. Null: not on that card. */
export interface PriceRow {
  readonly name: string;
  readonly unit: string;
  readonly price: number | null;
  readonly other: number | null;
}

type Price = readonly [name: string, unit: string, usd: number];

const pricesOf = ({ models, compute, meters }: Rates): readonly Price[] => [
  ...models.flatMap((model): readonly Price[] => [
    [model.id, 'a million tokens in', model.input_usd_per_mtok],
    [model.id, 'a million tokens out', model.output_usd_per_mtok],
  ]),
  ...compute.map(({ rig, hourly_usd: hourly }): Price => [`rental of ${rig}`, 'an hour', hourly]),
  ...meters.map(({ meter, usd, per }): Price => [meter, String(per), usd]),
];

/** The prices of both cards, each once, in the order of the first. */
export const rowsOf = (card: Rates, beside: Rates | null): readonly PriceRow[] => {
  const keyOf = ([name, unit]: Price): string => `${name}\n${unit}`;
  const [own, others] = [card, beside].map(
    (rates) => new Map(rates === null ? [] : pricesOf(rates).map((price) => [keyOf(price), price])),
  );
  return [...new Map([...(own ?? []), ...(others ?? [])])].map(([key, [name, unit]]) => ({
    name,
    unit,
    price: own?.get(key)?.[2] ?? null,
    other: others?.get(key)?.[2] ?? null,
  }));
};
