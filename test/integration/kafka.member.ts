/**
 * A group member in a process that a spec kills. It prints the message it takes, and never settles
 * it.
 *
 * Node runs this file without a build, on the built bus, so it is erasable TypeScript.
 */
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';

const [url = '', topic = '', group = ''] = process.argv.slice(2);
const bus = await openKafkaBus({ ...readKafkaUrl(url), sessionTimeoutMs: 3_000 });
await bus.consume({
  topic,
  group,
  handle: ({ id }) => {
    process.stdout.write(`handling ${id}\n`);
    return new Promise(() => undefined);
  },
});
