import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { startMongoDb } from './mongodb.server.js';

/** Databases for one suite, on the server of `TEST_MONGODB_URL` or on a new server. */
export class SuiteDatabases {
  private constructor(
    private readonly serverUrl: string,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async start(): Promise<SuiteDatabases> {
    const given = process.env['TEST_MONGODB_URL'];
    if (given !== undefined) return new SuiteDatabases(given, () => Promise.resolve());
    const server = await startMongoDb();
    return new SuiteDatabases(server.url, () => server.stop());
  }

  /** @returns the URL of a database that does not exist yet */
  newUrl(): string {
    return withDatabase(this.serverUrl, `quipu-test-${randomUUID()}`);
  }

  async remove(url: string): Promise<void> {
    const client = new MongoClient(url);
    await client.db().dropDatabase();
    await client.close();
  }

  stop(): Promise<void> {
    return this.stopServer();
  }
}

/** The same connection string with another path. */
const withDatabase = (url: string, name: string): string => {
  const [, hosts = '', query = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return `${hosts}/${name}${query}`;
};
