import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { Outlet } from './outlet.js';
import { MessageReader } from './protobuf.reader.js';
import { sendRecorded } from './read.handler.js';
import { decodeReadRequest, type ReadRequest } from './read.messages.js';
import { CallError } from './call-errors.js';
import { type ServedLog, unavailable } from './served-log.js';
import { sendSubscription } from './subscribe.handler.js';

/** Streams.Read: a read, or a subscription if the request is one. */
export const readCall =
  (log: ServedLog): handleServerStreamingCall<Buffer, Buffer> =>
  (call) => {
    void serve(log, call);
  };

const serve = async (log: ServedLog, call: ServerWritableStream<Buffer, Buffer>): Promise<void> => {
  const gone = new AbortController();
  const stop = () => gone.abort();
  call.on('cancelled', stop);
  log.closing.addEventListener('abort', stop);
  try {
    log.assertOpen();
    const request = decodeReadRequest(new MessageReader(call.request));
    await answer(log, request, new Outlet(call, gone.signal), gone.signal);
    log.assertOpen();
    call.end();
  } catch (error) {
    call.emit('error', log.callErrorOf(error));
  } finally {
    log.closing.removeEventListener('abort', stop);
  }
};

const answer = async (
  log: ServedLog,
  request: ReadRequest,
  outlet: Outlet,
  signal: AbortSignal,
): Promise<void> => {
  if (request.extent.kind === 'count') {
    await sendRecorded(log.eventStore, request, request.extent.count, outlet);
    return;
  }
  if (request.direction === 'backwards') {
    throw new CallError(status.INVALID_ARGUMENT, 'a subscription goes forwards');
  }
  const leave = log.enterSubscription();
  try {
    await sendSubscription(log.eventStore, request, outlet, signal);
  } finally {
    leave();
  }
  // The client did not end it: the store below has closed.
  if (!signal.aborted) throw unavailable();
};
