import { afterEach, describe, expect, it } from '@jest/globals';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { RigError } from '#areas/inference/rigs/chat-backend.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { failure } from './failure-of.js';
import { FailureLog } from './failure-log.js';

const EVERY_MS = 50;

const request = (id: string) =>
  ({ id, method: 'POST', url: '/v1/chat/completions?secret=1' }) as FastifyRequest;

const replyOf = (headersSent: boolean) =>
  ({ raw: { headersSent }, statusCode: 200, elapsedTime: 1.5 }) as FastifyReply;

const rigError = new RigError('unreachable', 'rig a cannot be reached', {
  cause: new Error('connect ECONNREFUSED 10.0.0.1:80'),
});

const failed = (requestId: string, code = 'rigs_down', rig = 'a', status = 503) => ({
  request: request(requestId),
  reply: replyOf(false),
  failure: failure({ status, code, message: 'for the caller', rig }),
  error: new RouteError('down', 'every rig is down', [], { rigError }) as Error,
});

describe('the log of failed requests', () => {
  let log: FailureLog;
  let lines: Record<string, unknown>[];

  afterEach(() => log.close());

  const open = (): void => {
    lines = [];
    const write = (text: string): void => {
      lines.push(JSON.parse(text) as Record<string, unknown>);
    };
    log = new FailureLog(pino({ base: null, timestamp: false }, { write }), EVERY_MS);
  };

  const linesReach = async (count: number): Promise<void> => {
    while (lines.length < count) await new Promise((next) => setTimeout(next, 5));
  };

  it('has one line of a failure, with its reason and without a stack', () => {
    open();
    log.write(failed('r-1'));
    expect(lines).toEqual([
      {
        level: 40,
        requestId: 'r-1',
        method: 'POST',
        path: '/v1/chat/completions',
        status: 503,
        elapsedMs: 1.5,
        code: 'rigs_down',
        rig: 'a',
        reason: 'every rig is down: rig a cannot be reached: connect ECONNREFUSED 10.0.0.1:80',
        msg: 'request failed',
      },
    ]);
  });

  it('counts the repeats of a rig and a code, and writes the count once', async () => {
    open();
    for (let count = 1; count <= 1_000; count += 1) {
      log.write(failed(`r-${count}`));
    }
    expect(lines).toHaveLength(1);
    await linesReach(2);
    expect(lines[1]).toMatchObject({ requestId: 'r-1000', repeated: 999 });
    log.write(failed('r-1001'));
    expect(lines).toHaveLength(2);
    await linesReach(3);
    expect(lines[2]).toMatchObject({ requestId: 'r-1001' });
    expect(lines[2]).not.toHaveProperty('repeated');
  });

  it('has a line for each rig and for each code', () => {
    open();
    log.write(failed('r-1'));
    log.write(failed('r-2', 'rigs_down', 'b'));
    log.write(failed('r-3', 'overloaded'));
    expect(lines.map(({ rig, code }) => [rig, code])).toEqual([
      ['a', 'rigs_down'],
      ['b', 'rigs_down'],
      ['a', 'overloaded'],
    ]);
  });

  it('loses no count when it is closed', () => {
    open();
    for (const id of ['r-1', 'r-2', 'r-3']) log.write(failed(id));
    log.close();
    expect(lines.map(({ repeated }) => repeated)).toEqual([undefined, 2]);
  });

  it('has the stack of a defect', () => {
    open();
    const error = new TypeError('a defect');
    log.write({ ...failed('r-1', 'internal_error', 'a', 500), error });
    expect(lines).toMatchObject([{ level: 50, err: { type: 'TypeError', stack: error.stack } }]);
  });

  it.each([
    [500, 1],
    [503, 1],
    [429, 1],
    [402, 0],
    [499, 0],
  ])('of status %i has %i lines of its own', (status, count) => {
    open();
    const one = failed('r-1', 'x', 'a', status);
    log.write(one);
    expect(lines).toHaveLength(count);
    expect(one.request.isFailureLogged === true).toBe(count === 1);
  });

  it('has the status that the caller saw, where a stream had begun', () => {
    open();
    log.write({ ...failed('r-1'), reply: replyOf(true) });
    expect(lines).toMatchObject([{ status: 200, code: 'rigs_down' }]);
  });
});
