import { isEventType, isStreamName } from '../append.encoding.js';
import { type EventMetadata, type Position, type RecordedEvent } from '../event-store.port.js';
import { instantOf, isInstant, type SaidMetadata, wrongFieldOf } from '../said-metadata.js';
import { type ClientRecord } from './log-client.js';
import { PREFIX_END } from './prefixed-client.js';

/** The position that servers report where a stream read has none: the largest unsigned number. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

/** 0n where the server does not say, which some do not when a stream is read. */
export const positionOf = ({ position }: ClientRecord): Position =>
  position === undefined || position.commit === NO_POSITION ? 0n : position.commit;

/** The server's own: statistics, settings of streams, links. They never reach a consumer. */
export const isSystemEvent = ({ streamId, type }: ClientRecord): boolean =>
  type.startsWith('$') || streamId.startsWith('$');

/**
 * An event of Quipu: a JSON object under a name and a type that the port takes, with its metadata
 * and the instant at which it was said. Other programs' events never reach a reader of the log.
 */
export const isOwnEvent = (record: ClientRecord): boolean => {
  const { streamId, type, isJson, data, metadata } = record;
  return (
    isJson &&
    !isSystemEvent(record) &&
    isSaid(metadata) &&
    isObject(data) &&
    isEventType(type) &&
    isStreamName(streamId) &&
    !isPrefixed(streamId)
  );
};

/** Of another installation on the same server. */
const isPrefixed = (streamId: string): boolean => {
  const end = streamId.indexOf(PREFIX_END);
  return end !== -1 && end < streamId.indexOf('-');
};

/**
 * An event as the port has it. One that another program has written into a stream is not hidden
 * from who reads the stream, or its revisions would have a gap: data that are no JSON object become
 * an empty one, and the metadata version 1 and empty texts.
 */
export const recordedFrom = (record: ClientRecord): RecordedEvent => {
  const isWhole = record.isJson && isObject(record.data);
  const { metadata, recordedAt } =
    isWhole && isSaid(record.metadata)
      ? instantOf(record.metadata)
      : { metadata: FOREIGN, recordedAt: record.created.toISOString() };
  return {
    id: record.id,
    type: record.type,
    data: isWhole ? record.data : {},
    metadata,
    stream: record.streamId,
    revision: record.revision,
    position: positionOf(record),
    recordedAt,
  };
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSaid = (value: unknown): value is SaidMetadata =>
  isObject(value) &&
  wrongFieldOf(value) === undefined &&
  'recordedAt' in value &&
  isInstant(value.recordedAt);

const FOREIGN: EventMetadata = {
  version: 1,
  correlationId: '',
  causationId: '',
  requestId: '',
  actor: '',
};
