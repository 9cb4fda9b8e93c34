import { type RecordedEvent } from '../event-store.port.js';

const FOREIGN = 'foreign-';

/** How other programs' events look on a server; the events are stored under these names. */
const SHAPES: Readonly<Record<string, (event: RecordedEvent) => object>> = {
  binary: () => ({ data: Buffer.from([0x00, 0xff, 0x7b]) }),
  list: () => ({ data: [1, 2] }),
  text: () => ({ data: 'text' }),
  bare: () => ({ metadata: {} }),
  causes: () => ({ metadata: { $correlationId: '1', $causationId: '2' } }),
  untyped: () => ({ type: '' }),
  link: ({ revision }) => ({ stream: '$ce-account', type: '$>', data: { link: `${revision}@a` } }),
  projection: () => ({ stream: '$projections-$all', type: '$ProjectionsInitialized' }),
  settings: () => ({ stream: '$$orders', type: '$metadata', data: { $maxAge: 1 }, metadata: {} }),
  undashed: () => ({ stream: 'orders' }),
};

/** Streams whose events a server shows as other programs', when it disguises them. */
export const FOREIGN_STREAMS = Object.keys(SHAPES).map((name) => `${FOREIGN}${name}`);

export const isForeign = ({ stream }: RecordedEvent): boolean => stream.startsWith(FOREIGN);

/** The event as its server shows it: of another program where its stream is foreign. */
export const disguised = (event: RecordedEvent): RecordedEvent => {
  const shape = isForeign(event) ? SHAPES[event.stream.slice(FOREIGN.length)] : undefined;
  return shape ? { ...event, ...shape(event) } : event;
};
