import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type CallerDialect } from '#platform/chats/chat-order.js';
import { hasFeature } from '../rig-eligibility.js';
import { type RigPreference, ranksOf } from './rig-preference.js';
import { type HealthParts, type Rig, type RigState } from '../rig-state.js';
import { savingOf, type WarmSession } from './warm-sessions.js';

/** The parts of a score that one request adds to health and load. Lower is better. */
export interface ChoiceParts {
  /** Far above the other parts: its place in the order that the caller prefers. */
  readonly preference: number;
  /** Its purchase price in relation to the dearest of the rigs. */
  readonly price: number;
  /** Below 0 where its cache has the prompt. */
  readonly cache: number;
  /** It does not speak the dialect of the caller: decides among equals. */
  readonly dialect: number;
}

/** All that the score of a rig is the sum of. */
export type ScoreParts = HealthParts & ChoiceParts;

export interface ChoiceWeights {
  /** Of the price; 0: it does not count. */
  readonly price: number;
  /** Of a warm cache. */
  readonly cache: number;
}

export const CHOICE_WEIGHTS: ChoiceWeights = { price: 0.5, cache: 1 };

/** Above the worst score of all other parts. */
const PREFERENCE_WEIGHT = 64;
/** Below every other difference. */
const DIALECT_WEIGHT = 1e-6;
/** Most chats have about three tokens of input for one of output. */
const INPUT_PER_OUTPUT = 3;

const NOTHING: ChoiceParts = { preference: 0, price: 0, cache: 0, dialect: 0 };

/** How one request sees its rigs. */
export class RigChoice {
  /** Of a request that sees no difference. */
  static readonly none = new RigChoice(new Map());

  constructor(private readonly parts: ReadonlyMap<RigState, ChoiceParts>) {}

  of(state: RigState): ChoiceParts {
    return this.parts.get(state) ?? NOTHING;
  }
}

/** The facts of a request by which it sees its rigs. */
export interface ChoiceFacts {
  readonly model: string;
  readonly dialect: CallerDialect;
  readonly preference: RigPreference | undefined;
  readonly warm: WarmSession | undefined;
  readonly nowMs: number;
}

export const choiceAmong = (
  rigs: readonly RigState[],
  { model, dialect, preference, warm, nowMs }: ChoiceFacts,
  weights: ChoiceWeights,
): RigChoice => {
  if (rigs.length < 2) return RigChoice.none;
  const prices = rigs.map(({ rig }) => blendedPrice(priceOf(rig, model)));
  const dearest = Math.max(0, ...prices.filter((price) => price !== null));
  const ranks = preference && ranksOf(preference, rigs, { model, prices, nowMs });
  return new RigChoice(
    new Map(
      rigs.map((state, n) => [
        state,
        {
          preference: PREFERENCE_WEIGHT * (ranks?.[n] ?? 0),
          price: dearest === 0 ? 0 : (weights.price * (prices[n] ?? dearest)) / dearest,
          cache:
            warm?.rig === state.rig.name
              ? -weights.cache * savingOf(warm, priceOf(state.rig, model))
              : 0,
          dialect: speaksTo(state.rig, dialect) ? 0 : DIALECT_WEIGHT,
        },
      ]),
    ),
  );
};

const priceOf = ({ costs }: Rig, model: string): TokenPrice | null | undefined =>
  costs?.get(model)?.price;

/** Null: unknown, which counts as the dearest. */
const blendedPrice = (price: TokenPrice | null | undefined): number | null =>
  price
    ? (INPUT_PER_OUTPUT * Number(price.inputMicroUsdPerMtok) +
        Number(price.outputMicroUsdPerMtok)) /
      (INPUT_PER_OUTPUT + 1)
    : null;

const speaksTo = (rig: Rig, dialect: CallerDialect): boolean =>
  dialect === 'chat' ? rig.speaksChat !== false : hasFeature(rig, { feature: dialect });

/** Why a rig lost, by the part of its score that is furthest above the winner's. */
export const REASON_OF_PART = {
  preference: 'less_preferred',
  load: 'busier',
  firstToken: 'slower',
  errors: 'failing',
  breaker: 'on_trial',
  region: 'remote',
  price: 'dearer',
  cache: 'colder',
  dialect: 'translated',
} as const satisfies Readonly<Record<keyof ScoreParts, string>>;

export const totalOf = (parts: ScoreParts): number =>
  parts.load +
  parts.firstToken +
  parts.errors +
  parts.breaker +
  parts.region +
  parts.preference +
  parts.price +
  parts.cache +
  parts.dialect;
