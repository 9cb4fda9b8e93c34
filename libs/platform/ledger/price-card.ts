import { type CaptureTerms, type ChargedLine, type PriceLine } from '#events/hold.vocabulary.js';

/** The prices of a rate card or a catalog file, as products read them; decimal micro-dollars. */
export interface PriceCard {
  /** The version in the log; null for a file. */
  readonly version: number | null;
  readonly sourceSha256: string;
  /** By model id. */
  readonly models: ReadonlyMap<
    string,
    { readonly inputMicroUsdPerMtok: string; readonly outputMicroUsdPerMtok: string }
  >;
  /** By meter. */
  readonly meters: ReadonlyMap<string, UnitPrice>;
  /** An hour of a rig, by its name. */
  readonly rigs: ReadonlyMap<string, string>;
  readonly batchDiscountPercent: number;
}

export type UnitPrice = Pick<PriceLine, 'unitPriceMicroUsd' | 'perUnits'>;

/** What prices a charged line: its meter, its model, and what the charge says of the rest. */
export interface PricedWork {
  readonly line: Pick<ChargedLine, 'meter' | 'model'>;
  readonly charge: Pick<CaptureTerms, 'model' | 'evidence'>;
}

/** The model whose price a charged line has; undefined where the work has none. */
export const modelOfLine = ({ line, charge }: PricedWork): string | undefined =>
  line.model ?? charge.model;

/** The lines with the name of their model, for work that may ask several. */
export const ofModel = (model: string, lines: readonly PriceLine[]): readonly PriceLine[] =>
  lines.map((line) => ({ ...line, model }));

/** Prices of models are for this many tokens. */
export const TOKENS_PER_PRICE = 1_000_000;

const TOKEN_PRICES: ReadonlyMap<string, 'inputMicroUsdPerMtok' | 'outputMicroUsdPerMtok'> = new Map(
  [
    ['input_tokens', 'inputMicroUsdPerMtok'],
    ['output_tokens', 'outputMicroUsdPerMtok'],
  ],
);

/** Whether a model prices the meter: such a line can be priced only with the name of its model. */
export const isPricedByModel = (meter: string): boolean => TOKEN_PRICES.has(meter);

/** What a unit of a line costs with a card: by its model or by its meter. Null: it does not say. */
export const unitPriceOf = (card: PriceCard, work: PricedWork): UnitPrice | null => {
  const { meter } = work.line;
  const field = TOKEN_PRICES.get(meter);
  if (field === undefined) return card.meters.get(meter) ?? null;
  const price = card.models.get(modelOfLine(work) ?? '');
  return price ? { unitPriceMicroUsd: price[field], perUnits: TOKENS_PER_PRICE } : null;
};
