import { type Clock } from '#platform/kernel/clock.js';
import { type LostRig } from '#events/inference/chat.evidence.js';
import { NO_NEEDS, type Need } from './chat-features.js';
import { CHOICE_WEIGHTS, type ChoiceWeights, choiceAmong } from './choice/rig-choice.js';
import { type SessionPlace, type WarmSession, type WarmSessions } from './choice/warm-sessions.js';
import { type Asking } from './rig-asking.js';
import { AttemptMeter, type AttemptObserver } from './rig-attempt.js';
import { type RouteOrder, type RouteTarget } from './rig-candidates.js';
import { type RigQueue } from './rig-queue.js';
import { type Rig, type RigState } from './rig-state.js';

export type Routable = Omit<RouteOrder, 'request' | 'needs'> & Partial<Pick<RouteOrder, 'needs'>>;

/** The account of requests that name none. */
export const NO_ACCOUNT = '';

interface RouteOptions {
  readonly clock: Clock;
  readonly weights?: ChoiceWeights;
  readonly onAttempt?: AttemptObserver;
}

/** A request on its way to its rigs. */
export interface Route {
  readonly asker: Asking;
  /** Rigs that were not considered. */
  readonly lost: readonly LostRig[];
  /** Undefined for a request without a session. */
  readonly place: SessionPlace | undefined;
  readonly warm: WarmSession | undefined;
}

const ignored: AttemptObserver = () => undefined;

export const createMeters =
  ({ onAttempt = ignored, clock }: RouteOptions, sessions: WarmSessions) =>
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

type Eligibility = (
  target: RouteTarget,
  needs: readonly Need[],
) => { readonly rigs: readonly RigState[]; readonly lost: readonly LostRig[] };

/** Finds the rigs of a request, and how it sees them. */
export const createRoutes =
  (
    eligible: Eligibility,
    queue: Pick<RigQueue, 'bestOf'>,
    {
      clock,
      weights = CHOICE_WEIGHTS,
      sessions,
    }: RouteOptions & { readonly sessions: WarmSessions },
  ) =>
  (order: Routable, signal: AbortSignal): Route => {
    const { model, account = NO_ACCOUNT, priority = 'interactive', needs = NO_NEEDS } = order;
    const { dialect = 'chat', preference, session } = order;
    const place = session === undefined ? undefined : { account, model, session };
    const nowMs = clock.now();
    const warm = place && sessions.find(place, nowMs);
    const { rigs: all, lost } = eligible(order, needs);
    const choice = choiceAmong(all, { model, dialect, preference, warm, nowMs }, weights);
    const asker: Asking = { model, account, priority, signal, choice, rigs: all };
    const isSingle = preference?.allowsFallbacks === false && preference.order.length === 0;
    if (!isSingle) return { asker, lost, place, warm };
    const rigs = queue.bestOf({ ...asker, candidates: all, attempts: [] });
    return { asker: { ...asker, rigs }, lost, place, warm };
  };
