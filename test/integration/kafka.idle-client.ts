/**
 * An idle producer and an idle consumer of kafkajs. Prints the timers that they set in a second and
 * the warnings of Node as JSON.
 *
 * Node runs this file without a build, on the built patch, so it is erasable TypeScript.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { patchRequestQueue } from '#platform/bus/kafka/kafkajs/request-queue.patch.js';

const SETTLE_MS = 2_000;
const [broker = '', state = '', seconds = ''] = process.argv.slice(2);
if (state === 'patched') patchRequestQueue();

let timers = 0;
const setTimer = globalThis.setTimeout;
globalThis.setTimeout = ((...call: Parameters<typeof setTimer>) => {
  timers += 1;
  return setTimer(...call);
}) as typeof setTimer;

const warnings: string[] = [];
process.on('warning', ({ name }) => warnings.push(name));

const topic = `idle-${randomUUID()}`;
const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({ topics: [{ topic, numPartitions: 4 }] });
await admin.disconnect();
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
await producer.connect();
await producer.send({ topic, acks: -1, messages: [{ value: 'hello' }] });
const consumer = kafka.consumer({ groupId: topic, maxWaitTimeInMs: 500 });
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({ eachBatch: () => Promise.resolve() });

await sleep(SETTLE_MS);
const before = timers;
await sleep(Number(seconds) * 1_000);
const timersPerSecond = (timers - before) / Number(seconds);
process.stdout.write(JSON.stringify({ timersPerSecond, warnings }));
process.exit();
