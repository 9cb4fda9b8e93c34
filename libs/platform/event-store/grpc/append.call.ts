import { type handleClientStreamingCall, type sendUnaryData } from '@grpc/grpc-js';
import { StaleRevisionError } from '../event-store.errors.js';
import { AppendInProgress } from './append-in-progress.js';
import {
  decodeAppendRequest,
  encodeAppended,
  encodeWrongExpectedVersion,
} from './append.messages.js';
import { MalformedMessageError, MessageReader } from './protobuf.reader.js';
import { type ServedLog, unavailable } from './served-log.js';

/** Streams.Append: one call is one append, its target first and then its events. */
export const appendCall =
  (log: ServedLog): handleClientStreamingCall<Buffer, Buffer> =>
  (call, callback) => {
    let append: AppendInProgress | null = null;
    let rejected = false;
    const reject = (error: unknown) => {
      if (!rejected) callback(log.callErrorOf(error));
      rejected = true;
    };
    call.on('data', (message: Buffer) => {
      if (rejected) return;
      try {
        append = taken(append, message);
      } catch (error) {
        reject(error);
      }
    });
    call.on('end', () => {
      if (rejected) return;
      if (append === null) reject(new MalformedMessageError('an append needs its options'));
      else if (log.closing.aborted) reject(unavailable());
      else void land(log, append, callback);
    });
  };

const taken = (append: AppendInProgress | null, message: Buffer): AppendInProgress => {
  const request = decodeAppendRequest(new MessageReader(message));
  if (request.kind === 'target') {
    if (append !== null) throw new MalformedMessageError('an append has its options once');
    return new AppendInProgress(request.target);
  }
  if (append === null) throw new MalformedMessageError('an append begins with its options');
  append.add(request.event);
  return append;
};

const land = async (
  log: ServedLog,
  append: AppendInProgress,
  callback: sendUnaryData<Buffer>,
): Promise<void> => {
  try {
    const result = await log.landing(append.appendTo(log.eventStore));
    callback(null, encodeAppended(result));
  } catch (error) {
    if (error instanceof StaleRevisionError) {
      callback(null, encodeWrongExpectedVersion(error.expected, error.actual));
    } else callback(log.callErrorOf(error));
  }
};
