import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatBackend, type JsonObject } from './chat-backend.js';
import { RigError, type RigErrorKind } from './chat-backend.js';
import { type OperatorFields } from './operator-fields.js';
import { type RouteTarget } from './rig-candidates.js';
import { createRigRouter, type RigRouterOptions } from './rig-router.js';
import { type Priority } from './rig-state.js';
import { RouteError } from './route-error.js';
import { chunksOf, completionOf, never, requestOf } from './upstream.fake.js';

export const USAGE: Usage = { promptTokens: 1, completionTokens: 1, source: 'provider' };
export const ANSWER: ChatAnswer = { completion: completionOf('Hi'), usage: USAGE };

type Move = ChatAnswer | RigError | (() => Promise<ChatAnswer>);

export const failing = (kind: RigErrorKind, details: RigError['details'] = {}): RigError =>
  new RigError(kind, kind, details);

/** Answers the n-th request with the n-th move, later ones with the last. */
export const scripted = (...moves: readonly Move[]) => {
  const asked: unknown[] = [];
  const answer = async (body: unknown): Promise<ChatAnswer> => {
    asked.push(body);
    const move = moves[Math.min(asked.length, moves.length) - 1] ?? ANSWER;
    await Promise.resolve();
    if (move instanceof RigError) throw move;
    return typeof move === 'function' ? move() : move;
  };
  const backend: ChatBackend = {
    complete: ({ body }) => answer(body),
    async *stream({ body }) {
      const { usage } = await answer(body);
      for (const chunk of chunksOf('Hi')) yield [chunk];
      return usage;
    },
    close: () => Promise.resolve(),
  };
  return { backend, asked };
};

/** A request that stays until it is let go. */
export const held = () => {
  const { promise, resolve } = Promise.withResolvers<ChatAnswer>();
  return {
    move: () => promise,
    letGo: () => {
      resolve(ANSWER);
    },
  };
};

interface Setting extends Partial<RigRouterOptions> {
  readonly rigsOf: Readonly<Record<string, ChatBackend>>;
  readonly maxConcurrency?: number;
  readonly batchConcurrencyMax?: number;
  readonly operatorFields?: OperatorFields;
}

/** A router whose clock moves by the sleeps alone; a wait for a slot never ends by itself. */
export const routerOf = ({
  rigsOf,
  maxConcurrency = 2,
  batchConcurrencyMax = maxConcurrency,
  operatorFields,
  ...options
}: Setting) => {
  const time = { nowMs: 1_000 };
  const pauses: number[] = [];
  const router = createRigRouter({
    rigs: Object.entries(rigsOf).map(([name, backend]) => ({
      name,
      backend,
      maxConcurrency,
      batchConcurrencyMax,
      models: new Set(['llama', `only-${name}`]),
      ...(operatorFields && { operatorFields }),
    })),
    clock: { now: () => time.nowMs },
    sleep: (ms) => {
      if (ms === 10_000) return new Promise(() => undefined);
      pauses.push(ms);
      time.nowMs += ms;
      return Promise.resolve();
    },
    random: () => 0.5,
    ...options,
  });
  const complete = (
    order: { model?: string; account?: string; pin?: string; priority?: Priority } = {},
    signal = never,
  ) =>
    router.complete(
      {
        model: 'llama',
        needs: [],
        request: () => requestOf({ model: 'llama' }),
        ...order,
      },
      signal,
    );
  const check = (target: Partial<RouteTarget> = {}, body: JsonObject = {}): RouteError | null => {
    try {
      router.check({ model: 'llama', ...target }, body);
      return null;
    } catch (error) {
      if (error instanceof RouteError) return error;
      throw error;
    }
  };
  return { router, complete, check, pauses, time };
};

export const errorOf = async (work: Promise<unknown>): Promise<RouteError> => {
  const error: unknown = await work.catch((cause: unknown) => cause);
  if (error instanceof RouteError) return error;
  throw new Error(`expected a RouteError, got ${String(error)}`);
};

/** Lets everything go on that does not wait for the outside. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
