import { randomUUID } from 'node:crypto';
import { startKafka } from './kafka.server.js';

const SCHEMES = { kafkajs: 'kafka:', platformatic: 'kafka+platformatic:' } as const;

/** The shortest session timeout that a broker allows by default: the given one may be any. */
const SESSION_MS = 6_000;

/** The broker that `TEST_KAFKA_URL` names or a new one, of which each test sees its own topics. */
export class SuiteBroker {
  private constructor(
    private readonly serverUrl: string,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async start(): Promise<SuiteBroker> {
    const given = process.env['TEST_KAFKA_URL'];
    if (given !== undefined) return new SuiteBroker(given, () => Promise.resolve());
    const server = await startKafka();
    return new SuiteBroker(server.url, () => server.stop());
  }

  /** @returns a URL under which no topic exists yet */
  newUrl(client: keyof typeof SCHEMES = 'kafkajs'): string {
    const url = this.serverUrl.replace(/^[a-z+]+:/, SCHEMES[client]);
    const [prefix = ''] = randomUUID().split('-');
    return `${url}${url.includes('?') ? '&' : '?'}prefix=test-${prefix}&session_ms=${SESSION_MS}`;
  }

  stop(): Promise<void> {
    return this.stopServer();
  }
}
