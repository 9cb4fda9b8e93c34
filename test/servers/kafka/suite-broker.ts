import { randomUUID } from 'node:crypto';
import { startKafka } from './kafka.server.js';

const SCHEMES = { kafkajs: 'kafka:', platformatic: 'kafka+platformatic:' } as const;

/** The shortest session time-out that a broker allows by default. */
const SESSION_MS = 6_000;

/** The broker of `TEST_KAFKA_URL` or a new one. Each test has its own topics. */
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
