import { type IHeaders, type KafkaMessage } from 'kafkajs';
import { type FetchedRecord } from '../kafka-client.port.js';

type Fetched = Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset'>;

/** A record as kafkajs decodes it. */
export const recordOf = (
  partition: number,
  { key, value, headers, offset }: Fetched,
): FetchedRecord => ({
  partition,
  key: key === null ? null : key.toString('utf8'),
  value,
  headers: textsOf(headers),
  offset: BigInt(offset),
});

const textsOf = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => {
      const last = Array.isArray(value) ? value.at(-1) : value;
      return [name, last?.toString() ?? ''];
    }),
  );
