import { hash } from 'node:crypto';
import { z } from 'zod';

/** Hex of a SHA-256 digest. */
export const Sha256Hex = z.string().regex(/^[\da-f]{64}$/);

/** The registers of the software event log. Each has one subject. */
export const LOG_REGISTERS = {
  build: 'pcr_0',
  policy: 'pcr_2',
  configuration: 'pcr_7',
} as const;

/** One measurement, as the log keeps it. */
export const MeasuredEvent = z.strictObject({
  subject: z.enum(['build', 'policy', 'configuration']),
  /** Of the measured object, such as a file. */
  name: z.string().min(1).max(200),
  /** Of the measured bytes. */
  sha256: Sha256Hex,
});
export type MeasuredEvent = z.infer<typeof MeasuredEvent>;

/** Measurements of one log at most. */
export const EVENTS_MAX = 2_000;
export const EventLog = z.array(MeasuredEvent).min(1).max(EVENTS_MAX).readonly();
export type EventLog = z.infer<typeof EventLog>;

/** The three registers of the promised answer, in hex. */
export const PcrMeasurements = z.strictObject({
  pcr_0: z.string().regex(/^[\da-f]+$/),
  pcr_2: z.string().regex(/^[\da-f]+$/),
  pcr_7: z.string().regex(/^[\da-f]+$/),
});
export type PcrMeasurements = z.infer<typeof PcrMeasurements>;

const ZERO = Buffer.alloc(32);

/** The digest of an event: of its subject, name and measurement, so that none can be exchanged. */
const digestOf = ({ subject, name, sha256 }: MeasuredEvent): Buffer =>
  hash('sha256', JSON.stringify([subject, name, sha256]), 'buffer');

/** Extends the registers from zero as a TPM does: `SHA-256(register || digest of the event)`. */
export const replay = (log: EventLog): PcrMeasurements => {
  const registers = { pcr_0: ZERO, pcr_2: ZERO, pcr_7: ZERO };
  for (const event of log) {
    const register = LOG_REGISTERS[event.subject];
    registers[register] = hash(
      'sha256',
      Buffer.concat([registers[register], digestOf(event)]),
      'buffer',
    );
  }
  return {
    pcr_0: registers.pcr_0.toString('hex'),
    pcr_2: registers.pcr_2.toString('hex'),
    pcr_7: registers.pcr_7.toString('hex'),
  };
};
