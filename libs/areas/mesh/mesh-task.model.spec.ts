import { describe, expect, it } from '@jest/globals';
import { type MeshTaskEvent } from '#events/mesh/mesh-task.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type MeshTaskCommand, meshTaskDecider, type MeshTaskState } from './mesh-task.decider.js';
import { after, handoff, lease } from './mesh-task.fixture.js';

/**
 * Every interleaving of three agents with four steps each. A step is any request of an agent, or
 * half of a lease's time in which it does nothing. Searches that reach one state share the rest.
 */

type Tasks = Decider<MeshTaskCommand, MeshTaskState, MeshTaskEvent>;

const AGENTS = ['ann', 'bob', 'cid'] as const;
const STEPS = 4;
/** Enough for two holders in the planted faults. */
const STEPS_OF_FAULTS = 2;
const TTL_SECONDS = 10;
const HALF = TTL_SECONDS / 2;
const ACTIONS = ['take', 'renew', 'pass', 'release', 'complete', 'wait'] as const;
type Action = (typeof ACTIONS)[number];
/** An agent that has received no token sends this one. */
const FIRST_TOKEN = 1;

/** The conclusion of an agent from the answers that it has received. */
interface Belief {
  readonly token: number;
  /** Seconds; it takes itself for the holder before this. */
  readonly holdsUntil: number;
}

interface Node {
  readonly state: MeshTaskState;
  readonly seconds: number;
  readonly beliefs: readonly (Belief | null)[];
  readonly stepsLeft: readonly number[];
}

const holders = ({ beliefs, seconds }: Node): number =>
  beliefs.filter((belief) => belief !== null && seconds < belief.holdsUntil).length;

const accepts = (tasks: Tasks, state: MeshTaskState, command: MeshTaskCommand): boolean => {
  try {
    return tasks.decide(command, state).length > 0;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
};

/** How many of all agents and tokens could complete the task now. */
const validLeases = (tasks: Tasks, { state, seconds }: Node): number => {
  if (state.status === 'absent') return 0;
  const at = after(seconds);
  const tokens = Array.from({ length: state.token + 1 }, (_, index) => index + 1);
  const attempts = AGENTS.flatMap((agent) =>
    tokens.map((token): MeshTaskCommand => {
      const data = { ...lease(agent, token), resultRef: null, at };
      return { type: 'CompleteTask', data };
    }),
  );
  return attempts.filter((command) => accepts(tasks, state, command)).length;
};

const commandOf = (action: Action, agent: number, node: Node, id: string): MeshTaskCommand => {
  const at = after(node.seconds);
  const name = AGENTS[agent] ?? '';
  const next = AGENTS[(agent + 1) % AGENTS.length] ?? '';
  const token = node.beliefs[agent]?.token ?? FIRST_TOKEN;
  const own = { ...lease(name, token), at };
  const terms = { handoffId: id, ttlSeconds: TTL_SECONDS, at };
  switch (action) {
    case 'take':
    case 'wait':
      return handoff(name, terms);
    case 'pass':
      return handoff(next, { ...terms, fromAgent: name, token });
    case 'renew':
      return { type: 'RenewLease', data: own };
    case 'release':
      return { type: 'ReleaseLease', data: own };
    case 'complete':
      return { type: 'CompleteTask', data: { ...own, resultRef: null } };
  }
};

const secondsOf = (at: string): number => (Date.parse(at) - Date.parse(after(0))) / 1_000;

const believing = (node: Node, agent: number, events: readonly MeshTaskEvent[]) =>
  events.reduce<readonly (Belief | null)[]>((beliefs, { type, data }) => {
    switch (type) {
      case 'MeshTaskHandedOff': {
        const { token, expiresAt } = data;
        const target = AGENTS.findIndex((name) => name === data.toAgent);
        const belief = { token, holdsUntil: secondsOf(expiresAt) };
        const dropped = beliefs.map((one, index) =>
          index === agent && one !== null ? { ...one, holdsUntil: 0 } : one,
        );
        return dropped.with(target, belief);
      }
      case 'MeshLeaseRenewed':
        return beliefs.with(agent, { token: data.token, holdsUntil: secondsOf(data.expiresAt) });
      case 'MeshLeaseReleased':
      case 'MeshTaskCompleted':
        return beliefs.with(agent, { token: data.token, holdsUntil: 0 });
      case 'MeshLeaseExpired':
        return beliefs;
    }
  }, node.beliefs);

const stepped = (tasks: Tasks, node: Node, agent: number, action: Action): Node => {
  const left = node.stepsLeft[agent] ?? 0;
  const stepsLeft = node.stepsLeft.with(agent, left - 1);
  if (action === 'wait') return { ...node, stepsLeft, seconds: node.seconds + HALF };
  const number = stepsLeft.reduce((sum, one) => sum + one, 0);
  const id = `0b8f7c52-1d3e-5f6a-8b9c-${String(number).padStart(12, '0')}`;
  try {
    const events = tasks.decide(commandOf(action, agent, node, id), node.state);
    const state = events.reduce(tasks.evolve, node.state);
    return { ...node, stepsLeft, state, beliefs: believing(node, agent, events) };
  } catch (error) {
    if (error instanceof DomainError) return { ...node, stepsLeft };
    throw error;
  }
};

/**
 * States that differ by the time alone, by which token is stale, or by the names of the agents in
 * the same circle, have the same future.
 */
const keyOf = ({ state, seconds, beliefs, stepsLeft }: Node): string => {
  const current = state.status === 'absent' ? 0 : state.token;
  const left = state.status === 'absent' ? 0 : secondsOf(state.expiresAt) - seconds;
  const agents = AGENTS.map((name, index) => {
    const { token = FIRST_TOKEN, holdsUntil = 0 } = beliefs[index] ?? {};
    const holdsFor = Math.max(0, holdsUntil - seconds);
    const isAgent = state.status !== 'absent' && state.agent === name;
    return `${isAgent} ${token === current} ${holdsFor} ${stepsLeft[index]}`;
  });
  const turned = agents.map((_, index) => [...agents.slice(index), ...agents.slice(0, index)]);
  const [least = ''] = turned.map((turn) => turn.join()).toSorted();
  return `${state.status} ${Math.max(0, left)} ${least}`;
};

interface Search {
  readonly states: number;
  readonly holdersMax: number;
  readonly validMax: number;
  readonly tokensRise: boolean;
}

const search = (tasks: Tasks, steps: number): Search => {
  const seen = new Set<string>();
  let [holdersMax, validMax, tokensRise] = [0, 0, true];
  const tokenOf = ({ state }: Node): number => (state.status === 'absent' ? 0 : state.token);
  const visit = (node: Node): void => {
    const key = keyOf(node);
    if (seen.has(key)) return;
    seen.add(key);
    holdersMax = Math.max(holdersMax, holders(node));
    validMax = Math.max(validMax, validLeases(tasks, node));
    for (const [agent] of AGENTS.entries()) {
      if (node.stepsLeft[agent] === 0) continue;
      for (const action of ACTIONS) {
        const next = stepped(tasks, node, agent, action);
        tokensRise &&= tokenOf(next) >= tokenOf(node);
        visit(next);
      }
    }
  };
  const beliefs = AGENTS.map(() => null);
  const stepsLeft = AGENTS.map(() => steps);
  visit({ state: tasks.initialState, seconds: 0, beliefs, stepsLeft });
  return { states: seen.size, holdersMax, validMax, tokensRise };
};

describe('three agents with four steps each, in every order', () => {
  it('never have two valid leases, and never two that take themselves for the holder', () => {
    const { states, ...found } = search(meshTaskDecider, STEPS);
    expect(found).toEqual({ holdersMax: 1, validMax: 1, tokensRise: true });
    expect(states).toBeGreaterThan(1_000);
  });

  it('would be found with two holders if a handoff ignored the lease', () => {
    const careless: Tasks = {
      ...meshTaskDecider,
      decide: (command, state) => {
        const isTake = command.type === 'HandOffTask' && command.data.token === null;
        const isLeased = state.status === 'leased';
        const taken = isTake && isLeased ? { ...state, status: 'expired' as const } : state;
        return meshTaskDecider.decide(command, taken);
      },
    };
    expect(search(careless, STEPS_OF_FAULTS)).toMatchObject({ holdersMax: 3, validMax: 1 });
  });

  it('would be found with two holders if a lease ended before its holder knows', () => {
    const hasty: Tasks = {
      ...meshTaskDecider,
      decide: (command, state) => {
        const sooner = new Date(Date.parse(command.data.at) + HALF * 1_000).toISOString();
        const isTake = command.type === 'HandOffTask' && command.data.token === null;
        if (!isTake) return meshTaskDecider.decide(command, state);
        return meshTaskDecider.decide({ ...command, data: { ...command.data, at: sooner } }, state);
      },
    };
    expect(search(hasty, STEPS_OF_FAULTS).holdersMax).toBe(2);
  });
});
