import { type Operation, type SequentialModel } from './linearizable.js';

/** The request of a client for one task. No lease ends by the clock meanwhile. */
export type MeshInput =
  | { readonly kind: 'take'; readonly agent: string }
  | {
      readonly kind: 'pass';
      readonly agent: string;
      readonly to: string;
      readonly token: number;
    }
  | {
      readonly kind: 'heartbeat' | 'release' | 'complete';
      readonly agent: string;
      readonly token: number;
    };

/** The token of the lease that the answer shows, or the code of the error. */
export type MeshOutput = number | string;

export type MeshOperation = Operation<MeshInput, MeshOutput>;

interface Task {
  readonly status: 'absent' | 'leased' | 'released' | 'completed';
  readonly agent: string;
  readonly token: number;
}

type Answered = readonly [MeshOutput, Task];

const answerOf = (task: Task, input: MeshInput): Answered => {
  const { status, agent, token } = task;
  if (input.kind === 'take') {
    if (status === 'completed') return ['mesh_task_completed', task];
    if (status === 'leased') return ['mesh_lease_held', task];
    return [token + 1, { status: 'leased', agent: input.agent, token: token + 1 }];
  }
  if (status === 'absent') return ['mesh_task_not_found', task];
  const isOwn = input.agent === agent && input.token === token;
  const hasSaid = isOwn && (input.kind === 'complete' || input.kind === 'release');
  if (hasSaid && status === `${input.kind}d`) return [token, task];
  if (status === 'completed') return ['mesh_task_completed', task];
  if (input.token !== token) return ['mesh_token_stale', task];
  if (input.agent !== agent) return ['mesh_not_holder', task];
  if (status === 'released') return ['mesh_lease_released', task];
  return ofHolder(task, input);
};

const ofHolder = (task: Task, input: Exclude<MeshInput, { readonly kind: 'take' }>): Answered => {
  const { token } = task;
  switch (input.kind) {
    case 'heartbeat':
      return [token, task];
    case 'pass':
      return [token + 1, { status: 'leased', agent: input.to, token: token + 1 }];
    case 'release':
      return [token, { ...task, status: 'released' }];
    case 'complete':
      return [token, { ...task, status: 'completed' }];
  }
};

/** A task as one client alone would see it; written from the README and not from the decider. */
export const meshTaskModel: SequentialModel<Task, MeshInput, MeshOutput> = {
  initial: { status: 'absent', agent: '', token: 0 },
  apply: (task, input, output) => {
    const [answer, next] = answerOf(task, input);
    return answer === output ? next : null;
  },
  keyOf: ({ status, agent, token }) => `${status} ${agent} ${token}`,
};

type Ask = (input: MeshInput) => Promise<MeshOutput>;

/** Asks, and records the operation in the history. */
export const recording =
  (history: MeshOperation[], ask: Ask): Ask =>
  async (input) => {
    const calledAt = performance.now();
    const output = await ask(input);
    history.push({ input, output, calledAt, answeredAt: performance.now() });
    return output;
  };

/** A number from 0 to below the limit, from the sequence of a seed (mulberry32). */
export const randomOf = (seed: number): ((limit: number) => number) => {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
};

/** The tokens that agents have been given, by themselves and by others; stale ones stay. */
export type KnownTokens = Map<string, number>;

/** One agent that works on the task with the last token that it knows. */
export const runAgent = async (
  agent: string,
  known: KnownTokens,
  steps: number,
  random: (limit: number) => number,
  ask: Ask,
): Promise<void> => {
  const agents = [...known.keys()];
  for (let step = 0; step < steps; step += 1) {
    const to = agents[random(agents.length)] ?? agent;
    const input = chosen(agent, to, known.get(agent) ?? 1, random(10));
    const output = await ask(input);
    if (typeof output === 'number') known.set(input.kind === 'pass' ? to : agent, output);
  }
};

const chosen = (agent: string, to: string, token: number, choice: number): MeshInput => {
  if (choice < 3) return { kind: 'take', agent };
  if (choice < 5) return { kind: 'heartbeat', agent, token };
  if (choice < 8) return { kind: 'pass', agent, to, token };
  return { kind: 'release', agent, token };
};
