/** A rate card as the route of rates gives it. */
export interface Rates {
  readonly position: string;
  readonly rate_card: {
    readonly version: number;
    readonly effective_from: string;
    readonly source_sha256: string;
    readonly batch_discount_percent: number;
  };
  readonly models: readonly {
    readonly id: string;
    readonly input_usd_per_mtok: number;
    readonly output_usd_per_mtok: number;
  }[];
  readonly compute: readonly { readonly rig: string; readonly hourly_usd: number }[];
  readonly meters: readonly {
    readonly meter: string;
    readonly usd: number;
    readonly per: number;
  }[];
}

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
