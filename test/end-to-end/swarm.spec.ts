import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventsOf, startWorld, type World } from './quipu.harness.js';
import {
  AGREE,
  catalogOf,
  chargedLine,
  CONSENSUS_REJECTIONS,
  messagesTo,
  PAIR_REJECTIONS,
  PROMPT_TOKENS,
  SPECULATE,
  upstreamSaying,
  type UpstreamWords,
  VLLM_METRICS,
} from './swarm.fixture.js';

const messages = [{ role: 'user', content: 'What is Quipu?' }];

/** In the shape of our own routes. */
type Failure = Readonly<Record<'message' | 'code' | 'param', string>>;

describe('models that work together', () => {
  let world: World;
  const says: UpstreamWords = { words: {} };
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([upstreamSaying(says)], { catalogOf });
  });

  afterAll(() => world.close());

  beforeEach(() => {
    says.words = { alpha: ['Knots', ' and cords'], beta: ['knots', ' and', ' CORDS!'] };
    delete says.metrics;
    delete says.counters;
  });

  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (url: string) => request(world.quipu.url).post(url).set(authorization());
  const chat = (body: object) => post('/v1/chat/completions').send({ messages, ...body });
  const requestIdOf = ({ headers }: { readonly headers: Record<string, string> }): string =>
    String(headers['x-request-id']);
  const chargeOf = async (requestId: string) => {
    const events = eventsOf(await world.events(), requestId);
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
    return events[1]?.data as { readonly lines: readonly object[]; readonly evidence: object };
  };
  const endsOf = async (requestId: string) =>
    eventsOf(await world.events(), requestId).map(({ type }) => type);

  describe('a target and a draft', () => {
    const asked = { model: 'acme/nano', messages, temperature: 0, max_tokens: 24 };

    it('answer as the target alone, with the promised fields', async () => {
      const plain = await chat({ ...asked, routing_mode: 'auto' }).expect(200);
      const [choice] = (plain.body as { choices: [{ message: { content: string } }] }).choices;
      const reply = await post(SPECULATE).send(asked).expect(200);
      expect(reply.body).toMatchObject({
        status: 'success',
        routing_mode: 'vllm_speculative',
        choices: [
          {
            message: { role: 'assistant', content: choice.message.content },
            finish_reason: 'length',
          },
        ],
        usage: { prompt_tokens: 12, completion_tokens: 24, total_tokens: 36 },
        speculative_telemetry: {
          draft_tokens_generated: 20,
          tokens_accepted: 20,
          acceptance_rate_pct: 100,
          speedup_ratio: null,
          generator_node: 'built-in',
          verifier_node: 'built-in',
          draft_model: 'acme/draft',
          target_calls: 4,
          target_calls_saved: 20,
          telemetry_source: 'engine',
        },
      });
    });

    it('measure their speed against plain decoding of earlier requests', async () => {
      const { body } = await post(SPECULATE).send(asked).expect(200);
      const { speculative_telemetry: telemetry } = body as {
        readonly speculative_telemetry: Readonly<Record<string, unknown>>;
      };
      expect(telemetry['speedup_ratio']).toMatch(/^\d+\.\d\dx$/);
      expect(telemetry['speedup_measured_requests']).toBeGreaterThan(0);
    });

    it('cost what the target costs, with the counts as evidence', async () => {
      const reply = await post(SPECULATE)
        .send({ ...asked, speculative_steps: 3 })
        .expect(200);
      expect(reply.headers['x-quipu-cost-usd']).toBe('0.000156');
      expect(await chargeOf(requestIdOf(reply))).toMatchObject({
        purpose: 'speculative_completion',
        rig: 'built-in',
        lines: [
          { meter: 'input_tokens', quantity: 12 },
          { meter: 'output_tokens', quantity: 24 },
        ],
        excess: [],
        evidence: {
          model: 'acme/nano',
          draftModel: 'acme/draft',
          draftTokensMax: 3,
          counts: { draftTokens: 18, acceptedTokens: 18, targetCalls: 6, plainCalls: 24 },
          source: 'engine',
        },
      });
      const explain = ['swarm', 'explain', '--request'] as const;
      expect(await quipu.result(...explain, requestIdOf(reply))).toMatchObject({
        acceptance_rate_pct: 100,
        charged_micro_usd: '156',
      });
      expect(await quipu.run(...explain, randomUUID())).toMatchObject({ exitCode: 1 });
    });

    it('answer chats, whole and as a stream', async () => {
      const mode = { ...asked, routing_mode: 'vllm_speculative' };
      const whole = await chat(mode).expect(200);
      expect(whole.body).toMatchObject({
        object: 'chat.completion',
        model: 'acme/nano',
        routing_mode: 'vllm_speculative',
        usage: { completion_tokens: 24 },
        speculative_telemetry: { acceptance_rate_pct: 100 },
      });
      const stream = await world.openai.chat.completions.create({
        ...(mode as unknown as { model: string }),
        messages: [{ role: 'user', content: 'What is Quipu?' }],
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = await Array.fromAsync(stream);
      const [{ message }] = (whole.body as { choices: [{ message: { content: string } }] }).choices;
      const text = chunks.map(({ choices: [one] }) => one?.delta.content ?? '').join('');
      expect(text).toBe(message.content);
      expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 24 });
      expect(chunks.at(-2)).toMatchObject({
        choices: [{ finish_reason: 'length' }],
        speculative_telemetry: { tokens_accepted: 20 },
      });
    });

    it('are answered once for an Idempotency-Key', async () => {
      const key = randomUUID();
      const send = () =>
        post(SPECULATE)
          .set('idempotency-key', key)
          .send({ ...asked, temperature: 1 })
          .expect(200);
      const first = await send();
      expect((await send()).body).toEqual(first.body);
    });

    it.each(PAIR_REJECTIONS)(
      'reject %p before anything is held',
      async (wrong, status, code, param) => {
        const reply = await post(SPECULATE)
          .send({ ...asked, ...wrong })
          .expect(status);
        expect(reply.body as Failure).toMatchObject({ code, param });
        expect(await endsOf(requestIdOf(reply))).toEqual([]);
      },
    );

    it('reject a field of a chat that they cannot honour, by its name', async () => {
      const { body } = await chat({
        ...asked,
        routing_mode: 'vllm_speculative',
        response_format: { type: 'json_object' },
      }).expect(400);
      expect((body as { readonly error: Failure }).error.message).toContain('response_format');
    });

    it('leave a prompt free that is too long', async () => {
      const content = 'knots '.repeat(1_000);
      const reply = await post(SPECULATE)
        .send({ ...asked, messages: [{ role: 'user', content }] })
        .expect(400);
      expect((reply.body as Failure).code).toBe('swarm_context_exceeded');
      expect(await endsOf(requestIdOf(reply))).toEqual(['HoldPlaced', 'HoldReleased']);
    });
  });

  describe('an upstream that drafts by itself', () => {
    const asked = { model: 'acme/alpha', messages };

    it('reports what vLLM states for the request', async () => {
      says.metrics = VLLM_METRICS;
      const { body } = await post(SPECULATE).send(asked).expect(200);
      expect(body).toMatchObject({
        choices: [{ message: { content: 'Knots and cords' } }],
        speculative_telemetry: {
          draft_tokens_generated: 40,
          tokens_accepted: 25,
          acceptance_rate_pct: 62.5,
          target_calls: 8,
          target_calls_saved: 25,
          speedup_ratio: null,
          verifier_node: 'first',
          draft_model: null,
          telemetry_source: 'upstream_request',
        },
      });
    });

    it('reports the difference of the counters of vLLM where it states nothing', async () => {
      says.counters = { drafts: 100, drafted: 500, accepted: 300 };
      const reply = await post(SPECULATE).send(asked).expect(200);
      expect(reply.body).toMatchObject({
        speculative_telemetry: {
          draft_tokens_generated: 20,
          tokens_accepted: 12,
          acceptance_rate_pct: 60,
          telemetry_source: 'upstream_counters',
        },
      });
      expect(await chargeOf(requestIdOf(reply))).toMatchObject({
        evidence: { counts: { draftTokens: 20, acceptedTokens: 12 }, source: 'upstream_counters' },
      });
    });

    it('reports nothing where nothing is known', async () => {
      const { body } = await post(SPECULATE).send(asked).expect(200);
      const unknown = { draft_tokens_generated: null, acceptance_rate_pct: null };
      expect(body).toMatchObject({ speculative_telemetry: unknown });
    });

    it.each([
      [{ draft_model: 'acme/nano' }, 'draft_model_unsuitable'],
      [{ speculative_steps: 3 }, 'swarm_field_unsupported'],
    ])('rejects %p, which its operator decides', async (wrong, code) => {
      const { body } = await post(SPECULATE)
        .send({ ...asked, ...wrong })
        .expect(400);
      expect((body as Failure).code).toBe(code);
    });

    it('leaves a request free that the upstream rejects', async () => {
      says.words = {};
      const reply = await post(SPECULATE).send(asked).expect(400);
      expect(await endsOf(requestIdOf(reply))).toEqual(['HoldPlaced', 'HoldReleased']);
    });
  });

  describe('a consensus', () => {
    const asked = {
      messages,
      synthesis_model: 'acme/alpha',
      member_models: ['acme/alpha', 'acme/beta'],
    };

    it('merges the proposals of different members', async () => {
      const before = world.upstream.received.length;
      const reply = await post(AGREE)
        .send({ ...asked, fanout_nodes: 2 })
        .expect(200);
      expect(reply.body).toMatchObject({
        status: 'success',
        routing_mode: 'moa_consensus',
        consensus_output: 'Knots and cords',
        moa_telemetry: {
          fanout_count: 2,
          synthesizer_node: 'first',
          participating_nodes: ['first', 'second'],
          consensus_confidence: 1,
          synthesis_model: 'acme/alpha',
        },
      });
      const sent = messagesTo(world.upstream.received.slice(before), 'alpha').at(-1);
      expect(sent).toEqual([
        {
          role: 'system',
          content: expect.stringMatching(/1\. Knots and cords\n\n2\. knots and CORDS!$/),
        },
        ...messages,
      ]);
    });

    it('holds once and charges once, with a line for each step', async () => {
      const reply = await post(AGREE)
        .send({ ...asked, fanout_nodes: 2 })
        .expect(200);
      const charge = await chargeOf(requestIdOf(reply));
      expect(charge.lines).toEqual([
        chargedLine('branch-1', 'first', 'input_tokens', PROMPT_TOKENS),
        chargedLine('branch-1', 'first', 'output_tokens', 2),
        chargedLine('branch-2', 'second', 'input_tokens', PROMPT_TOKENS),
        chargedLine('branch-2', 'second', 'output_tokens', 3),
        chargedLine('aggregator', 'first', 'input_tokens', PROMPT_TOKENS),
        chargedLine('aggregator', 'first', 'output_tokens', 2),
      ]);
      expect(reply.headers['x-quipu-cost-usd']).toBe('0.000041');
      expect(reply.headers['x-quipu-cost-tree']).toBe(
        'branch-1;acme%2Falpha;9;2;0.000013000000,branch-2;acme%2Fbeta;9;3;0.000015000000,' +
          'aggregator;acme%2Falpha;9;2;0.000013000000',
      );
      expect(charge.evidence).toMatchObject({ agreementPercent: 80 });
      const request = ['--request', requestIdOf(reply)] as const;
      expect(await quipu.result('swarm', 'explain', ...request)).toMatchObject({
        consensus_confidence: 1,
        cost_tree: (reply.body as { moa_telemetry: { cost_tree: unknown } }).moa_telemetry
          .cost_tree,
        charged_micro_usd: '41',
      });
      expect(await quipu.unpricedCharges()).toBe(0);
    });

    it('continues with the members that answer, and names the others', async () => {
      says.words = { alpha: ['yes'] };
      const reply = await post(AGREE)
        .send({ ...asked, fanout_nodes: 3 })
        .expect(200);
      expect(reply.body).toMatchObject({
        moa_telemetry: {
          fanout_count: 1,
          fanout_requested: 3,
          participating_nodes: ['first'],
          members: [
            { step: 'branch-1', status: 'answered', error: null },
            {
              step: 'branch-2',
              status: 'failed',
              node: 'second',
              error: expect.stringContaining('second'),
            },
            { step: 'branch-3', status: 'failed', node: 'first' },
          ],
        },
      });
    });

    it('is free if no member answers, and names them', async () => {
      says.words = {};
      const reply = await post(AGREE).send(asked).expect(502);
      expect(reply.body as Failure).toMatchObject({
        code: 'consensus_failed',
        message: expect.stringContaining('rig first'),
      });
      expect(await endsOf(requestIdOf(reply))).toEqual(['HoldPlaced', 'HoldReleased']);
    });

    it('asks the models of the catalog where none is named, except the drafting ones', async () => {
      const reply = await post(AGREE)
        .send({ messages, fanout_nodes: 5, max_tokens: 8 })
        .expect(200);
      const { members } = (reply.body as { moa_telemetry: { members: readonly object[] } })
        .moa_telemetry;
      expect(members).toMatchObject([
        { model: 'acme/alpha', node: 'first' },
        { model: 'acme/beta', node: 'second' },
        { model: 'acme/nano', node: 'built-in' },
        { model: 'acme/beta', node: 'first' },
        { model: 'acme/alpha', node: 'first' },
      ]);
    });

    it('answers chats, whole and as a stream, with the cost of each step', async () => {
      const mode = {
        model: 'acme/beta',
        routing_mode: 'moa_consensus',
        member_models: ['acme/alpha'],
      };
      const whole = await chat(mode).expect(200);
      expect(whole.body).toMatchObject({
        model: 'acme/beta',
        routing_mode: 'moa_consensus',
        choices: [{ message: { content: 'knots and CORDS!' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 4 * PROMPT_TOKENS, completion_tokens: 3 * 2 + 3 },
        moa_telemetry: { fanout_count: 3, synthesis_model: 'acme/beta' },
      });
      expect(whole.headers['x-quipu-cost-tree']).toContain('aggregator;acme%2Fbeta;9;3;');
      const stream = await chat({ ...mode, stream: true }).expect(200);
      expect(stream.text).toContain('"content":" CORDS!"');
      expect(stream.text).toContain('"cost_tree":[{"step":"branch-1"');
      expect(stream.text).toMatch(/: x-quipu-cost-usd=0\.0000\d\d/);
      expect(stream.text.trimEnd()).toMatch(/data: \[DONE\]$/);
    });

    it.each(CONSENSUS_REJECTIONS)(
      'rejects %p before anything is held',
      async (wrong, status, code, param) => {
        const reply = await post(AGREE)
          .send({ ...asked, ...wrong })
          .expect(status);
        expect(reply.body as Failure).toMatchObject({ code, param });
        expect(await endsOf(requestIdOf(reply))).toEqual([]);
      },
    );
  });
});
