import { type LostRig } from '#events/inference/chat.evidence.js';
import { type CallerDialect } from '#platform/chats/chat-order.js';
import { rigNumberOf } from '#platform/tasks/rig-name.js';
import { type ChatRequest } from './chat-backend.js';
import { type Need } from './chat-features.js';
import { keptBy, type RigPreference } from './choice/rig-preference.js';
import { ableTo } from './rig-eligibility.js';
import { type Priority, type Rig, type RigModelTerms, type RigState } from './rig-state.js';
import { RouteError, type RouteErrorKind } from './route-error.js';

/** Why a rig that is known takes no request. */
export type RigAbsence = Extract<RouteErrorKind, 'rig-drained' | 'rig-lost'>;

/** Rigs that come and go, such as single workers. */
export interface PinnedRigs {
  /** Undefined for a name or number that no such rig has. Called for requests: it does not wait. */
  find(pin: string): Rig | RigAbsence | undefined;
}

/** The rigs that may answer a request. */
export interface RouteTarget {
  /** The catalog id of the model. */
  readonly model: string;
  /** Its waiting requests share its turns. Default: the turns of requests without an account. */
  readonly account?: string;
  /** The hold that pays for the request, where one request is one hold. */
  readonly holdId?: string;
  /** The ids of the caller's `traceparent`, joined by a dash. */
  readonly trace?: string | undefined;
  /** The only rig that may answer: the name or number in `rig_{…}`. Without it, the best one. */
  readonly pin?: string | undefined;
  /** Absent: the caller has none. */
  readonly preference?: RigPreference | undefined;
}

export interface RouteOrder extends RouteTarget {
  /** Default: interactive. */
  readonly priority?: Priority;
  /** Called when a rig is asked, with its terms for the model, if it has some of its own. */
  readonly request: (terms?: RigModelTerms) => ChatRequest;
  /** The features that a rig must have to answer it, as `needsOf` finds them. */
  readonly needs: readonly Need[];
  /** The dialect of the original request, for rigs that speak it. */
  readonly dialect?: CallerDialect | undefined;
  /** A keyed hash of the session: it prefers the rig and the key that have its prompt cached. */
  readonly session?: string | undefined;
}

/** Health and load of the rigs that only pins reach, from their first request on. */
export class PinnedStates {
  readonly #byName = new Map<string, RigState>();

  constructor(
    private readonly stateOf: (rig: Rig) => RigState,
    private readonly rigs: PinnedRigs = { find: () => undefined },
  ) {}

  states(): readonly RigState[] {
    return [...this.#byName.values()];
  }

  /** @param pin a name or a number */
  find(pin: string): RigState | RigAbsence | undefined {
    const rig = this.rigs.find(pin);
    const name = typeof rig === 'object' ? rig.name : pin;
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
export const createCandidates = (states: readonly RigState[], pinnedStates: PinnedStates) => {
  const byName = new Map(states.map((state) => [state.rig.name, state]));
  const byNumber = new Map(states.map((state) => [String(rigNumberOf(state.rig.name)), state]));
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
    // A name goes first: a rig may be named by digits.
    const pinned = byName.get(pin) ?? byNumber.get(pin) ?? pinnedStates.find(pin);
    if (!pinned) throw new RouteError('rig-unknown', `there is no rig ${pin}`, []);
    if (typeof pinned === 'string') throw new RouteError(pinned, ABSENCES[pinned](pin), []);
    if (pinned.rig.models.has(model)) return [pinned];
    throw new RouteError('rig-without-model', `rig ${pin} does not serve the model ${model}`, []);
  };
};

/** The rigs that a request may be sent to, however busy they are, and the others of the model. */
export const createEligibility =
  (states: readonly RigState[], candidatesFor: (target: RouteTarget) => readonly RigState[]) =>
  (target: RouteTarget, needs: readonly Need[]) => {
    const { model, preference } = target;
    const candidates = candidatesFor(target);
    const able = ableTo(needs, candidates, target);
    const lost = able === candidates ? NO_RIGS : without(able, candidates);
    if (!preference) return { rigs: able, lost };
    const kept = keptBy(preference, able, states, model);
    return { rigs: kept.rigs, lost: [...kept.lost, ...lost] };
  };

const NO_RIGS: readonly LostRig[] = [];

const without = (able: readonly RigState[], candidates: readonly RigState[]): readonly LostRig[] =>
  candidates
    .filter((state) => !able.includes(state))
    .map(({ rig }) => ({ rig: rig.name, reason: 'lacks_feature' }));

const ABSENCES: Readonly<Record<RigAbsence, (rig: string) => string>> = {
  'rig-drained': (rig) => `rig ${rig} is drained: it takes no new requests`,
  'rig-lost': (rig) => `rig ${rig} is lost: it sends no heartbeats`,
};
