import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { AUTHORITY, CERTIFICATE, KEY } from '#platform/event-store/grpc/certificate.fixture.js';
import { Member } from './fleet.harness.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

const EXIT_BAD_SETTINGS = 2;

describe('the log of a gateway, by the protocol of EventStoreDB', () => {
  let folder: string;
  let world: World;
  const opened: EventStore[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-served-log-'));
    const files = { 'authority.pem': AUTHORITY, 'cert.pem': CERTIFICATE, 'key.pem': KEY };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(folder, name), text);
    }
    const environment = {
      QUIPU_GRPC_HOST: 'localhost',
      QUIPU_GRPC_PORT: '0',
      QUIPU_GRPC_TLS_CERT: path.join(folder, 'cert.pem'),
      QUIPU_GRPC_TLS_KEY: path.join(folder, 'key.pem'),
    };
    world = await startWorld([answering('Knots', '.')], { environment });
  });

  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await world.close();
    await rm(folder, { recursive: true });
  });

  /** Connects as a client of EventStoreDB with this password. */
  const openWith = async (apiKey: string): Promise<EventStore> => {
    const authority = path.join(folder, 'authority.pem');
    const address = `localhost:${world.quipu.grpcPort}?tls=true&tlsCAFile=${authority}`;
    const store = await openEventStoreDb({ url: `kurrentdb://auditor:${apiKey}@${address}` });
    opened.push(store);
    return store;
  };

  it('is read by an Admin, whose API key is the password', async () => {
    await world.openai.chat.completions.create(chatRequest());
    const store = await openWith(world.credentials.api_key);
    const read = (await Array.fromAsync(store.readAll())).flat();
    expect(read).toEqual(await world.events());
    expect(read.map(({ type }) => type)).toContain('HoldCaptured');
  });

  it('rejects another key', async () => {
    const store = await openWith(world.credentials.renter_key);
    await expect(store.head()).rejects.toThrow('the API key of an Admin is required');
  });

  it('ends the start of a gateway with another key, which no wait would help', async () => {
    const authority = path.join(folder, 'authority.pem');
    const address = `localhost:${world.quipu.grpcPort}?tls=true&tlsCAFile=${authority}`;
    const gateway = new Member('gateway', 'gateway', 0, {
      QUIPU_HOME: path.join(folder, 'gateway'),
      QUIPU_EVENT_STORE: `kurrentdb://auditor:${world.credentials.renter_key}@${address}`,
    });
    gateway.spawn();
    expect(await gateway.ended()).toBe(EXIT_BAD_SETTINGS);
    expect(gateway.output).toMatch(/^ {2}QUIPU_EVENT_STORE: .*: access is denied: .*$/m);
    expect(gateway.output).not.toContain(world.credentials.renter_key);
    expect(gateway.output).not.toContain('    at ');
  });
});
