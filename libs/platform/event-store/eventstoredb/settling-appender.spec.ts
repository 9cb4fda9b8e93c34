import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { StaleRevisionError, StoreUnavailableError } from '../event-store.errors.js';
import { counted } from '../event-store.fixture.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import { connectionOf, recordAt, ScriptedClient } from './scripted-client.fake.js';
import { SettlingAppender } from './settling-appender.js';

describe('an append whose outcome is unknown', () => {
  const open = () => {
    const client = new ScriptedClient();
    const connection = connectionOf(client);
    const reader = new EventStoreDbLogReader(connection, { pageMs: 100, outageMs: 100 });
    const appender = new SettlingAppender(connection, reader, { attemptMs: 50, settleMs: 1_000 });
    const append = () =>
      appender.append('job-1', counted(1), 'no-stream', new AbortController().signal);
    return { client, connection, append };
  };

  /** Fails in turn with these, then succeeds. */
  const failing = (client: ScriptedClient, ...errors: Error[]) => {
    client.answer = () => {
      const error = errors.shift();
      return error ? Promise.reject(error) : Promise.resolve({ revision: 0n, position: 9n });
    };
    return errors;
  };

  it('asks the log for the position when the server does not tell it', async () => {
    const { client, append } = open();
    client.log.push(recordAt(1n));
    client.answer = () => Promise.resolve({ revision: 0n, position: null });
    expect(await append()).toEqual({ revision: 0n, position: 1n });
  });

  it('is repeated until it is answered', async () => {
    const { client, append } = open();
    const left = failing(client, new Error('lost'), new Error('lost again'));
    expect(await append()).toEqual({ revision: 0n, position: 9n });
    expect(left).toEqual([]);
  });

  it('is settled when the server rejects', async () => {
    const { client, append } = open();
    failing(client, new Error('lost'), new StaleRevisionError('job-1', 'no-stream', 4n));
    await expect(append()).rejects.toThrow(StaleRevisionError);
  });

  it('stays unknown when the server accepts no more appends: the first may be stored', async () => {
    const { client, append } = open();
    failing(client, new Error('lost'), new StoreUnavailableError('the disk is full'));
    expect(await append()).toEqual({ revision: 0n, position: 9n });
  });

  it('is not unknown where the first attempt certainly did nothing', async () => {
    const { client, connection, append } = open();
    const left = failing(
      client,
      new StoreUnavailableError('the disk is full'),
      new Error('unused'),
    );
    await expect(append()).rejects.toThrow(StoreUnavailableError);
    expect(left).toHaveLength(1);
    expect(await connection.check()).toMatchObject({ reason: 'the disk is full' });
    failing(client);
    await append();
    expect(await connection.check()).toBeNull();
  });

  it('is none where the server was just found not to answer, until it answers again', async () => {
    const { client, connection, append } = open();
    client.probe = () => Promise.reject(new Error('no server'));
    expect(await connection.check()).toMatchObject({ reason: 'no server' });
    await expect(append()).rejects.toThrow(StoreUnavailableError);
    client.probe = () => Promise.resolve();
    await eventually(async () => (await connection.check()) === null);
    await append();
    await connection.close();
  });
});
