import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { encodeAppend } from '../append.encoding.js';
import { type StreamName } from '../event-store.port.js';
import { counted } from '../event-store.fixture.js';
import { decodeBatchAppendRequest, encodeBatchAppended } from '../grpc/append.messages.js';
import { MessageReader } from '../grpc/protobuf.reader.js';
import { APPEND_CALLS_MAX, AppendCalls } from './append-calls.js';
import { type BatchCall } from './batch-appends.js';

describe('appends over several calls', () => {
  /** A server that records its requests, call by call, and answers when the test says so. */
  const open = () => {
    const calls: { readonly streams: StreamName[]; readonly answer: () => void }[] = [];
    const begin = () => {
      const streams: StreamName[] = [];
      const unanswered: Buffer[] = [];
      const call = new Duplex({
        objectMode: true,
        read: () => undefined,
        write: (message: Buffer, _encoding, taken) => {
          const { correlationId, options } = decodeBatchAppendRequest(
            new MessageReader(message),
            Date.now(),
          );
          const stream = options?.stream ?? '';
          streams.push(stream);
          unanswered.push(
            encodeBatchAppended({ correlationId, stream }, { revision: 0n, position: 1n }),
          );
          taken();
        },
      });
      const answer = () => {
        for (const message of unanswered.splice(0)) call.push(message);
      };
      calls.push({ streams, answer });
      return Promise.resolve(call as unknown as BatchCall);
    };
    const appends = new AppendCalls(begin);
    const append = (stream: StreamName) =>
      appends.append({
        stream,
        encoded: encodeAppend(stream, counted(1), 'any'),
        expected: 'any',
        deadlineMs: 10_000,
      });
    const answerAll = () => {
      for (const { answer } of calls) answer();
    };
    return { calls, append, answerAll };
  };

  const jobs = (count: number) => Array.from({ length: count }, (_, index) => `job-${index}`);

  it('need one call when they come one after another', async () => {
    const { calls, append, answerAll } = open();
    for (const job of jobs(3)) {
      const landing = append(job);
      await nextTurn();
      answerAll();
      await landing;
    }
    expect(calls.map(({ streams }) => streams)).toEqual([jobs(3)]);
  });

  it('wait for none of the others when they come together', async () => {
    const { calls, append, answerAll } = open();
    const landing = jobs(3).map((job) => append(job));
    await nextTurn();
    expect(calls.map(({ streams }) => streams)).toEqual([['job-0'], ['job-1'], ['job-2']]);
    answerAll();
    await Promise.all(landing);
  });

  it('to one stream share a call while one of them is open, which keeps their order', async () => {
    const { calls, append, answerAll } = open();
    const landing = ['job-0', 'job-1', 'job-0', 'job-0'].map((job) => append(job));
    await nextTurn();
    expect(calls.map(({ streams }) => streams)).toEqual([['job-0', 'job-0', 'job-0'], ['job-1']]);
    answerAll();
    await Promise.all(landing);
  });

  it(`share ${APPEND_CALLS_MAX} calls when there are more`, async () => {
    const { calls, append, answerAll } = open();
    const landing = jobs(2 * APPEND_CALLS_MAX).map((job) => append(job));
    await nextTurn();
    expect(calls.map(({ streams }) => streams.length)).toEqual(
      Array.from({ length: APPEND_CALLS_MAX }, () => 2),
    );
    answerAll();
    await Promise.all(landing);
  });
});
