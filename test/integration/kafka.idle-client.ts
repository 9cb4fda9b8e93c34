/**
 * An idle producer and an idle consumer of kafkajs. Prints their share of a core in percent and the
 * warnings of Node as JSON.
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
const startedAt = performance.now();
const before = process.cpuUsage();
await sleep(Number(seconds) * 1_000);
const { user, system } = process.cpuUsage(before);
const percentOfACore = (user + system) / 10 / (performance.now() - startedAt);
process.stdout.write(JSON.stringify({ percentOfACore, warnings }));
process.exit();
