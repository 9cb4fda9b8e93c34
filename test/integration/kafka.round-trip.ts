/**
 * Publishes and consumes one message, in a process with its own authorities, since Node reads
 * `NODE_EXTRA_CA_CERTS` only once. Prints `delivered`, or the error.
 *
 * Node runs this file without a build, on the built bus, so it is erasable TypeScript.
 */
import { randomUUID } from 'node:crypto';
import { type Delivery } from '#platform/bus/bus.port.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';

const TIMEOUT_MS = 10_000;
const [url = ''] = process.argv.slice(2);
const topic = `round-trip.${randomUUID()}`;
const bus = await openKafkaBus({ ...readKafkaUrl(url), timeoutMs: TIMEOUT_MS });
const { promise: delivered, resolve } = Promise.withResolvers<Delivery>();
try {
  await bus.consume({
    topic,
    group: 'workers',
    handle: (delivery) => {
      resolve(delivery);
      return Promise.resolve();
    },
  });
  await bus.publish(topic, [{ key: 'job-1', id: randomUUID(), headers: {}, data: null }]);
  await delivered;
  process.stdout.write('delivered');
} catch (error) {
  process.stdout.write(String(error));
} finally {
  await bus.close();
}
