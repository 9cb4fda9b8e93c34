import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { fastify, type FastifyInstance } from 'fastify';
import {
  completionOf,
  delta,
  type Inference,
  openInference,
  usage,
} from '#areas/inference/inference-world.fixture.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { NOW, question, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { RigError } from '#areas/inference/rigs/chat-backend.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { areas } from '../../composition/areas.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { envelope } from '../errors/envelope.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { type Caller } from '../identity/caller.decorator.js';
import { RequestRates } from '../identity/request-rates.js';
import { ChatExchange } from './chat-exchange.js';
import { ChatHeads } from './chat-heads.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { ChatMetrics } from './chat.metrics.js';
import { StreamedChats } from './streamed-chats.js';
import { WholeChats } from './whole-chats.js';

const caller = {
  accountId: '7',
  userId: 7,
  credential: { kind: 'app_token', id: 'session' },
} as unknown as Caller;
/** Short enough for a spec, long enough for a stream to begin. */
const SHORT_MS = 200;

/** Endless pages until the signal aborts, then the usage of the taken ones. */
async function* endless(signal: AbortSignal): AsyncGenerator<ReturnType<typeof delta>[], Usage> {
  for (let taken = 1; ; taken += 1) {
    yield [delta('knot ')];
    await Promise.race([once(signal, 'abort'), new Promise((next) => setTimeout(next, 5))]);
    if (signal.aborted) return usage(20, taken);
  }
}

describe('the exchange of a chat', () => {
  let inference: Inference;
  let limits: { requestMsMax: number };
  let requests: OpenRequests;
  let registry: Registry;
  let metrics: ChatMetrics;
  let log: FailureLog;
  let app: FastifyInstance;
  let tap: AnswerTap | undefined;
  let end: AnswerEnd | undefined;
  let logged: Record<string, unknown>[];

  beforeEach(() => {
    inference = openInference();
    limits = { requestMsMax: 10_000 };
    requests = new OpenRequests(new Registry());
    registry = new Registry();
    metrics = new ChatMetrics(inference.catalog, registry);
    const failures = new Failures(new Areas(areas));
    const { chats, streams } = inference;
    const write = (text: string): void => {
      logged.push(JSON.parse(text) as Record<string, unknown>);
    };
    log = new FailureLog(pino({}, { write }));
    const clock = { now: () => Date.parse(NOW) };
    const rates = new RequestRates({ perAccount: 600, perKey: 0 }, clock);
    const keep = () => Promise.reject(new Error('no chat here asks for a resumable stream'));
    const kept = { graceMs: 0, keep };
    const heads = new ChatHeads(rates, clock);
    const outcomes = new ChatOutcomes(metrics, failures, log);
    const whole = new WholeChats(chats, heads, outcomes);
    const streamed = new StreamedChats(streams, heads, outcomes, 60_000, kept);
    const exchange = new ChatExchange(requests, limits, whole, streamed, outcomes);
    tap = undefined;
    end = undefined;
    logged = [];
    app = fastify();
    app.post('/v1/chat/completions', async ({ body }, reply) => {
      const parsed = parseChatBody(body);
      const order = {
        accountId: caller.accountId,
        receivedAtMs: Date.parse(NOW),
        body: parsed,
        routingMode: parsed.routing_mode,
        context: contextOf(REQUEST_ID, 'user:7'),
      };
      const startedAt = performance.now();
      const chat = { order, caller, startedAt, requestHash: undefined, format: undefined };
      end = await exchange.answer(chat, reply, tap);
      return reply;
    });
    app.setErrorHandler((error, request, reply) => {
      const failure = failures.of(error);
      return reply.status(failure.status).send(envelope(request, failure));
    });
  });

  afterEach(async () => {
    log.close();
    await app.close();
  });

  const post = (body: object) =>
    app.inject({ method: 'POST', url: '/v1/chat/completions', payload: { ...question, ...body } });

  const counted = async (): Promise<string> => registry.metrics();

  /** A caller with a connection of its own, which it can close. */
  const call = async (body: object): Promise<ClientRequest> => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const path = '/v1/chat/completions';
    const headers = { 'content-type': 'application/json' };
    const asked = request({ host: '127.0.0.1', port, method: 'POST', path, headers });
    asked.end(JSON.stringify({ ...question, ...body }));
    return asked;
  };

  const settled = async (): Promise<void> => {
    while (requests.count > 0) await new Promise((next) => setTimeout(next, 5));
  };

  describe('in one piece', () => {
    beforeEach(() => {
      const answer = { completion: completionOf('Cords.'), usage: usage(20, 30) };
      inference.rigs.completion = () => Promise.resolve(answer);
    });

    it('answers with the completion, and its cost and route in headers', async () => {
      const { statusCode, headers, json } = await post({});
      expect(statusCode).toBe(200);
      expect(json()).toMatchObject({ model: question.model, routing_mode: 'auto' });
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-quipu-rig': 'local-vllm',
        'x-quipu-attempts': '1',
        'x-quipu-cost-usd': '0.000021',
        'x-quipu-available-usd': '0.000958',
        'x-quipu-event-id': 'e',
      });
      expect(Number(headers['x-quipu-overhead-ms'])).toBeGreaterThanOrEqual(0);
      expect(end).toBe('whole');
      expect(requests.count).toBe(0);
    });

    it('counts tokens and money', async () => {
      await post({});
      const text = await counted();
      expect(text).toContain(
        'quipu_charged_micro_usd_total{gen_ai_request_model="acme/llama-70b",rig="local-vllm"} 21',
      );
    });

    it('counts the charge of a caller that left', async () => {
      const attempt = {
        rig: 'local-vllm',
        startedMs: 0,
        endedMs: 1,
        outcome: 'cancelled',
      } as const;
      const rigError = new RigError('cancelled', 'left', { used: usage(20, 0) });
      const isAsked = Promise.withResolvers<undefined>();
      const isClosed = Promise.withResolvers<undefined>();
      inference.rigs.completion = async () => {
        isAsked.resolve(undefined);
        await isClosed.promise;
        throw new RouteError('cancelled', 'left', [attempt], { rigError });
      };
      app.server.once('connection', (socket) => {
        socket.once('close', () => setImmediate(() => isClosed.resolve(undefined)));
      });
      const asked = await call({});
      asked.on('error', () => undefined);
      await isAsked.promise;
      asked.destroy();
      await isClosed.promise;
      await settled();
      expect(inference.ledger.ends).toEqual(['capture client_gone']);
      expect(await counted()).toContain(
        'quipu_charged_micro_usd_total{gen_ai_request_model="acme/llama-70b",rig="local-vllm"} 3',
      );
    });

    it('rejects a clean room', async () => {
      const answer = await post({ cleanroom_uuid: REQUEST_ID });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { param: 'cleanroom_uuid' } });
      expect(inference.ledger.calls).toEqual([]);
    });

    it('rejects requests before a hold while draining', async () => {
      await requests.drain(1);
      const answer = await post({});
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ error: { code: 'draining' } });
      expect(inference.ledger.calls).toEqual([]);
    });

    it('keeps unknown names out of the metrics', async () => {
      await post({ model: 'x'.repeat(200) });
      const text = await counted();
      expect(text).toContain('gen_ai_request_model="unknown",error_type="model_not_found"');
      expect(text).not.toContain('xxx');
    });
  });

  describe('as a stream', () => {
    const eventsOf = (payload: string): readonly string[] =>
      payload.split('\n\n').filter((event) => event !== '');

    it('writes chunks, the cost and [DONE]', async () => {
      inference.rigs.script = async function* () {
        yield await Promise.resolve([delta('Knotted '), delta('cords.')]);
        return usage(20, 2);
      };
      const texts: string[] = [];
      tap = { head: () => undefined, text: (text) => texts.push(text) };
      const { headers, payload } = await post({ stream: true });
      expect(headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-quipu-rig': 'local-vllm',
      });
      const [first = '', , cost, done] = eventsOf(payload);
      expect(JSON.parse(first.slice('data: '.length))).toMatchObject({
        model: question.model,
        choices: [{ delta: { content: 'Knotted ' } }],
      });
      expect(cost).toBe(
        ': x-quipu-cost-usd=0.000005 x-quipu-available-usd=0.000958 x-quipu-event-id=e',
      );
      expect(done).toBe('data: [DONE]');
      expect(texts.join('')).toBe(payload);
      expect(end).toBe('whole');
    });

    it('answers with a status when no rig begins', async () => {
      inference.rigs.script = new RouteError('down', 'no rig is up', []);
      const answer = await post({ stream: true });
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ error: { code: 'rigs_down' } });
      expect(requests.count).toBe(0);
    });

    it('reports a broken stream in a last chunk, without [DONE]', async () => {
      inference.rigs.script = async function* () {
        yield await Promise.resolve([delta('Knotted ')]);
        throw new RigError('broken-off', 'rig local-vllm broke off', { used: usage(20, 1) });
      };
      const { statusCode, payload } = await post({ stream: true });
      expect(statusCode).toBe(200);
      const events = eventsOf(payload);
      expect(JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')).toMatchObject({
        error: { code: 'upstream_broke_off', type: 'server_error' },
        choices: [{ finish_reason: 'error' }],
      });
      expect(payload).not.toContain('[DONE]');
      expect(logged).toMatchObject([
        { status: 200, code: 'upstream_broke_off', rig: 'local-vllm' },
      ]);
      expect(inference.ledger.ends).toEqual(['capture upstream_failed']);
      expect(end).toBe('cut');
    });

    it('is in doubt when the outcome of the charge is unknown', async () => {
      inference.rigs.script = async function* () {
        yield await Promise.resolve([delta('Knotted ')]);
        return usage(20, 1);
      };
      inference.ledger.failures.capture = new Error('the log is away');
      const { payload } = await post({ stream: true });
      expect(payload).not.toContain('[DONE]');
      expect(logged).toMatchObject([{ err: { message: 'the log is away' } }]);
      expect(end).toBe('in-doubt');
    });

    it('is cut and charged when it runs too long, with an error chunk', async () => {
      limits.requestMsMax = SHORT_MS;
      inference.rigs.script = endless;
      const { payload } = await post({ stream: true });
      expect(payload).toContain('"code":"request_timed_out"');
      expect(payload).toContain('x-quipu-cost-usd=');
      expect(payload).not.toContain('[DONE]');
      expect(inference.ledger.ends).toEqual(['capture timed_out']);
      expect(await counted()).toContain('error_type="request_timed_out"');
      expect(end).toBe('cut');
    });

    const ask = async (): Promise<IncomingMessage> => {
      const asked = await call({ stream: true });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return answer;
    };

    it('stops the rig within 100 ms when the caller leaves', async () => {
      let stoppedAt = 0;
      inference.rigs.script = (signal) => {
        signal.addEventListener('abort', () => (stoppedAt = performance.now()));
        return endless(signal);
      };
      const answer = await ask();
      await once(answer, 'data');
      const leftAt = performance.now();
      answer.destroy();
      await settled();
      expect(stoppedAt - leftAt).toBeLessThan(100);
      expect(inference.ledger.ends).toEqual(['capture client_gone']);
    });

    it('does not wait for a caller that never reads', async () => {
      limits.requestMsMax = SHORT_MS;
      inference.rigs.script = async function* (signal) {
        for (let taken = 1; ; taken += 1) {
          yield await Promise.resolve([delta('x'.repeat(1 << 20))]);
          if (signal.aborted) return usage(20, taken);
        }
      };
      const answer = await ask();
      answer.pause();
      await settled();
      expect(inference.ledger.ends).toEqual(['capture timed_out']);
      answer.destroy();
    });

    it('ends the hold when the answer cannot begin', async () => {
      inference.rigs.script = endless;
      tap = {
        head: () => {
          throw new Error('the recorder failed');
        },
        text: () => undefined,
      };
      const { statusCode } = await post({ stream: true });
      expect(statusCode).toBe(500);
      expect(inference.ledger.ends).toEqual(['release client_gone']);
      expect(requests.count).toBe(0);
    });
  });
});
