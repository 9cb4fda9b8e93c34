import { type LostRig } from '#events/inference/chat.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type OriginalRequest } from '#platform/chats/chat-order.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { RigQueue, type RigQueueLimits, type RigQueuePorts, type RigSlot } from './rig-queue.js';
import { type ChatAnswer, type ChatChunk } from './chat-backend.js';
import { type JsonObject } from './chat-backend.js';
import { type EmbeddingAnswer, type EmbeddingRequest } from './embedding-backend.js';
import { RigError } from './chat-backend.js';
import { type ChatFeature, requestNeedsOf } from './chat-features.js';
import { hasFeature, rejectFields } from './rig-eligibility.js';
import {
  createCandidates,
  createEligibility,
  type PinnedRigs,
  PinnedStates,
  type RouteOrder,
  type RouteTarget,
} from './rig-candidates.js';
import { BREAKER_THRESHOLDS, type BreakerThresholds } from './circuit-breaker.js';
import { LOST_RIGS_MAX } from './choice/lost-rig.js';
import { type Asked, type Asking, RigAsking } from './rig-asking.js';
import { CHOICE_WEIGHTS, type ChoiceWeights } from './choice/rig-choice.js';
import { type RankedRig, rankingOf } from './choice/rig-ranking.js';
import { RETRY_LIMITS, type RetryLimits } from './retry-limits.js';
import { WarmSessions } from './choice/warm-sessions.js';
import { createMeters, createRoutes, NO_ACCOUNT, type Routable, type Route } from './rig-route.js';
import {
  type Rig,
  type RigChange,
  type RigModelTerms,
  RigState,
  type RigStatus,
} from './rig-state.js';
import { type AttemptMeter, type AttemptObserver } from './rig-attempt.js';
import { type ScoringAnswer, type ScoringRequest } from './scoring-backend.js';
import { VisitingPages } from './visiting-pages.js';
import { type RouteAttempt } from './route-error.js';

export interface RigRouterOptions extends Partial<RigQueueLimits & RetryLimits> {
  readonly rigs: readonly Rig[];
  /** With fractions of a millisecond if possible: attempts are timed with it. */
  readonly clock: Clock;
  readonly sleep: RigQueuePorts['sleep'];
  readonly random: RigQueuePorts['random'];
  readonly breaker?: BreakerThresholds;
  /** Rigs beside `rigs`, which only a pin reaches. */
  readonly pinnedRigs?: PinnedRigs;
  /** Called once for each change. */
  readonly onChange?: (change: RigChange) => void;
  readonly onAttempt?: AttemptObserver;
  /** Default: `CHOICE_WEIGHTS`. */
  readonly weights?: ChoiceWeights;
  /** Default: of this router. */
  readonly sessions?: WarmSessions;
}

/** As a chat's order, for work of another kind. */
interface OtherOrder<Request> extends Omit<
  RouteOrder,
  'request' | 'needs' | 'dialect' | 'session'
> {
  readonly request: (terms?: RigModelTerms) => Request;
}
export type EmbeddingOrder = OtherOrder<EmbeddingRequest>;
export type ScoringOrder = OtherOrder<ScoringRequest>;

export interface Routed {
  readonly rig: string;
  /** In order; the last one answered. */
  readonly attempts: readonly RouteAttempt[];
  /** The rig's name for the model; absent: the upstream id of the catalog's model. */
  readonly modelSent?: string | undefined;
  /** Of the rig, where there was a choice. */
  readonly score?: number | undefined;
  /** The other rigs of the model, the first 16. */
  readonly lost?: readonly LostRig[] | undefined;
  /** That rig speaks the dialect of the original request, and was sent it. */
  readonly isOriginal?: boolean | undefined;
}

export interface RoutedAnswer extends Routed {
  readonly answer: ChatAnswer;
}

export interface RoutedEmbeddings extends Routed {
  readonly answer: EmbeddingAnswer;
}

export interface RoutedScores extends Routed {
  readonly answer: ScoringAnswer;
}

/**
 * A stream whose first page is there, so that headers can be written. Its generator must be read to
 * the end, returned or aborted by the signal and read on: only then is the rig's slot free again.
 */
export interface RoutedStream extends Routed {
  readonly pages: AsyncGenerator<readonly ChatChunk[], Usage, void>;
}

export interface RigRouter {
  /**
   * Rejects a request that no rig can take now, that needs a feature these rigs lack, or that
   * has a field of the operator of one of them: before anything is held for it.
   * @throws RouteError
   */
  check(target: RouteTarget, body: JsonObject, original?: OriginalRequest): void;
  /** Whether a rig of the model has the feature, such as a dialect whose requests it takes. */
  speaks(model: string, feature: ChatFeature): boolean;
  /**
   * Rejects such needs and fields, whether a rig is up or not.
   * @throws RouteError
   */
  rejectFields(target: RouteTarget, body: JsonObject): void;
  /** @throws RouteError */
  complete(order: RouteOrder, signal: AbortSignal): Promise<RoutedAnswer>;
  /**
   * The exact tokens of a prompt; null where no rig of the model can count them.
   * @throws RouteError
   */
  count(order: RouteOrder, signal: AbortSignal): Promise<number | null>;
  /** @throws RouteError */
  embed(order: EmbeddingOrder, signal: AbortSignal): Promise<RoutedEmbeddings>;
  /** @throws RouteError */
  score(order: ScoringOrder, signal: AbortSignal): Promise<RoutedScores>;
  /** Resolves with the first page; `pages` throws later failures as a RigError. */
  stream(order: RouteOrder, signal: AbortSignal): Promise<RoutedStream>;
  status(): readonly RigStatus[];
  /** The rigs of a model as a chat would see them now, the best one first. None: it has none. */
  ranking(model: string): readonly RankedRig[];
  /** Requests that wait for a slot. */
  waiting(): number;
  /** Closes the rigs; open requests fail. */
  close(): Promise<void>;
}

export const createRigRouter = (options: RigRouterOptions): RigRouter => {
  const { clock, rigs, sleep, random, breaker = BREAKER_THRESHOLDS } = options;
  const stateOf = (rig: Rig): RigState => new RigState(rig, breaker, options.onChange);
  const states = rigs.map(stateOf);
  const ports = { now: clock.now, sleep, random };
  const queue = new RigQueue(queueLimitsOf(options), ports);
  const asking = new RigAsking(retryLimitsOf(options), queue, clock, ports);
  const pinned = new PinnedStates(stateOf, options.pinnedRigs);
  const candidatesFor = createCandidates(states, pinned);
  const eligible = createEligibility(states, candidatesFor);
  const { sessions = new WarmSessions() } = options;
  const routeOf = createRoutes(eligible, queue, { ...options, sessions });
  const meterOf = createMeters(options, sessions);
  const allowed = (
    target: RouteTarget,
    body: JsonObject,
    original?: OriginalRequest,
  ): readonly RigState[] => {
    const { rigs } = eligible(target, requestNeedsOf(body, original));
    rejectFields(rigs, body);
    return rigs;
  };
  const answered = async <
    Request extends { readonly body: JsonObject },
    Answer extends { readonly usage: Usage },
  >(
    order: Routable & Asks<Request>,
    signal: AbortSignal,
    work: (rig: Rig, request: Request) => Promise<Answer>,
  ) => {
    const route = routeOf(order, signal);
    const asked = await asking.ask(route.asker, (rig) => {
      const meter = meterOf(rig, order, route);
      return { value: work(rig, meter.sending(requestFor(rig, order))), meter };
    });
    const { value: answer, meter, slot, attempts } = asked;
    meter?.answered(answer.usage);
    slot.visit.leave();
    recordSpeed(slot, order.model, attempts, answer.usage);
    const { rig, score, lost, modelSent, isOriginal } = routedBy(asked, order, route);
    return { answer, rig, attempts, score, lost, modelSent, isOriginal };
  };
  return {
    rejectFields: (target, body) => void allowed(target, body),
    speaks: (model, feature) =>
      states.some(({ rig }) => [...rig.models].includes(model) && hasFeature(rig, { feature })),
    check(target, body, original) {
      const candidates = allowed(target, body, original);
      const rejection = queue.rejectionOf(interactive(target, candidates));
      if (rejection) throw rejection;
    },
    complete: (order, signal) =>
      answered(order, signal, (rig, request) => rig.backend.complete(request, signal)),
    embed: (order, signal) =>
      answered(order, signal, (rig, request) => embeddingsOf(rig, request, signal)),
    score: (order, signal) =>
      answered(order, signal, (rig, request) => scoresOf(rig, request, signal)),
    count: (order, signal) => counted(asking, routeOf(order, signal).asker, order),
    stream: async (order, signal) =>
      streamed({ asking, meterOf, clock }, order, routeOf(order, signal)),
    status: () => [...states, ...pinned.states()].map((state) => state.status(clock.now())),
    ranking: (model) => {
      const serving = states.filter(({ rig }) => rig.models.has(model));
      return rankingOf(serving, model, clock.now(), options.weights ?? CHOICE_WEIGHTS);
    },
    waiting: () => queue.waiting,
    close: () => closeAll([...rigs, ...pinned.states().map(({ rig }) => rig)]),
  };
};

interface Streaming {
  readonly asking: RigAsking;
  readonly meterOf: ReturnType<typeof createMeters>;
  readonly clock: Clock;
}

const streamed = async (
  { asking, meterOf, clock }: Streaming,
  order: RouteOrder,
  route: Route,
): Promise<RoutedStream> => {
  const asked = await asking.ask(route.asker, (rig) => {
    const meter = meterOf(rig, order, route);
    const request = meter.sending(requestFor(rig, order));
    return { value: firstPage(rig.backend.stream(request, route.asker.signal), meter), meter };
  });
  const { value, slot, attempts } = asked;
  const startedMs = clock.now();
  if (!value.first.done) recordFirstToken(slot, order.model, attempts, startedMs);
  value.meter.onAnswered = ({ completionTokens }) => {
    slot.state.recordSpeed(order.model, completionTokens, clock.now() - startedMs);
  };
  const pages = new VisitingPages(value.pages, value.first, slot.visit, value.meter);
  return { pages, ...routedBy(asked, order, route) };
};

const NO_COUNT = Promise.resolve(null);

/** Asks the rigs that count tokens. */
const counted = async (
  asking: RigAsking,
  asker: Asking,
  order: RouteOrder,
): Promise<number | null> => {
  const rigs = asker.rigs.filter(({ rig }) => rig.backend.count !== undefined);
  if (rigs.length === 0) return null;
  const { value, slot } = await asking.ask({ ...asker, rigs }, (rig) => ({
    value: rig.backend.count?.(requestFor(rig, order), asker.signal) ?? NO_COUNT,
  }));
  slot.visit.leave();
  return value;
};

/** A request whose caller waits, before it is asked for. */
const interactive = (
  { model, account = NO_ACCOUNT }: RouteTarget,
  candidates: readonly RigState[],
) => ({ candidates, account, model, priority: 'interactive', attempts: [] }) as const;

const embeddingsOf = (
  { name, backend }: Rig,
  request: EmbeddingRequest,
  signal: AbortSignal,
): Promise<EmbeddingAnswer> => {
  if (backend.embed) return backend.embed(request, signal);
  throw new RigError('refused', `rig ${name} makes no embeddings`, { status: 400 });
};

const scoresOf = (
  { name, backend }: Rig,
  request: ScoringRequest,
  signal: AbortSignal,
): Promise<ScoringAnswer> => {
  if (backend.score) return backend.score(request, signal);
  const does = request.task === 'rerank' ? 'ranks no documents' : 'moderates nothing';
  throw new RigError('refused', `rig ${name} ${does}`, { status: 400 });
};

const firstPage = async (pages: RoutedStream['pages'], meter: AttemptMeter) => ({
  pages,
  meter,
  first: await pages.next(),
});

const recordFirstToken = (
  { state }: RigSlot,
  model: string,
  attempts: readonly RouteAttempt[],
  nowMs: number,
): void => {
  const answered = attempts.at(-1);
  if (answered) state.recordFirstToken(model, answered.endedMs - answered.startedMs, nowMs);
};

const recordSpeed = (
  { state }: RigSlot,
  model: string,
  attempts: readonly RouteAttempt[],
  { completionTokens }: Usage,
): void => {
  const answered = attempts.at(-1);
  if (answered) state.recordSpeed(model, completionTokens, answered.endedMs - answered.startedMs);
};

const closeAll = async (rigs: readonly Rig[]): Promise<void> => {
  await Promise.all(rigs.map(({ backend }) => backend.close()));
};

interface Asks<Request> {
  readonly model: string;
  readonly request: (terms?: RigModelTerms) => Request;
}

/** The request in the rig's own terms: with the name that it has for the model. */
const requestFor = <Request extends { readonly body: JsonObject }>(
  { terms }: Rig,
  { model, request }: Asks<Request>,
): Request => {
  const own = terms?.get(model);
  const asked = request(own);
  if (!own || asked.body['model'] === own.upstreamId) return asked;
  return { ...asked, body: { ...asked.body, model: own.upstreamId } };
};

const routedBy = (
  { slot, attempts }: Asked<unknown>,
  { model, dialect }: RouteTarget & Pick<RouteOrder, 'dialect'>,
  { lost }: Pick<Route, 'lost'>,
): Routed => {
  const { rig } = slot.state;
  const isOriginal =
    dialect !== undefined && dialect !== 'chat' && hasFeature(rig, { feature: dialect });
  return {
    rig: rig.name,
    attempts,
    score: slot.score,
    lost: lostOf(rig.name, attempts, lost.length === 0 ? slot.lost : [...slot.lost, ...lost]),
    modelSent: rig.terms?.get(model)?.upstreamId,
    isOriginal,
  };
};

/** The rigs that lost, each once; a rig that was asked and failed did not lose by its score. */
const lostOf = (
  winner: string,
  attempts: readonly RouteAttempt[],
  others: readonly LostRig[],
): Routed['lost'] => {
  if (others.length === 0 && attempts.length === 1) return undefined;
  const lost = new Map<string, LostRig>();
  for (const { rig } of attempts) if (rig !== winner) lost.set(rig, { rig, reason: 'failed' });
  for (const one of others) if (!lost.has(one.rig)) lost.set(one.rig, one);
  return lost.size === 0 ? undefined : [...lost.values()].slice(0, LOST_RIGS_MAX);
};

const queueLimitsOf = (options: Partial<RigQueueLimits>): RigQueueLimits => ({
  waitingMax: options.waitingMax ?? 256,
  waitingPerAccountMax: options.waitingPerAccountMax ?? 128,
  waitMsMax: options.waitMsMax ?? 10_000,
});

const retryLimitsOf = (options: Partial<RetryLimits>): RetryLimits => ({
  attemptsMax: options.attemptsMax ?? RETRY_LIMITS.attemptsMax,
  backOffMs: options.backOffMs ?? RETRY_LIMITS.backOffMs,
  backOffMsMax: options.backOffMsMax ?? RETRY_LIMITS.backOffMsMax,
  retryAfterMsMax: options.retryAfterMsMax ?? RETRY_LIMITS.retryAfterMsMax,
});
