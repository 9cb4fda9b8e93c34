import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type EventToAppend } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { FaultyEventStore, FaultyReadStore } from '../faulty-stores.fake.js';
import { StoredCheckpoint } from './stored-checkpoint.js';
import {
  add,
  anyContext,
  warehouses,
  stockCodec,
  stockDecider,
  stockEvents,
} from '../stock.fixture.js';

const CHECKPOINT = 'warehouses.v1.g1';

/** A read store that counts how often it is asked for a checkpoint. */
class CountingReadStore extends FaultyReadStore {
  looks = 0;

  override checkpoint(name: string): Promise<bigint | undefined> {
    this.looks += 1;
    return super.checkpoint(name);
  }
}

const open = () => {
  const eventStore = new FaultyEventStore();
  const readStore = new CountingReadStore();
  const runner = new CommandRunner({
    decider: stockDecider,
    eventStore,
    codec: stockCodec().for(stockEvents),
  });
  const checkpoint = new StoredCheckpoint(warehouses, CHECKPOINT, eventStore, readStore);
  const write = async (): Promise<bigint> =>
    (await runner.run('warehouse-a', add('a', 1), anyContext())).position;
  /** Something that no projection follows. */
  const writeForeign = async (): Promise<bigint> => {
    const { length } = eventStore.log.of('other-1');
    const metadata = {
      version: 1,
      correlationId: 'c',
      causationId: 'c',
      requestId: 'r',
      actor: 'spec',
    };
    const event: EventToAppend = { id: `e${length}`, type: 'Elsewhere', data: {}, metadata };
    const expected = length === 0 ? 'no-stream' : BigInt(length) - 1n;
    return (await eventStore.append('other-1', [event], expected)).position;
  };
  const project = (position: bigint): Promise<void> =>
    readStore.commit({ writes: [], checkpoint: { name: CHECKPOINT, position } });
  return { eventStore, readStore, checkpoint, write, writeForeign, project };
};

describe('the checkpoint of a projection that another process runs', () => {
  it('is reached when the checkpoint has come to the last event that concerns it', async () => {
    const { checkpoint, write, writeForeign, project } = open();
    const position = await write();
    const head = await writeForeign();
    const reached = checkpoint.reach(head, 5_000);
    await project(position);
    expect(await reached).toBe(true);
    expect(checkpoint.position).toBe(position);
  });

  it('is not reached before', async () => {
    const { checkpoint, write, project } = open();
    const first = await write();
    const head = await write();
    await project(first);
    expect(await checkpoint.reach(head, 50)).toBe(false);
    await project(head);
    expect(await checkpoint.reach(head, 50)).toBe(true);
  });

  it('is reached at once where nothing in the log concerns it', async () => {
    const { checkpoint, writeForeign } = open();
    expect(await checkpoint.reach(await writeForeign(), 50)).toBe(true);
    expect(await checkpoint.reach(await writeForeign(), 50)).toBe(true);
  });

  it('is reached though one search does not cover its events', async () => {
    const { checkpoint, write, project } = open();
    const positions: bigint[] = [];
    for (let events = 0; events < 1_100; events += 1) positions.push(await write());
    const head = positions.at(-1) ?? 0n;
    await project(positions[3] ?? 0n);
    const reached = checkpoint.reach(head, 5_000);
    await project(positions[600] ?? 0n);
    expect(await Promise.race([reached, checkpoint.reach(head, 50)])).toBe(false);
    await project(head);
    expect(await reached).toBe(true);
  });

  it('costs one read for all waiting callers, and none without them', async () => {
    const { readStore, checkpoint, write, project } = open();
    const head = await write();
    const waiting = Array.from({ length: 100 }, () => checkpoint.reach(head, 5_000));
    await project(head);
    expect((await Promise.all(waiting)).every(Boolean)).toBe(true);
    expect(readStore.looks).toBeLessThan(10);
    const { looks } = readStore;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(readStore.looks).toBe(looks);
  });

  it('bears with a store that is away for a while', async () => {
    const { readStore, checkpoint, write, project } = open();
    const head = await write();
    const reached = checkpoint.reach(head, 5_000);
    await eventually(() => readStore.looks > 1);
    readStore.isAway = true;
    await new Promise((resolve) => setTimeout(resolve, 30));
    readStore.isAway = false;
    await project(head);
    expect(await reached).toBe(true);
  });

  it('is given up when it is stopped', async () => {
    const { checkpoint, write } = open();
    const reached = checkpoint.reach(await write(), 5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await checkpoint.stop();
    expect(await reached).toBe(false);
    expect(checkpoint.status()).toMatchObject({ phase: 'elsewhere', position: 0n });
  });
});
