import { DomainError } from '#platform/kernel/domain-error.js';
import {
  sumOfUsage,
  type TokenQuantities,
  type Usage,
  usageObject,
} from '#platform/chats/chat-usage.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { type ServedModel } from './ports.js';
import {
  type ChatChunk,
  type ChatRequest,
  type JsonObject,
  RigError,
} from './rigs/chat-backend.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { type RoutedAnswer, type RoutedStream } from './rigs/rig-router.js';
import { type RouteAttempt, RouteError } from './rigs/route-error.js';
import { choicesOf, tokenBounds } from './token-bound.js';
import { upstreamBody } from './upstream-body.js';

/**
 * Several prompts in one request, as legacy completions have them: rigs answer one after another,
 * and the answers become one, whose choices are in the order of the prompts.
 */
export interface Prompts {
  readonly body: ChatBody;
  readonly others?: readonly ChatBody[];
  /** As in `ChatRequest`. */
  readonly isBatch?: boolean;
}

const allOf = ({ body, others = [] }: Prompts): readonly ChatBody[] => [body, ...others];

/** @throws DomainError `context_length_exceeded` */
export const boundsOfAll = (prompts: Prompts, model: ServedModel): TokenQuantities =>
  allOf(prompts)
    .map((body) => tokenBounds(body, model))
    .reduce((sum, bound) => ({
      inputTokens: sum.inputTokens + bound.inputTokens,
      outputTokens: sum.outputTokens + bound.outputTokens,
      ...((sum.searches ?? bound.searches) !== undefined && {
        searches: (sum.searches ?? 0) + (bound.searches ?? 0),
      }),
    }));

export const messagesOfAll = (prompts: Prompts): readonly unknown[] =>
  allOf(prompts).map(({ messages }) => messages);

const requestsOf = (prompts: Prompts, model: ServedModel): readonly RouteOrder['request'][] =>
  allOf(prompts).map((body) => {
    const bound = tokenBounds(body, model);
    return (terms): ChatRequest => ({
      body: upstreamBody(body, model, bound, terms),
      promptTokensMax: bound.inputTokens,
      isBatch: prompts.isBatch === true,
    });
  });

/** @throws DomainError for a strategy, which would answer the first prompt alone */
export const rejectSeveral = <Order extends Prompts>(order: Order): Order => {
  if (!order.others) return order;
  const detail = 'several prompts are answered by rigs only; send one prompt';
  throw new DomainError<InferenceErrorCode>('routing_mode_unavailable', detail);
};

type Ask<Answer> = (order: RouteOrder) => Promise<Answer>;

/** A prompt that is not answered fails the whole request, with the usage of those before it. */
export const answersToAll =
  (ask: Ask<RoutedAnswer>, prompts: Prompts, model: ServedModel): Ask<RoutedAnswer> =>
  async (order) => {
    const choicesEach = choicesOf(prompts.body);
    const choices: unknown[] = [];
    const attempts: RouteAttempt[] = [];
    let [usage, last]: [Usage | undefined, RoutedAnswer | undefined] = [undefined, undefined];
    for (const [n, request] of requestsOf(prompts, model).entries()) {
      try {
        last = await ask({ ...order, request });
      } catch (error) {
        throw usage && error instanceof RouteError ? after(usage, attempts, error) : error;
      }
      choices.push(...shifted(last.answer.completion, n * choicesEach));
      attempts.push(...last.attempts);
      usage = sumOfUsage(usage, last.answer.usage);
    }
    if (!usage || !last) throw new Error('a request without a prompt');
    const completion = { ...last.answer.completion, choices, usage: usageObject(usage) };
    return { rig: last.rig, attempts, answer: { completion, usage } };
  };

/** The stream begins with the first prompt; a later one that is not answered breaks it. */
export const streamsOfAll =
  (
    ask: Ask<RoutedStream>,
    prompts: Prompts,
    model: ServedModel,
    signal: AbortSignal,
  ): Ask<RoutedStream> =>
  async (order) => {
    const [first, ...rest] = requestsOf(prompts, model).map(
      (request) => () => ask({ ...order, request }),
    );
    if (!first) throw new Error('a request without a prompt');
    const routed = await first();
    const streams = [() => Promise.resolve(routed), ...rest];
    const pages = pagesOf(streams, choicesOf(prompts.body), signal);
    await pages.next();
    return { ...routed, pages };
  };

async function* pagesOf(
  streams: readonly (() => Promise<RoutedStream>)[],
  choicesEach: number,
  signal: AbortSignal,
): RoutedStream['pages'] {
  let usage: Usage | undefined;
  for (const [n, open] of streams.entries()) {
    if (usage && signal.aborted) return usage;
    try {
      const { pages } = await open();
      usage = sumOfUsage(usage, yield* shiftedPages(pages, n * choicesEach));
    } catch (error) {
      if (!usage) throw error;
      if (error instanceof RouteError && error.kind === 'cancelled') return usage;
      throw brokenAfter(usage, error);
    }
  }
  if (!usage) throw new Error('a request without a prompt');
  return usage;
}

/** Its first page is empty and available at once: reading it makes `finally` run. */
async function* shiftedPages(pages: RoutedStream['pages'], by: number): RoutedStream['pages'] {
  try {
    yield [];
    for (;;) {
      const page = await pages.next();
      if (page.done) return page.value;
      yield page.value
        .map((chunk): ChatChunk => ({ ...chunk, choices: shifted(chunk, by) }))
        .filter(({ choices }) => (choices as readonly unknown[]).length > 0);
    }
  } finally {
    await pages[Symbol.asyncDispose]();
  }
}

/** The choices of an answer, numbered among the choices of all prompts. */
const shifted = ({ choices }: JsonObject, by: number): readonly unknown[] =>
  Array.isArray(choices)
    ? choices.map((choice: JsonObject, n) => ({ ...choice, index: indexOf(choice, n) + by }))
    : [];

const indexOf = ({ index }: JsonObject, n: number): number =>
  typeof index === 'number' && Number.isInteger(index) ? index : n;

/** A caller that leaves pays for the prompts that rigs have accepted. */
const after = (usage: Usage, attempts: readonly RouteAttempt[], error: RouteError): RouteError => {
  const { rigError } = error.details;
  const used = rigError?.details.used;
  const cause = rigError ?? error;
  const details = { used: used ? sumOfUsage(usage, used) : usage, cause };
  const counted = new RigError(rigError?.kind ?? 'cancelled', cause.message, {
    ...rigError?.details,
    ...details,
  });
  return new RouteError(error.kind, error.message, [...attempts, ...error.attempts], {
    ...error.details,
    rigError: counted,
  });
};

const brokenAfter = (usage: Usage, error: unknown): RigError => {
  const cause = error instanceof RouteError ? (error.details.rigError ?? error) : error;
  const { used = NOTHING, upstreamError } = cause instanceof RigError ? cause.details : {};
  const said = upstreamError?.['message'];
  const message = typeof said === 'string' ? said : 'a later prompt was not answered';
  return new RigError('broken-off', message, { used: sumOfUsage(usage, used), cause });
};

const NOTHING: Usage = { promptTokens: 0, completionTokens: 0, source: 'provider' };
