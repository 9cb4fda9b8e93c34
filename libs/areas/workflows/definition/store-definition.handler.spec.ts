import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { anyContext } from '#platform/runtime/stock.fixture.js';
import { workflowEvents } from '#events/workflows/workflow.events.js';
import { workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { WorkflowStreams } from '../runs/workflow-streams.js';
import { StoreDefinitionCommand, StoreDefinitionHandler } from './store-definition.handler.js';
import {
  ACCOUNT_VERSIONS_MAX,
  isNewVersion,
  type VersionTarget,
  VERSIONS_MAX,
  type Workflow,
} from './workflows.decider.js';

const ACCOUNT = '7';
const WAITING = { nodes: [{ name: 'pause', kind: 'wait', parameters: { seconds: 1 } }] };

const open = () => {
  const codec = new EventCodec([...workflowEvents, ...workflowRunEvents]);
  const streams = new WorkflowStreams(new FaultyEventStore(), codec);
  const held = new Set<string>();
  const blobs = {
    put: (_account: string, _value: unknown, holder: string) => {
      held.add(holder);
      return Promise.resolve({ address: 'ab'.repeat(32), bytes: 100 });
    },
    release: (_account: string, _blob: unknown, holder: string) => {
      held.delete(holder);
      return Promise.resolve();
    },
  };
  const tools = { all: () => [], find: () => undefined };
  const clock = { now: () => Date.parse('2026-03-01T09:00:00.000Z') };
  const handler = new StoreDefinitionHandler(streams, blobs as never, tools as never, clock);
  const store = (target: VersionTarget) =>
    handler.execute(new StoreDefinitionCommand(ACCOUNT, target, WAITING, anyContext()));
  return { streams, held, store };
};

describe('a definition', () => {
  it('is kept for its version, and not at all where it is rejected', async () => {
    const { held, store } = open();
    await store({ name: 'one' });
    await store({ workflowId: 1 });
    expect(held.size).toBe(2);
    await expect(store({ name: 'one' })).rejects.toMatchObject({ code: 'workflow_name_taken' });
    await expect(store({ workflowId: 9 })).rejects.toMatchObject({ code: 'workflow_not_found' });
    expect(held.size).toBe(2);
  });

  it('is not kept where another request was faster', async () => {
    const { streams, held, store } = open();
    streams.onWorkflows = () => Promise.reject(new DomainError('workflow_name_taken'));
    await expect(store({ name: 'one' })).rejects.toMatchObject({ code: 'workflow_name_taken' });
    expect(held.size).toBe(0);
  });

  it('is one of a bounded number of versions of the account', () => {
    const workflow = (workflowId: number, versions: number): [number, Workflow] => {
      const versioned = { requestId: 'another' } as Workflow['versions'][number];
      const all = Array<Workflow['versions'][number]>(versions).fill(versioned);
      const createdAt = '2026-03-01T09:00:00.000Z';
      return [workflowId, { workflowId, name: `w${workflowId}`, createdAt, versions: all }];
    };
    const full = ACCOUNT_VERSIONS_MAX - VERSIONS_MAX;
    const almost = new Map([workflow(1, VERSIONS_MAX), workflow(2, full - 1)]);
    expect(isNewVersion({ name: 'new' }, 'request', almost)).toBe(true);
    const state = new Map([workflow(1, VERSIONS_MAX - 1), workflow(2, full), workflow(3, 1)]);
    for (const target of [{ name: 'new' }, { workflowId: 1 }]) {
      expect(() => isNewVersion(target, 'request', state)).toThrow('2000 versions');
    }
    expect(isNewVersion({ name: 'w1' }, 'another', state)).toBe(false);
  });
});
