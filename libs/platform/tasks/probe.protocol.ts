import { z } from 'zod';

/** Where a worker hears of transfers that time the way between two workers. */
export const probesTopicOf = (worker: string): string => `quipu.probes.${worker}`;

/** Where a process hears how long the transfers took that it asked for. */
export const probeResultsTopicOf = (instance: string): string => `quipu.probe-results.${instance}`;

/** Of content, in one message. */
export const PROBE_CHUNK_BYTES = 524_288;
/** Of one timed transfer: longer ones would only cost more. */
export const PROBE_CHUNKS_MAX = 16;

const Probe = z.uuid();

/** The messages on the topic of a worker. */
export const ProbeMessage = z.discriminatedUnion('kind', [
  /** A process asks this worker to send a number of chunks to another one. */
  z.strictObject({
    kind: z.literal('measure'),
    probe: Probe,
    to: z.string(),
    chunks: z.int().min(1).max(PROBE_CHUNKS_MAX),
    /** The process that hears the result. */
    replyTo: z.string(),
  }),
  /** A process times the way to this worker and back. */
  z.strictObject({ kind: z.literal('ping'), probe: Probe, replyTo: z.string() }),
  z.strictObject({
    kind: z.literal('chunk'),
    probe: Probe,
    from: z.string(),
    index: z.int().nonnegative(),
    chunks: z.int().min(1).max(PROBE_CHUNKS_MAX),
    /** Random content in base64. */
    content: z.string(),
  }),
  /** Every chunk has arrived. */
  z.strictObject({ kind: z.literal('received'), probe: Probe, bytes: z.int().positive() }),
]);
export type ProbeMessage = z.infer<typeof ProbeMessage>;

/** The messages on the topic of a process that has asked. */
export const ProbeResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('measured'),
    probe: Probe,
    /** Of content, without the cost of its encoding. */
    bytes: z.int().positive(),
    /** From the first message to the receipt; null where no receipt came in time. */
    elapsedMs: z.number().positive().nullable(),
  }),
  z.strictObject({ kind: z.literal('pong'), probe: Probe }),
]);
export type ProbeResult = z.infer<typeof ProbeResult>;
