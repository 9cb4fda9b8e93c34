import { type Socket } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { type AnswerRecorder } from '#areas/statistics/answer-recorder.js';

/**
 * Counts the bytes of an answer once it has ended, streams and downloads too: what its socket has
 * written since the answer before it. A socket sends its answers one after another.
 */
export const countBytes = (recorder: Pick<AnswerRecorder, 'record'>) => {
  const counted = new WeakMap<Socket, number>();
  return ({ raw: { socket }, caller }: FastifyRequest): void => {
    const { bytesWritten } = socket;
    const bytes = bytesWritten - (counted.get(socket) ?? 0);
    counted.set(socket, bytesWritten);
    if (caller) recorder.record(caller.accountId, bytes);
  };
};
