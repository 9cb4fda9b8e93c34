import { picoUsdOf } from '#platform/kernel/pico-usd.js';
import { type JsonObject } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';
import { keepSource } from './json-source.js';
import { parseObject } from './parsed-object.js';
import { isObject } from './token-usage.js';

/** Fields of `usage` in which known providers state what they charge. */
const COSTS_IN_USAGE = [
  'cost',
  'cost_details',
  'cost_in_usd_ticks',
  'estimated_cost',
  'is_byok',
] as const;

/** The fields of an event in which the answer itself may be. */
const ANSWERS = ['response', 'message'] as const;

/**
 * An answer or an event without what it cost, which callers must not see. The cost goes to the sink
 * if there is one.
 */
export const takeCost = (answer: JsonObject, sink: CostSink | undefined): JsonObject => {
  const takeInner = (inner: JsonObject): JsonObject => takeOwnCost(inner, sink);
  let left = takeOwnCost(answer, sink);
  for (const name of ANSWERS) left = withInner(left, name, takeInner);
  // The bytes that the rig sent have the cost in them.
  if (left !== answer) keepSource(left, JSON.stringify(left));
  return left;
};

/** As `takeCost`, for the text of an event: most have no cost, and are not parsed. */
export const takeCostIn = (data: string, sink: CostSink | undefined): string => {
  const names = sink ? [...COSTS_IN_USAGE, sink.field.path.at(-1) ?? ''] : COSTS_IN_USAGE;
  if (!names.some((name) => data.includes(`"${name}"`))) return data;
  const parsed = parseObject(data);
  const left = parsed && takeCost(parsed, sink);
  return left === parsed ? data : JSON.stringify(left);
};

const takeOwnCost = (answer: JsonObject, sink: CostSink | undefined): JsonObject =>
  withInner(sink ? takeStated(answer, sink) : answer, 'usage', withoutCosts);

const withoutCosts = (usage: JsonObject): JsonObject =>
  COSTS_IN_USAGE.some((field) => field in usage) ? without(usage, COSTS_IN_USAGE) : usage;

/** The same object where nothing changes. */
const withInner = (
  object: JsonObject,
  name: string,
  change: (inner: JsonObject) => JsonObject,
): JsonObject => {
  const inner = object[name];
  if (!isObject(inner)) return object;
  const changed = change(inner);
  return changed === inner ? object : { ...object, [name]: changed };
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
