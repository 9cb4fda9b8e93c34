import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '../servers/server-process.js';
import { Member } from './fleet.harness.js';
import { eventually } from './quipu.harness.js';

/** A read of a running process waits 10 s for the log. */
const AWAY_MS = 12_000;

describe('a fleet that starts before its log', () => {
  let home: string;
  let node: Member;
  let members: readonly Member[];

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-late-log-'));
    const [grpcPort = 0, ...ports] = await freePorts(4);
    const own = { QUIPU_HOME: home, QUIPU_LOG_LEVEL: 'error' };
    const served = { ...own, QUIPU_GRPC_PORT: `${grpcPort}`, QUIPU_GRPC_INSECURE: '1' };
    const shared = { ...own, QUIPU_EVENT_STORE: `kurrentdb://127.0.0.1:${grpcPort}?tls=false` };
    const [nodePort = 0, gatewayPort = 0, projectorPort = 0] = ports;
    node = new Member('event-store', 'event-store', nodePort, served);
    members = [
      new Member('gateway', 'gateway', gatewayPort, shared),
      new Member('projector', 'projector', projectorPort, shared),
    ];
    for (const member of members) member.spawn();
  });

  afterAll(async () => {
    await Promise.all([node, ...members].map((member) => member.end('SIGKILL')));
    await rm(home, { recursive: true });
  });

  const awaitsLog = async (member: Member): Promise<boolean> =>
    (await member.report())?.reasons.includes('event_log_unavailable') ?? false;

  it('is live, names the log, refuses callers, and comes up with the log', async () => {
    for (const member of members) await eventually(() => awaitsLog(member));
    await sleep(AWAY_MS);
    for (const member of members) {
      expect(await awaitsLog(member)).toBe(true);
      expect((await fetch(`${member.url}/health/live`)).status).toBe(200);
    }
    const [gateway] = members;
    const refused = await fetch(`${gateway?.url}/v1/chat/completions`, { method: 'POST' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ error: { code: 'store_unavailable' } });
    await node.start();
    await Promise.all(members.map((member) => member.ready()));
    expect((await fetch(`${gateway?.url}/v1/models`)).status).toBe(401);
  });
});
