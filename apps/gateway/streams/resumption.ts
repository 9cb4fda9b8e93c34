import { type IncomingHttpHeaders } from 'node:http';
import { HttpFailure } from '../errors/http-failure.js';

/** Asks for a stream that can be resumed; in the answer, whether it can. */
export const RESUMABLE_HEADER = 'x-quipu-resumable';
const LAST_EVENT_HEADER = 'last-event-id';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
export const EVENT_ID_PATTERN = `^${UUID}-[0-9]{1,9}$`;
export const STREAM_ID_PATTERN = `^${UUID}$`;
const EVENT_ID = new RegExp(`^(${UUID})-([0-9]{1,9})$`);

/** The place of a client in a stream. */
export interface StreamPlace {
  readonly streamId: string;
  /** The number of the last event that it has; 0 for none. */
  readonly after: number;
}

export const eventIdOf = (streamId: string, number: number): string => `${streamId}-${number}`;

/**
 * Whether a request asks for a stream that can be resumed.
 * @throws HttpFailure 400 for a value other than `true` and `false`
 */
export const asksForResumable = ({ [RESUMABLE_HEADER]: asked }: IncomingHttpHeaders): boolean => {
  if (asked === undefined || asked === 'false') return false;
  if (asked === 'true') return true;
  throw rejectedHeader('X-Quipu-Resumable', 'expected true or false');
};

/** The header, unless it is missing or empty, which clients send that have no id yet. */
export const lastEventIdOf = ({
  [LAST_EVENT_HEADER]: sent,
}: IncomingHttpHeaders): string | undefined =>
  typeof sent === 'string' && sent !== '' ? sent : undefined;

/** @throws HttpFailure 400 that names the header */
export const placeOf = (lastEventId: string): StreamPlace => {
  const [, streamId, number] = EVENT_ID.exec(lastEventId) ?? [];
  if (streamId !== undefined) return { streamId, after: Number(number) };
  throw notAnEvent();
};

export const notAnEvent = (): HttpFailure =>
  rejectedHeader('Last-Event-ID', 'expected the id of an event of the stream');

/** The stream answers another request than the one that is repeated. */
export const ofAnotherRequest = (): HttpFailure =>
  rejectedHeader('Last-Event-ID', 'it belongs to a stream whose request had another body');

const rejectedHeader = (param: string, what: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: `${param}: ${what}`,
    param,
  });
