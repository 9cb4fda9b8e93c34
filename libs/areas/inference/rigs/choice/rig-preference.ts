import { type LostRig } from '#events/inference/chat.evidence.js';
import { refused } from '../rig-eligibility.js';
import { type Rig, type RigState } from '../rig-state.js';

export const RIG_SORTS = ['price', 'throughput', 'latency'] as const;

/** The wishes of a caller about rigs, in the words of OpenRouter's `provider`. */
export interface RigPreference {
  /** Names of rigs or providers, asked in this order before all others. */
  readonly order: readonly string[];
  /** Null: all. */
  readonly only: readonly string[] | null;
  readonly ignore: readonly string[];
  /** Replaces load and health, as far as rigs are up and have room. */
  readonly sort: (typeof RIG_SORTS)[number] | null;
  /** Null: any. */
  readonly quantizations: readonly string[] | null;
  /** Only rigs that keep nothing. */
  readonly deniesCollection: boolean;
  /** The same, by OpenRouter's other name. */
  readonly deniesRetention?: boolean;
  /** False: only the rigs of `order`, or the first choice where there is no order. */
  readonly allowsFallbacks: boolean;
}

interface Kept {
  readonly rigs: readonly RigState[];
  readonly lost: readonly LostRig[];
}

/**
 * The rigs that the caller leaves.
 * @param known all rigs of the catalog
 * @throws RouteError for a name that none of them has, and where no rig is left
 */
export const keptBy = (
  preference: RigPreference,
  candidates: readonly RigState[],
  known: readonly RigState[],
  model: string,
): Kept => {
  for (const field of ['order', 'only', 'ignore'] as const) {
    rejectUnknown(field, preference[field] ?? [], known);
  }
  let rigs = candidates;
  for (const [field, keeps] of FILTERS) {
    const kept = rigs.filter((state) => keeps(preference, state, model));
    if (kept.length === 0) {
      const param = `provider.${field}`;
      throw refused('routing', param, `${param}: expected rigs of the model ${model}, found none`);
    }
    rigs = kept;
  }
  const lost = candidates
    .filter((state) => !rigs.includes(state))
    .map(({ rig }): LostRig => ({ rig: rig.name, reason: 'excluded' }));
  return { rigs, lost };
};

type Filter = (preference: RigPreference, state: RigState, model: string) => boolean;

const FILTERS: readonly (readonly [field: string, keeps: Filter])[] = [
  ['only', ({ only }, state, model) => only === null || isAmong(only, state, model)],
  ['ignore', ({ ignore }, state, model) => !isAmong(ignore, state, model)],
  [
    'quantizations',
    ({ quantizations }, { rig }, model) =>
      quantizations === null || quantizations.includes(quantizationOf(rig, model)),
  ],
  [
    'data_collection',
    ({ deniesCollection }, { rig }) => !deniesCollection || rig.collectsData === false,
  ],
  ['zdr', ({ deniesRetention = false }, { rig }) => !deniesRetention || rig.collectsData === false],
  [
    'allow_fallbacks',
    ({ allowsFallbacks, order }, state, model) =>
      allowsFallbacks || order.length === 0 || isAmong(order, state, model),
  ],
];

const rejectUnknown = (
  field: string,
  names: readonly string[],
  known: readonly RigState[],
): void => {
  for (const [n, name] of names.entries()) {
    const base = name.split('/', 1)[0]?.toLowerCase();
    if (known.some(({ rig }) => namesOf(rig).includes(base ?? ''))) continue;
    const param = `provider.${field}[${n}]`;
    const names = [...new Set(known.flatMap(({ rig }) => namesOf(rig)))].slice(0, NAMED_MAX);
    const message = `${param}: expected a rig or a provider, such as ${names.join(', ')}`;
    throw refused('routing', param, `${message}, received ${name}`);
  }
};

/** Names in a message. */
const NAMED_MAX = 16;

const quantizationOf = (rig: Rig, model: string): string =>
  rig.terms?.get(model)?.quantization ?? 'unknown';

/** As callers write them: without regard to case. */
const namesOf = ({ name, provider = null }: Rig): readonly string[] =>
  provider === null ? [name.toLowerCase()] : [provider.toLowerCase(), name.toLowerCase()];

/** `acme` is every rig of that provider, `acme/fp8` its rigs with that quantization. */
const isNamed = (name: string, rig: Rig, model: string): boolean => {
  const [base = '', variant] = name.toLowerCase().split('/', 2);
  if (!namesOf(rig).includes(base)) return false;
  return variant === undefined || variant === quantizationOf(rig, model);
};

const isAmong = (names: readonly string[], { rig }: RigState, model: string): boolean =>
  names.some((name) => isNamed(name, rig, model));

/** The facts that `sort` compares. */
interface SortFacts {
  readonly model: string;
  /** Of each rig; null: unknown. */
  readonly prices: readonly (number | null)[];
  readonly nowMs: number;
}

/** The place of each rig in the caller's order: 0 goes first, and equals share a place. */
export const ranksOf = (
  { order, sort }: RigPreference,
  rigs: readonly RigState[],
  { model, prices, nowMs }: SortFacts,
): readonly number[] => {
  const places = rigs.map(({ rig }) => {
    const place = order.findIndex((name) => isNamed(name, rig, model));
    return place === -1 ? order.length : place;
  });
  if (sort === null) return places;
  const values = rigs.map((state, n) => {
    switch (sort) {
      case 'price':
        return prices[n] ?? Infinity;
      case 'latency':
        return state.firstTokenMsOf(model, nowMs);
      case 'throughput':
        return -state.tokensPerSecondOf(model);
    }
  });
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  return places.map((place, n) =>
    place < order.length ? place : order.length + sorted.indexOf(values[n] ?? 0),
  );
};
