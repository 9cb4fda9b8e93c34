import { type ClientReadableStream } from '@grpc/grpc-js';
import {
  type ClientListener,
  type ClientPage,
  type ClientRecord,
  PAGE_UNITS_MAX,
  unitsOf,
} from './log-client.js';
import { decodeReadAnswer, type ReadAnswer } from './read.messages.js';

/** Gives encoded messages. */
export type ReadCall = ClientReadableStream<Buffer>;

/** Reads a page to its end, to its size or until it is aborted, then ends the call. */
export const collect = async (
  begin: () => Promise<ReadCall>,
  signal: AbortSignal,
): Promise<ClientPage> => {
  const call = await begin();
  return new Promise((resolve, reject) => {
    const records: ClientRecord[] = [];
    let units = 0;
    let isOver = false;
    const settle = (act: () => void): void => {
      isOver = true;
      signal.removeEventListener('abort', stop);
      act();
    };
    const leave = (act: () => void): void => {
      settle(act);
      cancel(call);
    };
    const take = (answer: ReadAnswer): void => {
      if (isOver || answer === null) return;
      if (answer === 'stream-not-found') {
        leave(() => resolve({ records: [], cut: false }));
        return;
      }
      records.push(answer);
      units += unitsOf(answer.data);
      if (units >= PAGE_UNITS_MAX) leave(() => resolve({ records, cut: true }));
    };
    const stop = (): void => leave(() => reject(new Error('the reading was aborted')));
    signal.addEventListener('abort', stop);
    // This listener stays: an ended call fails once more, and has no other listener.
    call.on('error', (error: Error) => settle(() => reject(error)));
    call.on('end', () => settle(() => resolve({ records, cut: false })));
    call.on(
      'data',
      decoding(take, (error) => leave(() => reject(error))),
    );
    if (signal.aborted) stop();
  });
};

/** Delivers messages until the call ends or is aborted. */
export const follow = (
  begin: () => Promise<ReadCall>,
  { onEvent, onEnd }: ClientListener,
): (() => void) => {
  let isOver = false;
  let leave = (): void => undefined;
  const end = (error: Error | null): void => {
    if (isOver) return;
    isOver = true;
    leave();
    onEnd(error);
  };
  begin().then((call) => {
    leave = () => cancel(call);
    call.on('error', end);
    call.on('end', () => end(null));
    const take = (answer: ReadAnswer): void => {
      if (!isOver && answer !== null && answer !== 'stream-not-found') onEvent(answer);
    };
    call.on('data', decoding(take, end));
    if (isOver) leave();
  }, end);
  return () => {
    isOver = true;
    leave();
  };
};

/** The error of an unreadable message would be lost in an event handler. */
const decoding =
  (take: (answer: ReadAnswer) => void, fail: (error: Error) => void) =>
  (bytes: Buffer): void => {
    let answer: ReadAnswer;
    try {
      answer = decodeReadAnswer(bytes);
    } catch (error) {
      fail(error as Error);
      return;
    }
    take(answer);
  };

/** Not within a handler of the call itself: https://github.com/grpc/grpc-node/issues/1652. */
const cancel = (call: ReadCall): void => {
  setImmediate(() => call.cancel());
};
