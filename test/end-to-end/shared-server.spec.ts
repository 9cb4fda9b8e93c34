import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { counted } from '#platform/event-store/event-store.fixture.js';
import {
  disguised,
  FOREIGN_STREAMS,
  isForeign,
} from '#platform/event-store/grpc/foreign-events.fixture.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { loadQuipu } from './loaded-quipu.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const ROUNDS = 3;
/** Requests to two processes. */
const AT_ONCE = 20;

describe('an installation on a server that other programs write to', () => {
  let served: ServedTestLog;
  let world: World;
  const commandLine = new CommandLine(() => world);

  const ask = (
    url = world.quipu.url,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
      },
      body: JSON.stringify(chatRequest()),
    });

  const charges = async (): Promise<number> =>
    (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;

  const ready = () => fetch(`${world.quipu.url}/health/ready`, asOperator);

  const expectClean = async (): Promise<void> => {
    await eventually(async () => (await ready()).status === 200);
    for (const words of [['ledger', 'check'], ['audit', 'verify'], ['doctor']]) {
      const { exitCode, stdout } = await commandLine.run(...words);
      expect({ words, exitCode, stdout }).toMatchObject({ words, exitCode: 0 });
    }
  };

  beforeAll(async () => {
    served = await openServedTestLog({ kind: 'insecure' }, true);
    served.faulty.disguise = disguised;
    const environment = {
      QUIPU_EVENT_STORE: `kurrentdb://${served.address}?tls=false`,
      QUIPU_AUDIT_CHECKPOINT_MS: '50',
    };
    world = await startWorld([answering('Knots', '.')], { environment });
  });

  afterAll(async () => {
    await world.close();
    await served.dispose();
  });

  it('is clean among their events, deleted streams, projections and links', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const stream of FOREIGN_STREAMS) {
        await served.direct.append(stream, counted(10), 'any');
        expect((await ask()).status).toBe(200);
      }
    }
    await served.faulty.tombstone('foreign-list');
    served.faulty.softDelete('foreign-text');
    expect((await ask()).status).toBe(200);
    expect(await charges()).toBe(ROUNDS * FOREIGN_STREAMS.length + 1);
    await expectClean();
  });

  it('finds the events of a request, where the server reads from no gap', async () => {
    const requestId = (await ask()).headers.get('x-request-id') ?? '';
    const headers = { authorization: `Bearer ${world.credentials.api_key}` };
    const audited = await fetch(`${world.quipu.url}/audit/requests/${requestId}`, { headers });
    expect(audited.status).toBe(200);
    const { events } = (await audited.json()) as { readonly events: readonly { type: string }[] };
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
    const explained = await commandLine.result('explain', requestId);
    const log = await world.log();
    const placesOf = (type: string) =>
      log.flatMap((event, index) =>
        event.type === type && event.metadata.requestId === requestId
          ? [{ type, position: `${index + 1}`, store_position: `${event.position}` }]
          : [],
      );
    const places = [...placesOf('HoldPlaced'), ...placesOf('HoldCaptured')];
    expect(explained).toMatchObject({ outcome: 'charged', events: places });
    expect(places).toHaveLength(2);
  });

  it('refuses a process with stores of its own, also with the same master key', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-second-'));
    const { startStandalone } = await loadQuipu();
    const second = () => startStandalone({ ...world.environment, QUIPU_HOME: home });
    const before = await world.events();
    await expect(second()).rejects.toThrow(
      /there is no .*: put the master key \S+ that the log was/,
    );
    await copyFile(path.join(world.home, 'master.key'), path.join(home, 'master.key'));
    await expect(second()).rejects.toThrow(
      /the log was written with the set \S+: another installation uses this log\. Use its home/,
    );
    expect((await ask()).status).toBe(200);
    const isOfSecond = ({ type }: { readonly type: string }) =>
      !['HoldPlaced', 'HoldCaptured'].includes(type);
    expect((await world.events()).slice(before.length).filter(isOfSecond)).toEqual([]);
    await rm(home, { recursive: true });
  });

  it('charges each request once where two processes share its home', async () => {
    const { startStandalone } = await loadQuipu();
    const second = await startStandalone(world.environment);
    const before = await charges();
    const urls = [world.quipu.url, second.url];
    const asked = Array.from({ length: AT_ONCE }, (_, index) => ask(urls[index % 2]));
    const retried = urls.map((url) => ask(url, { 'idempotency-key': 'once' }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));
    await Promise.all(retried);
    expect(await charges()).toBe(before + AT_ONCE + 1);
    await expectClean();
    await second.stop();
  });

  it('prints the numbers of its events, where the server counts the others too', async () => {
    const tail = async (...words: readonly string[]) => {
      const { stdout } = await commandLine.run('events', 'tail', ...words);
      const lines = stdout.trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const log = await world.log();
    const printed = log.map((event, index) => ({
      position: `${index + 1}`,
      store_position: `${event.position}`,
      id: event.id,
    }));
    // Readers may have written since.
    expect(await tail('--limit', `${log.length}`)).toMatchObject(printed);
    const last = ['--from', `${log.length}`, '--limit', '1'];
    expect(await tail(...last)).toMatchObject(printed.slice(-1));
    const charges = printed.filter((_, index) => log[index]?.type === 'HoldCaptured');
    expect(await tail('--filter-type', 'HoldCaptured', '--from', '2')).toMatchObject(charges);
    const following = await tail('--follow', '--from', '3', '--limit', '2');
    expect(following).toMatchObject(printed.slice(2, 4));
  });

  it('is clean after their events were scavenged, also from empty read models', async () => {
    served.faulty.disguise = (event) => (isForeign(event) ? null : event);
    await expectClean();
    const { exitCode } = await commandLine.run('projections', 'rebuild', '--all');
    expect(exitCode).toBe(0);
    world = await world.restart();
    const before = await charges();
    expect((await ask()).status).toBe(200);
    expect(await charges()).toBe(before + 1);
    await expectClean();
  });

  it('names a stream of its own that was deleted for ever', async () => {
    await served.faulty.tombstone('account-1');
    const answer = await ask();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'cut_stream' } });
    const check = await commandLine.run('ledger', 'check');
    expect(check.exitCode).toBe(1);
    expect(JSON.parse(check.stdout)).toMatchObject({
      code: 'log_damaged',
      damaged: [{ stream: 'account-1', reason: expect.stringContaining('lacks revision 0') }],
    });
    const { findings } = JSON.parse((await commandLine.run('doctor')).stdout) as {
      readonly findings: readonly { readonly part: string; readonly state: string }[];
    };
    expect(findings).toContainEqual(expect.objectContaining({ part: 'streams', state: 'failed' }));
  });
});
