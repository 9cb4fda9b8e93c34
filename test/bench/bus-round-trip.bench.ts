import { randomUUID } from 'node:crypto';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';

const ASKED = 'bench.asked';
const ANSWERED = 'bench.answered';
const WARM_UPS = 50;
const TRIPS = 500;
const TRIPS_QUICK = 50;

const open = (url: string): Promise<Bus> =>
  openKafkaBus({ ...readKafkaUrl(url), topicSettings: () => ({ partitions: 1 }) });

const message = (): BusMessage => ({ key: 'bench', id: randomUUID(), headers: {}, data: {} });

/**
 * A message to a topic and another one back, one after the other, between two members of the bus.
 * @returns how long each took, in ms
 */
export const benchRoundTrip = async (url: string, isQuick: boolean): Promise<readonly number[]> => {
  const [here, there] = await Promise.all([open(url), open(url)]);
  let arrived = (): void => undefined;
  await there.consume({
    topic: ASKED,
    group: 'bench.there',
    handle: ({ key, id, headers, data }) => there.publish(ANSWERED, [{ key, id, headers, data }]),
  });
  await here.consume({
    topic: ANSWERED,
    group: 'bench.here',
    handle: () => {
      arrived();
      return Promise.resolve();
    },
  });
  const trips: number[] = [];
  const count = WARM_UPS + (isQuick ? TRIPS_QUICK : TRIPS);
  for (let trip = 0; trip < count; trip += 1) {
    const answer = new Promise<void>((resolve) => (arrived = resolve));
    const startedMs = performance.now();
    await here.publish(ASKED, [message()]);
    await answer;
    trips.push(performance.now() - startedMs);
  }
  await Promise.all([here.close(), there.close()]);
  return trips.slice(WARM_UPS);
};
