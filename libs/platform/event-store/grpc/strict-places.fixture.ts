import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type FaultyEventStore } from './faulty-event-store.fake.js';
import { MessageReader } from './protobuf.reader.js';
import { decodeReadRequest } from './read.messages.js';

const READ = '/event_store.client.streams.Streams/Read';

/** As a server whose positions count bytes: it reads the log only from where an event begins. */
export const strictPlaces =
  (log: FaultyEventStore): ServerInterceptor =>
  (method, call) => {
    if (method.path !== READ) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMessage: (message: Buffer, pass) => {
            void isPlace(log, message).then((isThere) => {
              if (isThere) pass(message);
              else call.sendStatus({ code: status.UNKNOWN, details: BAD_PLACE });
            });
          },
        }),
    });
  };

const BAD_PLACE = 'Unexpected ReadAllResult: Error';

const isPlace = async (log: FaultyEventStore, message: Buffer): Promise<boolean> => {
  const { target } = decodeReadRequest(new MessageReader(message));
  if (target.kind === 'stream' || typeof target.from === 'string') return true;
  return log.hasEventAt(target.from);
};
