import { picoUsdOf } from '#platform/kernel/pico-usd.js';
import { type JsonObject } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';
import { isObject } from './token-usage.js';

/** Fields of `usage` in which known providers state what they charge. */
const COSTS_IN_USAGE = [
  'cost',
  'cost_details',
  'cost_in_usd_ticks',
  'estimated_cost',
  'is_byok',
] as const;

/**
 * An answer or a chunk without what it cost, which callers must not see. The cost goes to the sink
 * if there is one.
 */
export const takeCost = (answer: JsonObject, sink: CostSink | undefined): JsonObject => {
  const left = sink ? takeStated(answer, sink) : answer;
  const { usage } = left;
  if (!isObject(usage) || !COSTS_IN_USAGE.some((field) => field in usage)) return left;
  return { ...left, usage: without(usage, COSTS_IN_USAGE) };
};

const takeStated = (answer: JsonObject, sink: CostSink): JsonObject => {
  const { path, picoPerUnit } = sink.field;
  const value = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), answer);
  if (value === undefined) return answer;
  const isAmount = typeof value === 'number' || typeof value === 'string';
  const cost = isAmount ? picoUsdOf(String(value), picoPerUnit) : null;
  if (cost !== null) sink.stated(cost);
  return withoutPath(answer, path);
};

const withoutPath = (object: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject => {
  const inner = object[name];
  if (rest.length === 0 || !isObject(inner)) return without(object, [name]);
  return { ...object, [name]: withoutPath(inner, rest) };
};

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
