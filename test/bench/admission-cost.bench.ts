import { parseJson } from '#apps/gateway/bodies/json-body.js';
import { VALUES_MAX, VALUES_OF_SHAPE } from '#apps/gateway/bodies/json-bounds.js';
import { HttpFailure } from '#apps/gateway/errors/http-failure.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { type ServedModel } from '#areas/inference/ports.js';
import { tokenBounds } from '#areas/inference/token-bound.js';

/**
 * What the most expensive bodies cost the main thread before their hold: bounds, parser, validation
 * and token count. `npm run admission`
 */
const BODY_BYTES = 4_194_304;
const RUNS = 21;

const model: ServedModel = {
  id: 'm',
  upstreamId: 'm',
  sendsDefaults: true,
  fallbacks: [],
  contextTokens: 1_000_000,
  maxOutputTokens: 4_096,
  chargesCancelled: true,
};

const around = (content: string): string =>
  `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`;

const filled = (unit: string): string =>
  around(unit.repeat(Math.floor((BODY_BYTES - 80) / unit.length)));

const MESSAGE = '{"role":"user","content":"x"}';

const withKeys = (run: number, count: number): string =>
  around('x').slice(0, -1) +
  Array.from({ length: count }, (_, n) => `,"k${run}_${n}":0`).join('') +
  '}';

/** Every key differs from run to run: the engine remembers the shapes of objects. */
const BODIES: Readonly<Record<string, (run: number) => string>> = {
  'one short question': () => around('What is a quipu?'),
  'a text of 4 MiB': () => filled('a'),
  'escaped quotes of 4 MiB': () => filled('\\"'),
  'escaped letters of 4 MiB': () => filled('\\u0041'),
  'spaces of 4 MiB': () => around('x') + ' '.repeat(BODY_BYTES - 80),
  'as many messages as allowed': () =>
    `{"model":"m","messages":[${Array(MESSAGES_MAX).fill(MESSAGE).join()}]}`,
  'as many bad messages': () =>
    `{"model":"m","messages":[${Array(MESSAGES_MAX).fill('{"role":"x"}').join()}]}`,
  'as many keys': (run) => withKeys(run, Math.floor(VALUES_MAX / (1 + VALUES_OF_SHAPE)) - 10),
  '16,384 keys': (run) => withKeys(run, VALUES_MAX - 10),
  'as many shapes of messages': (run) =>
    `{"model":"m","messages":[${Array.from(
      { length: Math.floor(VALUES_MAX / (4 + VALUES_OF_SHAPE)) - 10 },
      (_, n) => `{"role":"user","content":"x","k${run}_${n}":0}`,
    ).join()}]}`,
  '300,000 keys': (run) =>
    `{${Array.from({ length: 300_000 }, (_, n) => `"k${run}_${n}":0`).join()}}`,
};

const admit = (bytes: Buffer): void => {
  try {
    const body = parseChatBody(parseJson(bytes));
    tokenBounds(body, model);
  } catch (error) {
    const isRefused = error instanceof RejectedRequestError || error instanceof HttpFailure;
    if (!isRefused) throw error;
  }
};

/** CPU time of this thread, which other processes do not disturb. */
const msOf = (bytes: Buffer): number => {
  const before = process.threadCpuUsage();
  admit(bytes);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e3;
};

for (const [name, bodyOf] of Object.entries(BODIES)) {
  const ms = Array.from({ length: RUNS }, (_, run) => msOf(Buffer.from(bodyOf(run))));
  ms.sort((one, other) => one - other);
  const median = ms[Math.floor(RUNS / 2)] ?? 0;
  const slowest = ms.at(-1) ?? 0;
  process.stdout.write(
    `${name.padEnd(30)} median ${median.toFixed(2)} ms, slowest ${slowest.toFixed(2)} ms\n`,
  );
}
