import { type CaptureTerms, type ChargedLine, type PriceLine } from '#events/hold.vocabulary.js';
import { INPUT_METER, isModelMeter, isTokenMeter, sideOf } from '#events/token-meters.js';
import { type PriceTier, type TokenPrice } from '#events/token-price.vocabulary.js';
import { type UnitPrice } from './price.js';
import { tierOf, tokenUnitPrice } from './token-price.js';

/** The prices of a rate card or a catalog file, as products read them; decimal micro-dollars. */
export interface PriceCard {
  /** The version in the log; null for a file. */
  readonly version: number | null;
  readonly sourceSha256: string;
  /** By model id. */
  readonly models: ReadonlyMap<string, TokenPrice>;
  /** By meter. */
  readonly meters: ReadonlyMap<string, UnitPrice>;
  /** An hour of a rig, by its name. */
  readonly rigs: Pick<ReadonlyMap<string, string>, 'get'>;
  readonly batchDiscountPercent: number;
}

/** The facts that price a charged line: its meter and model, and the terms of its charge. */
export interface PricedWork {
  readonly line: Pick<ChargedLine, 'meter' | 'model' | 'step' | 'tier'>;
  readonly charge: Pick<CaptureTerms, 'model' | 'evidence' | 'lines'>;
}

/** The model whose price a charged line has; undefined where the work has none. */
export const modelOfLine = ({ line, charge }: PricedWork): string | undefined =>
  line.model ?? charge.model;

/** The lines with the name of their model unless they name another, where work may ask several. */
export const ofModel = (model: string, lines: readonly PriceLine[]): PriceLine[] =>
  lines.map((line) => ({ model, ...line }));

/**
 * The price of a unit of a line on a card: by its model or by its meter. Null: it has none. A
 * line keeps its service tier, and its context tier where the card has that edge.
 */
export const unitPriceOf = (card: PriceCard, work: PricedWork): UnitPrice | null =>
  priceIn(card, work, ({ line }) => line.tier ?? {});

/**
 * As `unitPriceOf`, for a charge whose lines are one request, each of whose steps is a call of a
 * model: its input decides the context tier, whatever the edges of the card are.
 */
export const requestPriceOf = (card: PriceCard, work: PricedWork): UnitPrice | null =>
  priceIn(card, work, ({ line, charge }, price) => {
    const tokens = charge.lines.reduce(
      (sum, { step, meter, quantity }) =>
        step === line.step && isTokenMeter(meter) && sideOf(meter) === INPUT_METER
          ? sum + quantity
          : sum,
      0,
    );
    const { aboveInputTokens: _, ...scope } = line.tier ?? {};
    const { tier, mode } = tierOf(price, tokens, scope);
    return mode === 'whole' ? tier : (line.tier ?? {});
  });

const priceIn = (
  card: PriceCard,
  work: PricedWork,
  tierIn: (work: PricedWork, price: TokenPrice) => PriceTier,
): UnitPrice | null => {
  const { meter } = work.line;
  if (!isModelMeter(meter)) return card.meters.get(meter) ?? null;
  const price = card.models.get(modelOfLine(work) ?? '');
  return price ? tokenUnitPrice(price, meter, tierIn(work, price)) : null;
};
