import { type EventMetadata, type Position, type RecordedEvent } from '../event-store.port.js';
import { type ClientRecord } from './log-client.js';

/** The position that servers report where a stream read has none: the largest unsigned number. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

/** 0n where the server does not say, which some do not when a stream is read. */
export const positionOf = ({ position }: ClientRecord): Position =>
  position === undefined || position.commit === NO_POSITION ? 0n : position.commit;

/** The server's own: statistics, settings of streams, links. They never reach a consumer. */
export const isSystemEvent = ({ streamId, type }: ClientRecord): boolean =>
  type.startsWith('$') || streamId.startsWith('$');

/**
 * An event as the port has it. One that another program has written is not hidden, or the revisions
 * of its stream would have a gap: data that are no JSON object become an empty one, and metadata
 * that are not ours become version 1 and empty texts.
 */
export const recordedFrom = (record: ClientRecord): RecordedEvent => ({
  id: record.id,
  type: record.type,
  data: record.isJson && isObject(record.data) ? record.data : {},
  metadata: isMetadata(record.metadata) ? record.metadata : FOREIGN,
  stream: record.streamId,
  revision: record.revision,
  position: positionOf(record),
  recordedAt: record.created.toISOString(),
});

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMetadata = (value: unknown): value is EventMetadata => {
  if (!isObject(value)) return false;
  const { version, correlationId, causationId, requestId, actor } = value as Partial<
    Record<keyof EventMetadata, unknown>
  >;
  return (
    typeof version === 'number' &&
    typeof correlationId === 'string' &&
    typeof causationId === 'string' &&
    typeof requestId === 'string' &&
    typeof actor === 'string'
  );
};

const FOREIGN: EventMetadata = {
  version: 1,
  correlationId: '',
  causationId: '',
  requestId: '',
  actor: '',
};
