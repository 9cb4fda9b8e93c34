import { type PriceLine, type UsedUnits } from '#events/hold.vocabulary.js';
import { isTokenMeter, SEARCH_METER, sideOf, TOKEN_PARTS } from '#events/token-meters.js';
import {
  type PricePeriod,
  type PriceTier,
  type TokenPrice,
} from '#events/token-price.vocabulary.js';
import { type DoubtedUsage, doubtsOf, type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { ofModel } from '#platform/ledger/price-card.js';
import { isAbove, priceOf } from '#platform/ledger/price.js';
import { underStep } from '#platform/ledger/steps.js';
import {
  chargedTokenLines,
  heldTokenLines,
  periodAt,
  tierOf,
  type PriceScope,
  timesPercent,
  type TokenBound,
  type TokenTerms,
  type TokenUnits,
  withoutMedia,
} from '#platform/ledger/token-price.js';
import { type FurtherUsage, type Usage } from './chat-usage.js';

const PERCENT = 100;
const BATCH = 'batch';
/** Calls of models that one answer is charged for, beside its first. */
export const FURTHER_CALLS_MAX = 16;

export interface TokenRate extends TokenPrice {
  /** Of the rate card. */
  readonly version: number;
  /** 0 to 100: how much less a line of a batch costs, where the model has no batch prices. */
  readonly batchDiscountPercent: number;
}

/** The token rates of all models. Neither look-up waits. */
export interface TokenRates {
  /** The rate in force at an instant, in milliseconds since the epoch. */
  rateFor(modelId: string, atMs: number): TokenRate | undefined;
  /** The catalog id of a model, by that id or by the name that its provider has for it. */
  idOf(name: string): string | undefined;
}

/** The terms that decide the prices of some work, beside its tokens. */
export interface TariffTerms extends Omit<TokenTerms, 'period'> {
  /** False for several prompts in one: they have the prices below every context tier. */
  readonly isTiered?: boolean;
  /** A line of a batch. */
  readonly isBatch?: boolean;
}

type Counted = Omit<Usage, 'further' | 'source'>;

/** Tokens as units, for work that another one holds and charges. */
export interface UsedTokens extends DoubtedUsage {
  readonly used: readonly UsedUnits[];
}

const NO_DOUBTS: readonly UsageDoubt[] = [];

export interface ChargedUsage {
  readonly lines: readonly PriceLine[];
  readonly doubts: readonly UsageDoubt[];
}

/**
 * The token prices of one model at one instant. Every product that charges tokens makes the
 * lines of its holds and of its charges here.
 */
export class TokenTariff {
  readonly #period: PricePeriod | undefined;

  constructor(
    private readonly rates: Pick<TokenRates, 'rateFor' | 'idOf'>,
    readonly model: string,
    readonly rate: TokenRate,
    /** The instant of the prices, in milliseconds since the Unix epoch. */
    readonly atMs: number,
  ) {
    this.#period = periodAt(rate, atMs);
  }

  /** Undefined for a model that was not on sale at the instant. */
  static at(
    rates: Pick<TokenRates, 'rateFor' | 'idOf'>,
    model: string,
    atMs: number,
  ): TokenTariff | undefined {
    const rate = rates.rateFor(model, atMs);
    return rate && new TokenTariff(rates, model, rate, atMs);
  }

  get rateCardVersion(): number {
    return this.rate.version;
  }

  /** Whether the price has such a service tier. */
  hasService(name: string): boolean {
    return Object.hasOwn((this.#period?.price ?? this.rate).serviceTiers ?? {}, name);
  }

  /** The prices that a request with so much input has, where they are not the standard ones. */
  tierOf(inputTokens: number, terms: TariffTerms = {}): PriceTier {
    return tierOf(this.rate, inputTokens, this.#scope(terms)).tier;
  }

  /** The lines of a hold: the dearest that the work may become. */
  held(bound: TokenBound, terms: TariffTerms = {}): PriceLine[] {
    const { isTiered = true, hasMedia } = terms;
    const { service, residency, period } = this.#scope(terms);
    const inputTokensMax = isTiered ? terms.inputTokensMax : 0;
    const held = { service, residency, period, hasMedia, inputTokensMax };
    return this.#discounted(heldTokenLines(bound, this.rate, held), terms);
  }

  /**
   * The lines of a charge, before its hold limits them: in the service tier and the place that the
   * rig states, but never dearer than the requested tier and place. Each further call of a model is
   * a step, at the price of its model.
   */
  charged(usage: Usage, terms: TariffTerms = {}): ChargedUsage {
    const lines = this.#linesOf(usage, terms);
    const { further } = usage;
    if (!further) return { lines, doubts: usage.doubts ?? NO_DOUBTS };
    const doubts = new Set(usage.doubts);
    if (further.length > FURTHER_CALLS_MAX) doubts.add('too_many_calls');
    const calls = further.slice(0, FURTHER_CALLS_MAX).flatMap((call, index) => {
      for (const doubt of call.usage.doubts ?? []) doubts.add(doubt);
      return underStep(`call-${index + 2}`, this.#furtherLines(call, terms, doubts));
    });
    return { lines: [...lines, ...calls], doubts: [...doubts] };
  }

  /**
   * The lines of a charge as units. Where a class has one price in every request, units cost as
   * much as their hold.
   */
  used(usage: Usage, terms: TariffTerms = {}, rig?: string): UsedTokens {
    const { rate } = this;
    const isFlat = !(rate.classes ?? rate.tiers ?? rate.serviceTiers ?? rate.residencyPercent);
    const { lines, doubts } = this.charged(usage, terms);
    const used = lines.map(({ step, meter, quantity, ...price }) => ({
      ...(step !== undefined && { step }),
      ...(rig !== undefined && { rig }),
      meter,
      quantity,
      ...(!(isFlat && !this.#period && price.model === undefined) && { price }),
    }));
    return { used, ...doubtsOf([{ usageDoubts: doubts }]) };
  }

  #furtherLines(
    { model: name, usage }: FurtherUsage,
    terms: TariffTerms,
    doubts: Set<UsageDoubt>,
  ): readonly PriceLine[] {
    const own = this.#linesOf(usage, terms);
    const id = this.rates.idOf(name);
    if (id === this.model) return own;
    const tariff = id === undefined ? undefined : TokenTariff.at(this.rates, id, this.atMs);
    if (!tariff || id === undefined) {
      doubts.add('unknown_model');
      return own;
    }
    const lines = tariff.#linesOf(usage, terms);
    const bounds = this.held({ inputTokens: 1, outputTokens: 1, searches: 1 }, terms);
    const isDearer = lines.some(({ quantity, ...line }) => {
      const meter = isTokenMeter(line.meter) ? sideOf(line.meter) : line.meter;
      const bound = bounds.find((one) => one.meter === meter);
      return quantity > 0 && bound !== undefined && isAbove(line, bound);
    });
    if (!isDearer) return ofModel(id, lines);
    doubts.add('dearer_model');
    return own;
  }

  #linesOf(usage: Counted, terms: TariffTerms): readonly PriceLine[] {
    const { hasMedia = false, isTiered = true } = terms;
    const units = hasMedia ? unitsOf(usage) : withoutMedia(unitsOf(usage));
    const size = isTiered ? usage.promptTokens : 0;
    const asked = this.#scope(terms);
    const lines = this.#discounted(chargedTokenLines(units, this.rate, asked, size), terms);
    const service = usage.serviceTier;
    const residency = usage.residency ?? asked.residency;
    if (service === asked.service && residency === asked.residency) return lines;
    const scope = { service, residency, period: asked.period };
    const answered = this.#discounted(chargedTokenLines(units, this.rate, scope, size), terms);
    return priceOf(answered) < priceOf(lines) ? answered : lines;
  }

  /** Batch prices replace the service tier that the line of a batch asks for. */
  #scope({ service, residency, isBatch = false }: TariffTerms): PriceScope {
    return { service: isBatch ? BATCH : service, residency, period: this.#period?.name };
  }

  #discounted(lines: PriceLine[], { isBatch = false }: TariffTerms): PriceLine[] {
    const { batchDiscountPercent } = this.rate;
    if (!isBatch || this.hasService(BATCH) || batchDiscountPercent === 0) return lines;
    return lines.map((line) =>
      line.meter === SEARCH_METER ? line : timesPercent(line, PERCENT - batchDiscountPercent),
    );
  }
}

/** The tokens of each class: the parts, and the rest of the prompt and of the answer. */
const unitsOf = ({ promptTokens, completionTokens, parts, searches }: Counted): TokenUnits => {
  const rest = { input_tokens: promptTokens, output_tokens: completionTokens };
  if (!parts && searches === undefined) return rest;
  for (const part of TOKEN_PARTS) rest[sideOf(part)] -= parts?.[part] ?? 0;
  return { ...rest, ...parts, ...(searches !== undefined && { [SEARCH_METER]: searches }) };
};
