import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Delivery } from '#platform/bus/bus.port.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { type KafkaClientName, readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { AUTHORITY, CERTIFICATE, KEY } from '#platform/event-store/grpc/certificate.fixture.js';
import { type KafkaServer, startKafka } from '../servers/kafka/kafka.server.js';
import { CLIENT, eventually, message, SCHEMES } from './kafka.fixture.js';

let kafka: KafkaServer;

beforeAll(async () => {
  kafka = await startKafka({ identity: { certificate: CERTIFICATE, key: KEY } });
});

afterAll(() => kafka.stop());

describe('the credentials of a URL', () => {
  it.each([CLIENT])('authenticate %s, if they are right', async (client) => {
    const topic = `faults.${randomUUID()}`;
    const bus = await openKafkaBus({ ...readKafkaUrl(kafka.saslUrl), client });
    const deliveries: Delivery[] = [];
    const handle = (one: Delivery) => Promise.resolve(void deliveries.push(one));
    await bus.consume({ topic, group: 'workers', handle });
    await bus.publish(topic, [message(1)]);
    await eventually('a delivery', () => deliveries.length > 0);
    await bus.close();

    const wrong = readKafkaUrl(kafka.saslUrl.replace('quipu:', 'quipu:not-'));
    const rejected = await openKafkaBus({ ...wrong, client });
    const startedAt = Date.now();
    const unavailable = expect.objectContaining({ name: 'BusError', code: 'bus-unavailable' });
    await expect(rejected.publish(topic, [message(2)])).rejects.toEqual(unavailable);
    // The client does not retry rejected credentials.
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    await rejected.close();
  });
});

describe('TLS', () => {
  const roundTrip = (client: KafkaClientName, host: string, authorities?: string) => {
    const program = path.join(import.meta.dirname, 'kafka.round-trip.ts');
    const url = kafka.tlsUrl.replace('kafka:', SCHEMES[client]).replace('localhost', host);
    const env = { ...process.env, ...(authorities && { NODE_EXTRA_CA_CERTS: authorities }) };
    return promisify(execFile)('node', [program, url], { env });
  };

  describe.each([CLIENT])('through %s', (client) => {
    it.each(['localhost', '127.0.0.1'])(
      'sends a password to %s, whose certificate an authority signed',
      async (host) => {
        const folder = await mkdtemp(path.join(tmpdir(), 'quipu-authority-'));
        try {
          const file = path.join(folder, 'authority.pem');
          await writeFile(file, AUTHORITY);
          const { stdout, stderr } = await roundTrip(client, host, file);
          expect({ stdout, stderr }).toEqual({ stdout: 'delivered', stderr: '' });
        } finally {
          await rm(folder, { recursive: true });
        }
      },
    );

    it('sends none to a broker with an untrusted certificate', async () => {
      const { stdout } = await roundTrip(client, 'localhost');
      expect(stdout).toMatch(/^BusError: bus-unavailable: .*certificate/);
    });
  });
});
