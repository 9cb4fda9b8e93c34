import { startKafka } from './kafka/kafka.server.js';
import { startMongoDb } from './mongodb/mongodb.server.js';
import { startS3 } from './s3/s3.server.js';
import { type TestServer } from './test-server.js';

/** The shared servers, by the variable that names a replacement. */
const SHARED = {
  TEST_KAFKA_URL: startKafka,
  TEST_MONGODB_URL: startMongoDb,
  TEST_S3_URL: startS3,
} as const;

const running: TestServer[] = [];

/**
 * Starts the servers that the environment does not name, concurrently.
 * @returns their URLs, by variable
 * @throws Error when a server does not start; the others are then stopped
 */
export const startSharedServers = async (
  environment: NodeJS.ProcessEnv,
): Promise<Readonly<Record<string, string>>> => {
  const wanted = Object.entries(SHARED).filter(([variable]) => environment[variable] === undefined);
  const started = await Promise.allSettled(
    wanted.map(async ([variable, start]) => {
      const server = await start();
      running.push(server);
      return [variable, server.url] as const;
    }),
  );
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await stopSharedServers();
    throw failed.reason;
  }
  return Object.fromEntries(
    started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
  );
};

export const stopSharedServers = async (): Promise<void> => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
};
