import { z } from 'zod';
import { rejectedField, rejectedFields } from '#platform/runtime/commands/rejected-request.js';
import { type Attributes, VALUE_LENGTH_MAX } from './labels.js';

const Value = z.union([z.string().max(VALUE_LENGTH_MAX), z.number(), z.boolean()]);
const Key = z.string().min(1).max(64);
const VALUES_MAX = 100;
const FILTERS_MAX = 64;
const DEPTH_MAX = 8;

const Comparison = z.strictObject({
  type: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte']),
  key: Key,
  value: Value,
});
const Membership = z.strictObject({
  type: z.enum(['in', 'nin']),
  key: Key,
  value: z.array(Value).max(VALUES_MAX),
});

type Compound = { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] };
/** Of documents, by their attributes, as OpenAI's vector stores have it. */
export type AttributeFilter = z.infer<typeof Comparison> | z.infer<typeof Membership> | Compound;

const AnyFilter: z.ZodType<AttributeFilter> = z.discriminatedUnion('type', [
  Comparison,
  Membership,
  z.strictObject({
    type: z.enum(['and', 'or']),
    get filters() {
      return z.array(AnyFilter).min(1).max(FILTERS_MAX);
    },
  }),
]);

/**
 * @param at the field of the request that has the filter
 * @throws RejectedRequestError 400 that names the field
 */
export const readFilter = (sent: unknown, at: string): AttributeFilter => {
  if (depthOf(sent) > DEPTH_MAX)
    throw rejectedField(at, `expected a depth of at most ${DEPTH_MAX}`);
  const read = AnyFilter.safeParse(sent);
  if (!read.success) throw rejectedFields(read.error, at);
  if (countOf(read.data) > FILTERS_MAX) {
    throw rejectedField(at, `expected at most ${FILTERS_MAX} filters`);
  }
  return read.data;
};

const filtersIn = (sent: unknown): readonly unknown[] =>
  typeof sent === 'object' && sent !== null && 'filters' in sent && Array.isArray(sent.filters)
    ? sent.filters
    : [];

const depthOf = (sent: unknown, deep = 1): number =>
  deep > DEPTH_MAX ? deep : Math.max(deep, ...filtersIn(sent).map((one) => depthOf(one, deep + 1)));

const countOf = (filter: AttributeFilter): number =>
  'filters' in filter ? filter.filters.reduce((sum, one) => sum + countOf(one), 1) : 1;

/** An attribute that is absent, or of another type, is equal to none and in no order. */
export const matches = (filter: AttributeFilter, attributes: Attributes): boolean => {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((one) => matches(one, attributes));
    case 'or':
      return filter.filters.some((one) => matches(one, attributes));
    case 'in':
      return filter.value.includes(attributes[filter.key] ?? NaN);
    case 'nin':
      return !filter.value.includes(attributes[filter.key] ?? NaN);
    case 'eq':
      return attributes[filter.key] === filter.value;
    case 'ne':
      return attributes[filter.key] !== filter.value;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isInOrder(filter.type, attributes[filter.key], filter.value);
  }
};

const isInOrder = (
  type: 'gt' | 'gte' | 'lt' | 'lte',
  one: Attributes[string] | undefined,
  other: Attributes[string],
): boolean => {
  if (one === undefined || typeof one !== typeof other) return false;
  if (one === other) return type === 'gte' || type === 'lte';
  return one > other === (type === 'gt' || type === 'gte');
};
