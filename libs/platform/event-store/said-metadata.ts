import { type EventMetadata } from './event-store.port.js';

/** ISO 8601 UTC with milliseconds, as `toISOString` writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** One on a day that each month has, which needs no calendar: it is checked for every event. */
const PLAIN_INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z$/;

/**
 * Metadata on a server, which has no field for the instant at which an event was said: its own
 * clock says when it was stored, and a copy of the log is stored later.
 */
export interface SaidMetadata extends EventMetadata {
  readonly recordedAt: string;
}

const TEXTS = ['correlationId', 'causationId', 'requestId', 'actor'] as const;

export const isInstant = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  if (PLAIN_INSTANT.test(value)) return true;
  if (!INSTANT.test(value)) return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
};

/** The field by which metadata differ from an event of Quipu's; undefined where none does. */
export const wrongFieldOf = (
  metadata: Partial<Record<keyof EventMetadata, unknown>>,
): keyof EventMetadata | undefined => {
  const { version } = metadata;
  if (!Number.isSafeInteger(version) || Number(version) < 1) return 'version';
  return TEXTS.find((field) => typeof metadata[field] !== 'string');
};

/** The JSON of metadata with the instant as its last field. */
export const withInstant = (metadata: string, recordedAt: string): string =>
  `${metadata.slice(0, -1)},"recordedAt":"${recordedAt}"}`;

/** The metadata of an event of Quipu without the instant, and the instant. */
export const instantOf = ({
  recordedAt,
  ...metadata
}: SaidMetadata): { readonly metadata: EventMetadata; readonly recordedAt: string } => ({
  metadata,
  recordedAt,
});
