/**
 * A member of a group in a process that can be killed: takes a message, says so, and never finishes.
 *
 * Node runs this file as it is, on the built bus. So it is erasable TypeScript.
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
