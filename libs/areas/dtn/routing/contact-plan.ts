/** A node by the endpoint that names it, such as `dtn://station-1/`. */
export type NodeId = string;

/** When one node can send to another. */
export interface Contact {
  /** Unique in its plan. */
  readonly id: string;
  readonly from: NodeId;
  readonly to: NodeId;
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly startMs: number;
  readonly endMs: number;
  readonly bitsPerSecond: number;
  /** The one-way light time. */
  readonly lightMs: number;
}

export const PRIORITIES = ['bulk', 'normal', 'expedited'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Bytes of a contact that accepted bundles have booked, by their priority. */
export type Booked = Readonly<Record<Priority, number>>;

const BITS_PER_BYTE = 8;
const MS_PER_SECOND = 1_000;

/** How long a contact sends so many bytes. */
export const sendMsOf = ({ bitsPerSecond }: Contact, bytes: number): number =>
  (bytes * BITS_PER_BYTE * MS_PER_SECOND) / bitsPerSecond;

/** What a contact carries from its beginning to its end. */
export const volumeOf = ({ startMs, endMs, bitsPerSecond }: Contact): number =>
  Math.floor(((endMs - startMs) * bitsPerSecond) / BITS_PER_BYTE / MS_PER_SECOND);

/** A bundle does not make room for one of a lower priority, and takes the room of such a one. */
export const freeBytesOf = (
  contact: Contact,
  booked: Booked | undefined,
  priority: Priority,
): number => {
  const above = PRIORITIES.slice(PRIORITIES.indexOf(priority));
  const taken = above.reduce((sum, one) => sum + (booked?.[one] ?? 0), 0);
  return volumeOf(contact) - taken;
};
