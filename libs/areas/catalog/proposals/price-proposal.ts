import { isMap, isNode, parseDocument, type Document, type Node } from 'yaml';
import { PICO_USD_PER_MICRO_USD, picoInUsd } from '#platform/kernel/pico-usd.js';
import { parseCatalog } from '../catalog.parser.js';
import { ModelPrice, PRICE_FIELDS } from '../token-price.schema.js';
import {
  type ListedPrice,
  type ListedPrices,
  type ListedRow,
  type ListedTier,
  type PriceField,
} from './listed-price.js';

export interface ProposalOptions {
  /** Only rows of this provider. */
  readonly provider?: string;
  /** The name in the list of models that it has under another one, by catalog id. */
  readonly names?: ReadonlyMap<string, string>;
}

export interface PriceChange {
  /** The place in the price: `input_usd_per_mtok`, `tiers[above 200000].input_usd_per_mtok`. */
  readonly field: string;
  /** USD for a million tokens; null: none before. */
  readonly from: string | null;
  readonly to: string;
}

/** The changes that a list proposes for one model of the catalog. */
export interface ProposedModel {
  readonly model: string;
  /** In the list; null: not found. */
  readonly listed: string | null;
  readonly changes: readonly PriceChange[];
  /** The parts of the list that are left out, and the prices of the catalog that stay. */
  readonly notes: readonly string[];
  /** Why its price stays as it is; null: it is taken over. */
  readonly problem: string | null;
}

export interface PriceProposal {
  /** The catalog file with the proposed prices; comments and order stay. */
  readonly source: string;
  readonly models: readonly ProposedModel[];
  readonly isChanged: boolean;
}

/**
 * The catalog with the prices of a list. A class that the list does not state keeps its price.
 * @throws CatalogError for a catalog that cannot be read
 */
export const proposePrices = (
  source: string,
  file: string,
  rows: readonly ListedRow[],
  options: ProposalOptions = {},
): PriceProposal => {
  const { models } = parseCatalog(source, file);
  const document = parseDocument(source);
  const find = finderOf(rows, options);
  const proposed = models.map(({ id, upstreamId, file: local }, index): ProposedModel => {
    if (local !== null) return unchanged(id, null, 'is served from a file of its own');
    const found = find(id, upstreamId);
    if (typeof found === 'string') return unchanged(id, null, found);
    const { row, name } = found;
    if ('problem' in row.price) return unchanged(id, name, row.price.problem);
    return applied({ document, index, id, name, price: row.price });
  });
  const isChanged = proposed.some(({ changes }) => changes.length > 0);
  const next = isChanged ? document.toString({ lineWidth: 0 }) : source;
  parseCatalog(next, file);
  return { source: next, models: proposed, isChanged };
};

const unchanged = (model: string, listed: string | null, problem: string): ProposedModel => ({
  model,
  listed,
  changes: [],
  notes: [],
  problem,
});

interface FoundRow {
  readonly row: ListedRow;
  readonly name: string;
}

/** The row of a model by its exact name, or the reason why there is none. */
const finderOf = (rows: readonly ListedRow[], { provider, names }: ProposalOptions) => {
  const ofProvider =
    provider === undefined ? rows : rows.filter((row) => row.provider === provider);
  const byName = new Map<string, ListedRow[]>();
  const byOtherName = new Map<string, ListedRow[]>();
  for (const row of ofProvider) {
    for (const [index, name] of row.names.entries()) {
      const index1 = index === 0 ? byName : byOtherName;
      index1.set(name, [...(index1.get(name) ?? []), row]);
    }
  }
  return (id: string, upstreamId: string): FoundRow | string => {
    const asked = names?.get(id);
    const candidates = asked === undefined ? [...new Set([id, upstreamId])] : [asked];
    for (const index of [byName, byOtherName]) {
      for (const name of candidates) {
        const [row, ...others] = index.get(name) ?? [];
        if (!row) continue;
        if (others.length === 0) return { row, name: row.names[0] ?? name };
        const providers = [row, ...others].map((one) => one.provider).slice(0, 10);
        return `is listed by several providers: ${providers.join(', ')}`;
      }
    }
    return `is not in the list as ${candidates.join(' or ')}`;
  };
};

interface Application {
  readonly document: Document;
  /** Of the model in the file. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly price: ListedPrice;
}

type Written = Readonly<Record<string, unknown>>;

const applied = ({ document, index, id, name, price }: Application): ProposedModel => {
  const path = ['models', index, 'price'];
  const node = document.getIn(path, true);
  if (hasAnchor(node)) {
    return unchanged(id, name, 'has a price with an anchor, which other models may use');
  }
  const before = plainOf(document, node);
  const after = merged(before, price);
  const checked = ModelPrice.safeParse(asText(after));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return unchanged(id, name, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  }
  const changes = changesBetween(before, after);
  if (changes.length > 0) document.setIn(path, document.createNode(after));
  return {
    model: id,
    listed: name,
    changes,
    notes: [...price.notes, ...kept(before, price)],
    problem: null,
  };
};

const hasAnchor = (node: unknown): boolean => {
  if (!isNode(node)) return false;
  if ('anchor' in node && typeof node.anchor === 'string') return true;
  return isMap(node) && node.items.some(({ value }) => hasAnchor(value));
};

/** Amounts as numbers, which YAML writes as they were. */
const plainOf = (document: Document, node: unknown): Written =>
  isNode(node) ? ((node satisfies Node).toJS(document) as Written) : {};

const inUsd = (microUsd: bigint): string => picoInUsd(microUsd * PICO_USD_PER_MICRO_USD);

const fieldsOf = (prices: ListedPrices): Written =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, Number(inUsd(price))]));

const tiersOf = (tiers: readonly ListedTier[]): Written =>
  tiers.length === 0
    ? {}
    : {
        tiers: tiers.map(({ above, prices }) => ({
          above_input_tokens: above,
          ...fieldsOf(prices),
        })),
      };

const merged = (before: Written, { prices, tiers, services }: ListedPrice): Written => {
  const old = (before['service_tiers'] ?? {}) as Written;
  const listed = [...services].map(([name, service]) => [
    name,
    { ...fieldsOf(service.prices), ...tiersOf(service.tiers) },
  ]);
  const all = { ...old, ...(Object.fromEntries(listed) as Written) };
  return {
    ...before,
    ...fieldsOf(prices),
    ...tiersOf(tiers),
    ...(Object.keys(all).length > 0 && { service_tiers: all }),
  };
};

/** The schema of prices takes amounts as text. */
const asText = (value: unknown, name = ''): unknown => {
  if (typeof value === 'number' && /(^|_)usd(_|$)/.test(name)) return String(value);
  if (Array.isArray(value)) return value.map((one) => asText(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asText(one, key)]));
};

const changesBetween = (before: Written, after: Written): readonly PriceChange[] => {
  const old = amountsIn(before);
  const next = amountsIn(after);
  return [...next].flatMap(([field, to]) => {
    const from = old.get(field) ?? null;
    return from === to ? [] : [{ field, from, to }];
  });
};

/** Every amount of a price by its place. */
const amountsIn = (value: unknown, place = ''): ReadonlyMap<string, string> => {
  if (Array.isArray(value)) {
    return new Map(
      value.flatMap((tier: Written) => [
        ...amountsIn(tier, `${place}[above ${String(tier['above_input_tokens'])}]`),
      ]),
    );
  }
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, one]): readonly (readonly [string, string])[] => {
      const at = place === '' ? name : `${place}.${name}`;
      if (typeof one === 'object') return [...amountsIn(one, at)];
      return name.includes('_usd_') ? [[at, String(one)]] : [];
    }),
  );
};

/** Classes of the catalog that the list does not price. */
const kept = (before: Written, { prices }: ListedPrice): readonly string[] =>
  Object.values(PRICE_FIELDS)
    .filter((field: PriceField) => before[field] !== undefined && prices[field] === undefined)
    .map((field) => `${field} is not in the list and stays`);
