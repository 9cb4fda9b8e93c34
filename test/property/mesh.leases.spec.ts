import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type MeshTaskCommand } from '#areas/mesh/mesh-task.decider.js';
import { MeshTasks } from '#areas/mesh/mesh-tasks.js';
import { meshTaskEvents } from '#events/mesh/mesh-task.events.js';
import { type AppendResult } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore, MemoryLog } from '#platform/runtime/faulty-stores.fake.js';
import { isLinearizable } from './linearizable.js';
import {
  type MeshInput,
  type MeshOperation,
  meshTaskModel,
  randomOf,
  recording,
  runAgent,
} from './mesh.history.fixture.js';

const AGENTS = ['ann', 'bob', 'cid', 'dan'];
const STEPS = 10;
const NAMESPACE = '0b8f7c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
const TASK = { accountId: '7', taskId: 'survey' };

/**
 * A store whose calls take turns with the calls of the others, in an order that the seed chooses.
 */
class SlowEventStore extends FaultyEventStore {
  constructor(
    log: MemoryLog,
    private readonly random: (limit: number) => number,
  ) {
    super(log);
  }

  override async append(...call: Parameters<FaultyEventStore['append']>): Promise<AppendResult> {
    await sleep(this.random(3));
    const appended = await super.append(...call);
    await sleep(this.random(3));
    return appended;
  }
}

const commandOf = (input: MeshInput, handoffId: string): MeshTaskCommand => {
  const at = new Date().toISOString();
  const terms = { ...TASK, handoffId, ttlSeconds: 3_600, contextRef: null, at };
  switch (input.kind) {
    case 'take':
      return {
        type: 'HandOffTask',
        data: { ...terms, fromAgent: null, toAgent: input.agent, token: null },
      };
    case 'pass': {
      const { agent: fromAgent, to: toAgent, token } = input;
      return { type: 'HandOffTask', data: { ...terms, fromAgent, toAgent, token } };
    }
    case 'heartbeat':
      return { type: 'RenewLease', data: { ...TASK, ...ofLease(input), at } };
    case 'release':
      return { type: 'ReleaseLease', data: { ...TASK, ...ofLease(input), at } };
    case 'complete':
      return {
        type: 'CompleteTask',
        data: { ...TASK, ...ofLease(input), resultRef: null, at },
      };
  }
};

const ofLease = ({ agent, token }: { readonly agent: string; readonly token: number }) => ({
  agent,
  token,
});

/** Agents that ask one of two processes over one log. */
const historyOf = async (seed: number): Promise<readonly MeshOperation[]> => {
  const random = randomOf(seed);
  const log = new MemoryLog();
  const processes = [1, 2].map(
    () => new MeshTasks(new SlowEventStore(log, random), new EventCodec(meshTaskEvents)),
  );
  const history: MeshOperation[] = [];
  const known = new Map(AGENTS.map((agent) => [agent, 1]));
  let requests = 0;
  const agents = AGENTS.map((agent, index) => {
    const ask = recording(history, async (input) => {
      requests += 1;
      const requestId = derivedId(`${seed} ${requests}`, NAMESPACE);
      try {
        const tasks = processes[index % processes.length];
        if (!tasks) throw new Error('there is no such process');
        const command = commandOf(input, requestId);
        const { state } = await tasks.run(command, contextOf(requestId, agent));
        return state.status === 'absent' ? 'absent' : state.token;
      } catch (error) {
        if (error instanceof DomainError) return (error as DomainError).code;
        throw error;
      }
    });
    return runAgent(agent, known, STEPS, random, async (input) => {
      await sleep(random(4));
      return ask(input);
    });
  });
  await Promise.all(agents);
  return history;
};

describe('requests of concurrent agents to two processes over one log', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are linearizable, with seed %i', async (seed) => {
    const history = await historyOf(seed);
    expect(history).toHaveLength(AGENTS.length * STEPS);
    expect(history.some(({ output }) => typeof output === 'number')).toBe(true);
    expect(isLinearizable(meshTaskModel, history)).toBe(true);
  });

  it('would not be if two agents got one token', async () => {
    const history = await historyOf(1);
    const last = history.findLast(({ input: { kind }, output }) => kind === 'take' && output !== 0);
    const twice = { ...last, input: { kind: 'take', agent: 'eve' }, output: 1 } as MeshOperation;
    expect(isLinearizable(meshTaskModel, [...history, twice])).toBe(false);
  });
});
