import { type LostRig } from '#events/inference/chat.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CallerDialect, type OriginalRequest } from '#platform/chats/chat-order.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { RigQueue, type RigQueueLimits, type RigQueuePorts, type RigSlot } from './rig-queue.js';
import { type ChatAnswer, type ChatChunk, type ChatRequest } from './chat-backend.js';
import { type JsonObject } from './chat-backend.js';
import { type EmbeddingAnswer, type EmbeddingRequest } from './embedding-backend.js';
import { RigError } from './chat-backend.js';
import { type Need, NO_NEEDS, requestNeedsOf, type SpokenDialect } from './chat-features.js';
import { ableTo, hasFeature, rejectFields } from './rig-eligibility.js';
import { BREAKER_THRESHOLDS, type BreakerThresholds } from './circuit-breaker.js';
import { LOST_RIGS_MAX } from './lost-rig.js';
import { type Asked, type Asking, RigAsking } from './rig-asking.js';
import { CHOICE_WEIGHTS, type ChoiceWeights, choiceAmong } from './rig-choice.js';
import { keptBy, type RigPreference } from './rig-preference.js';
import { RETRY_LIMITS, type RetryLimits } from './retry-limits.js';
import { type SessionPlace, type WarmSession, WarmSessions } from './warm-sessions.js';
import {
  type Priority,
  type Rig,
  type RigChange,
  type RigModelTerms,
  RigState,
  type RigStatus,
} from './rig-state.js';
import { AttemptMeter, type AttemptObserver } from './rig-attempt.js';
import { VisitingPages } from './visiting-pages.js';
import { type RouteAttempt, RouteError, type RouteErrorKind } from './route-error.js';

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

/** Why a rig that is known takes no request. */
export type RigAbsence = Extract<RouteErrorKind, 'rig-drained' | 'rig-lost'>;

/** Rigs that come and go, such as single workers. */
export interface PinnedRigs {
  /** Undefined for a name that no such rig has. Called for requests: it does not wait. */
  find(name: string): Rig | RigAbsence | undefined;
}

/** The rigs that may answer a request. */
export interface RouteTarget {
  /** The catalog id of the model. */
  readonly model: string;
  /** Its waiting requests share its turns. Default: the turns of requests without an account. */
  readonly account?: string;
  /** The hold that pays for the request, where one request is one hold. */
  readonly holdId?: string;
  /** The only rig that may answer: the name in `rig_{name}`. Without it, the best one answers. */
  readonly pin?: string;
  /** Absent: the caller has none. */
  readonly preference?: RigPreference;
}

export interface RouteOrder extends RouteTarget {
  /** Default: interactive. */
  readonly priority?: Priority;
  /** Called when a rig is asked, with its terms for the model, if it has some of its own. */
  readonly request: (terms?: RigModelTerms) => ChatRequest;
  /** The features that a rig must have to answer it, as `needsOf` finds them. */
  readonly needs: readonly Need[];
  /** The dialect of the original request, for rigs that speak it. */
  readonly dialect?: CallerDialect;
  /** A keyed hash of the session: it prefers the rig and the key that have its prompt cached. */
  readonly session?: string;
}

/** As a chat's order, for embeddings. */
export interface EmbeddingOrder extends Omit<
  RouteOrder,
  'request' | 'needs' | 'dialect' | 'session'
> {
  readonly request: (terms?: RigModelTerms) => EmbeddingRequest;
}

export interface Routed {
  readonly rig: string;
  /** In order; the last one answered. */
  readonly attempts: readonly RouteAttempt[];
  /** The rig's name for the model; absent: the upstream id of the catalog's model. */
  readonly modelSent?: string;
  /** Of the rig, where there was a choice. */
  readonly score?: number;
  /** The other rigs of the model, the first 16. */
  readonly lost?: readonly LostRig[];
  /** That rig speaks the dialect of the original request, and was sent it. */
  readonly isOriginal?: boolean;
}

export interface RoutedAnswer extends Routed {
  readonly answer: ChatAnswer;
}

export interface RoutedEmbeddings extends Routed {
  readonly answer: EmbeddingAnswer;
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
  /** Whether a rig of the model takes requests of this dialect as they are. */
  speaks(model: string, dialect: SpokenDialect): boolean;
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
  /** Resolves with the first page; `pages` throws later failures as a RigError. */
  stream(order: RouteOrder, signal: AbortSignal): Promise<RoutedStream>;
  status(): readonly RigStatus[];
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
  const { sessions = new WarmSessions(), weights = CHOICE_WEIGHTS } = options;
  const routeOf = (order: Routable, signal: AbortSignal): Route => {
    const { model, account = NO_ACCOUNT, priority = 'interactive', needs = NO_NEEDS } = order;
    const { dialect = 'chat', preference, session } = order;
    const place = session === undefined ? undefined : { account, model, session };
    const nowMs = clock.now();
    const warm = place && sessions.find(place, nowMs);
    const { rigs: all, lost } = eligible(order, needs);
    const choice = choiceAmong(all, { model, dialect, preference, warm, nowMs }, weights);
    const asking = { model, account, priority, signal, choice };
    const isSingle = preference?.allowsFallbacks === false && preference.order.length === 0;
    const rigs = isSingle ? queue.bestOf({ ...asking, candidates: all, attempts: [] }) : all;
    return { asker: { ...asking, rigs }, lost, place, warm };
  };
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
      return meter.ask(requestFor(rig, order), (request) => work(rig, request));
    });
    asked.slot.visit.leave();
    const { completionTokens } = asked.value.usage;
    const { startedMs, endedMs } = asked.attempts.at(-1) ?? { startedMs: 0, endedMs: 0 };
    asked.slot.state.recordSpeed(order.model, completionTokens, endedMs - startedMs);
    return { answer: asked.value, ...routedBy(asked, order, route) };
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
    count: (order, signal) => counted(asking, routeOf(order, signal).asker, order),
    async stream(order, signal) {
      const route = routeOf(order, signal);
      const asked = await asking.ask(route.asker, (rig) => {
        const meter = meterOf(rig, order, route);
        const request = meter.sending(requestFor(rig, order));
        return firstPage(rig.backend.stream(request, signal), meter);
      });
      const { value, slot, attempts } = asked;
      const startedMs = clock.now();
      if (!value.first.done) recordFirstToken(slot, order.model, attempts, startedMs);
      value.meter.onAnswered = ({ completionTokens }) => {
        slot.state.recordSpeed(order.model, completionTokens, clock.now() - startedMs);
      };
      const pages = new VisitingPages(value.pages, value.first, slot.visit, value.meter);
      return { pages, ...routedBy(asked, order, route) };
    },
    status: () => [...states, ...pinned.states()].map((state) => state.status(clock.now())),
    waiting: () => queue.waiting,
    close: () => closeAll([...rigs, ...pinned.states().map(({ rig }) => rig)]),
  };
};

/** Asks the rigs that count tokens. */
const counted = async (
  asking: RigAsking,
  asker: Asking,
  order: RouteOrder,
): Promise<number | null> => {
  const rigs = asker.rigs.filter(({ rig }) => rig.backend.count !== undefined);
  if (rigs.length === 0) return null;
  const { value, slot } = await asking.ask({ ...asker, rigs }, async (rig) =>
    rig.backend.count?.(requestFor(rig, order), asker.signal),
  );
  slot.visit.leave();
  return value ?? null;
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

const firstPage = async (pages: RoutedStream['pages'], meter: AttemptMeter) => ({
  pages,
  meter,
  first: await meter.opening(pages.next()),
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

const ignored: AttemptObserver = () => undefined;

/** A request on its way to its rigs. */
interface Route {
  readonly asker: Asking;
  /** Rigs that were not considered. */
  readonly lost: readonly LostRig[];
  /** Undefined for a request without a session. */
  readonly place: SessionPlace | undefined;
  readonly warm: WarmSession | undefined;
}

const createMeters =
  ({ onAttempt = ignored, clock }: RigRouterOptions, sessions: WarmSessions) =>
  ({ name, costs }: Rig, order: Routable, { asker, place, warm }: Route): AttemptMeter => {
    const cost = costs?.get(order.model);
    if (!place) return new AttemptMeter(onAttempt, clock, name, cost, order, asker.signal);
    let key = warm?.rig === name ? warm.key : undefined;
    const observe: AttemptObserver = (attempt) => {
      const { usage, outcome, endedAtMs: atMs } = attempt;
      if (usage && outcome === 'answered') {
        const { promptTokens, completionTokens } = usage;
        sessions.remember(place, { rig: name, key, promptTokens, completionTokens, atMs });
      }
      onAttempt(attempt);
    };
    const meter = new AttemptMeter(observe, clock, name, cost, order, asker.signal);
    const answered = (place: number): void => {
      key = place;
    };
    meter.keys = { preferred: key, answered };
    return meter;
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
  return own ? { ...asked, body: { ...asked.body, model: own.upstreamId } } : asked;
};

const routedBy = (
  { slot, attempts }: Asked<unknown>,
  { model, dialect }: RouteTarget & Pick<RouteOrder, 'dialect'>,
  { lost }: Pick<Route, 'lost'>,
): Routed => {
  const { rig } = slot.state;
  const terms = rig.terms?.get(model);
  const isOriginal =
    dialect !== undefined && dialect !== 'chat' && hasFeature(rig, { feature: dialect });
  return {
    rig: rig.name,
    attempts,
    ...(slot.score !== undefined && { score: slot.score }),
    ...lostOf(rig.name, attempts, [...slot.lost, ...lost]),
    ...(terms && { modelSent: terms.upstreamId }),
    ...(isOriginal && { isOriginal }),
  };
};

/** The rigs that lost, each once; a rig that was asked and failed did not lose by its score. */
const lostOf = (
  winner: string,
  attempts: readonly RouteAttempt[],
  others: readonly LostRig[],
): Pick<Routed, 'lost'> => {
  const lost = new Map<string, LostRig>();
  for (const { rig } of attempts) if (rig !== winner) lost.set(rig, { rig, reason: 'failed' });
  for (const one of others) if (!lost.has(one.rig)) lost.set(one.rig, one);
  return lost.size === 0 ? {} : { lost: [...lost.values()].slice(0, LOST_RIGS_MAX) };
};

type Routable = Omit<RouteOrder, 'request' | 'needs'> & Partial<Pick<RouteOrder, 'needs'>>;

/** The account of requests that name none. */
const NO_ACCOUNT = '';

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

/** Health and load of the rigs that only pins reach, from their first request on. */
class PinnedStates {
  readonly #byName = new Map<string, RigState>();

  constructor(
    private readonly stateOf: (rig: Rig) => RigState,
    private readonly rigs: PinnedRigs = { find: () => undefined },
  ) {}

  states(): readonly RigState[] {
    return [...this.#byName.values()];
  }

  find(name: string): RigState | RigAbsence | undefined {
    const rig = this.rigs.find(name);
    const known = this.#byName.get(name);
    if (rig === undefined || typeof rig === 'string') {
      if (known?.inFlight === 0) this.#byName.delete(name);
      return rig;
    }
    // Another object is another rig: the worker has restarted, or serves other models.
    if (known?.rig === rig) return known;
    const state = this.stateOf(rig);
    this.#byName.set(name, state);
    return state;
  }
}

/** The rigs of a request; cached for each model, since every request needs them. */
const createCandidates = (states: readonly RigState[], pinnedStates: PinnedStates) => {
  const byName = new Map(states.map((state) => [state.rig.name, state]));
  const models = new Set(states.flatMap(({ rig }) => [...rig.models]));
  const byModel = new Map(
    [...models].map((model) => [model, states.filter(({ rig }) => rig.models.has(model))]),
  );
  return ({ model, pin }: RouteTarget): readonly RigState[] => {
    if (pin === undefined) {
      const serving = byModel.get(model);
      if (serving) return serving;
      // A rig may serve more models than it lists: the models of accounts come and go.
      const others = states.filter(({ rig }) => rig.models.has(model));
      if (others.length > 0) return others;
      throw new RouteError('model-not-served', `no rig serves the model ${model}`, []);
    }
    const pinned = byName.get(pin) ?? pinnedStates.find(pin);
    if (!pinned) throw new RouteError('rig-unknown', `there is no rig ${pin}`, []);
    if (typeof pinned === 'string') throw new RouteError(pinned, ABSENCES[pinned](pin), []);
    if (pinned.rig.models.has(model)) return [pinned];
    throw new RouteError('rig-without-model', `rig ${pin} does not serve the model ${model}`, []);
  };
};

/** The rigs that a request may be sent to, however busy they are, and the others of the model. */
const createEligibility =
  (states: readonly RigState[], candidatesFor: (target: RouteTarget) => readonly RigState[]) =>
  (target: RouteTarget, needs: readonly Need[]) => {
    const { model, preference } = target;
    const candidates = candidatesFor(target);
    const able = ableTo(needs, candidates, target);
    const lost = candidates
      .filter((state) => !able.includes(state))
      .map(({ rig }): LostRig => ({ rig: rig.name, reason: 'lacks_feature' }));
    if (!preference) return { rigs: able, lost };
    const kept = keptBy(preference, able, states, model);
    return { rigs: kept.rigs, lost: [...kept.lost, ...lost] };
  };

const ABSENCES: Readonly<Record<RigAbsence, (rig: string) => string>> = {
  'rig-drained': (rig) => `rig ${rig} is drained: it takes no new requests`,
  'rig-lost': (rig) => `rig ${rig} is lost: it sends no heartbeats`,
};
