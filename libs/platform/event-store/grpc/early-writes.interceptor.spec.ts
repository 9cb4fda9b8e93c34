import { type ServerInterceptingCall } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { earlyWrites, UNWRITTEN_BYTES_MAX } from './early-writes.interceptor.js';

describe('a call whose messages are taken early', () => {
  /** Before a socket that is done with a message when the test says so. */
  const open = () => {
    const sent: { readonly bytes: number; readonly written: () => void }[] = [];
    const socket = {
      sendMetadata: () => undefined,
      sendMessage: ({ length }: Buffer, written: () => void) =>
        sent.push({ bytes: length, written }),
    };
    const method = {
      path: '',
      requestStream: false,
      responseStream: true,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
    };
    const call = earlyWrites(method, socket as unknown as ServerInterceptingCall);
    let taken = 0;
    const send = (bytes: number) => call.sendMessage(Buffer.alloc(bytes), () => (taken += 1));
    return { sent, send, taken: () => taken };
  };

  it('sends what comes while the socket is busy, in order', () => {
    const { sent, send, taken } = open();
    for (const bytes of [1, 2, 3]) send(bytes);
    expect(sent.map(({ bytes }) => bytes)).toEqual([1, 2, 3]);
    expect(taken()).toBe(3);
  });

  it('takes no more when much is unwritten, until there is room again', () => {
    const { sent, send, taken } = open();
    send(UNWRITTEN_BYTES_MAX - 1);
    send(1);
    expect(taken()).toBe(1);
    sent[1]?.written();
    expect(taken()).toBe(2);
  });

  it('takes a message again for each that is taken, and not more often', () => {
    const { sent, send, taken } = open();
    for (let round = 1; round <= 3; round += 1) {
      send(UNWRITTEN_BYTES_MAX);
      expect(taken()).toBe(round - 1);
      sent.pop()?.written();
      expect(taken()).toBe(round);
    }
  });
});
