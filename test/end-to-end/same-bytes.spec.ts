import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { fetch } from 'undici';
import { withFields } from '#platform/kernel/json-fields.js';
import {
  type AnthropicFake,
  KEY as ANTHROPIC_KEY,
  startAnthropicFake,
  thought,
} from '../providers/anthropic/anthropic.fake.js';
import {
  KEY as OPENAI_KEY,
  type OpenAiFake,
  startOpenAiFake,
} from '../providers/openai/openai.fake.js';
import { eventsOf, eventually, startWorld, type World } from './quipu.harness.js';

const catalogOf = (anthropic: string, openai: string, keys: string): string => `
rigs:
  - name: claude
    kind: anthropic
    base_url: ${anthropic}
    api_keys: [{ file: ${keys}/anthropic }]
    headers: { x-team: knots }
  - { name: gpt, kind: openai, server: openai, responses: true, base_url: ${openai}, api_keys: [{ file: ${keys}/openai }] }
models:
  - id: our/opus
    upstream_id: claude-opus-5-5
    owned_by: anthropic
    rigs: [claude]
    context: 200000
    max_output: 8192
    price: { input_usd_per_mtok: 4, output_usd_per_mtok: 20, cache_read_usd_per_mtok: 0.2, cache_write_5m_usd_per_mtok: 5, cache_write_1h_usd_per_mtok: 8 }
  - id: our/sol
    upstream_id: gpt-6-sol
    owned_by: openai
    rigs: [gpt]
    context: 200000
    max_output: 8192
    send_defaults: false
    price: { input_usd_per_mtok: 2, output_usd_per_mtok: 10, cache_read_usd_per_mtok: 0.2 }
  - id: our/old
    upstream_id: gpt-4.1
    owned_by: openai
    rigs: [gpt]
    context: 200000
    max_output: 8192
    price: { input_usd_per_mtok: 2, output_usd_per_mtok: 8, cache_read_usd_per_mtok: 0.5 }
`;

const NAMES = { 'our/opus': 'claude-opus-5-5', 'our/sol': 'gpt-6-sol', 'our/old': 'gpt-4.1' };

/** Long enough for a cache. */
const RULES = 'Tie each knot on the right cord, and count twice. '.repeat(120);

let world: World;
let keys: string;
/** The providers behind Quipu, and the same without it. */
let behind: { anthropic: AnthropicFake; openai: OpenAiFake };
let direct: { anthropic: AnthropicFake; openai: OpenAiFake };

beforeAll(async () => {
  keys = await mkdtemp(path.join(tmpdir(), 'quipu-keys-'));
  await writeFile(path.join(keys, 'anthropic'), `${ANTHROPIC_KEY}\n`);
  await writeFile(path.join(keys, 'openai'), `${OPENAI_KEY}\n`);
  behind = { anthropic: await startAnthropicFake(), openai: await startOpenAiFake() };
  direct = { anthropic: await startAnthropicFake(), openai: await startOpenAiFake() };
  world = await startWorld([], {
    catalogOf: () => catalogOf(behind.anthropic.baseUrl, behind.openai.baseUrl, keys),
  });
});

afterAll(async () => {
  await world.close();
  await rm(keys, { recursive: true, force: true });
  for (const fake of [behind, direct]) {
    await fake.anthropic.close();
    await fake.openai.close();
  }
});

interface Counted {
  readonly all: number;
  readonly cached: number;
}

const rateOf = (turns: readonly Counted[]): number =>
  turns.reduce((sum, { cached }) => sum + cached, 0) / turns.reduce((sum, { all }) => sum + all, 0);

/** A request as a client writes it, with the names and spaces that it likes. */
interface Turn {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const sentTo = async (base: string, key: string, turn: Turn) => {
  const response = await fetch(`${base}${turn.path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...turn.headers,
    },
    body: turn.body,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const named = (body: string, model: string): string =>
  withFields(Buffer.from(body), { model: JSON.stringify(model) }).toString();

/** What the provider wrote: without Quipu's comment, and with the model of the provider. */
const asProvider = (text: string): string => {
  let plain = text.replace(/^: .*\n\n/gm, '');
  for (const [ours, theirs] of Object.entries(NAMES)) {
    plain = plain.replaceAll(`"model":"${ours}"`, `"model":"${theirs}"`);
  }
  return plain.replace(/"model":"(gpt-[a-z0-9.-]+?)(?:-2026-10-01)?"/g, '"model":"$1"');
};

const through = (turn: Turn) => sentTo(world.quipu.url, world.credentials.api_key, turn);

/** A conversation in the manner of Claude Code: the whole history each time, marked for the cache. */
const claudeCode = (turns: number): readonly Turn[] => {
  const messages: object[] = [];
  return Array.from({ length: turns }, (_, n) => {
    const mark = { cache_control: { type: 'ephemeral' } };
    messages.push({
      role: 'user',
      content: [{ type: 'text', text: `Step ${n}. ${RULES}`, ...mark }],
    });
    const kept = messages.map((message, at) =>
      at < messages.length - 3 ? unmarked(message) : message,
    );
    const body = {
      model: 'our/opus',
      max_tokens: 4_096,
      stream: true,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cc_is_subagent=false;' },
        { type: 'text', text: RULES, cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      metadata: { user_id: 'user_1_session_2' },
      tools: [{ name: 'Bash', input_schema: { type: 'object' }, defer_loading: false }],
      messages: kept,
    };
    messages.push({
      role: 'assistant',
      content: [thought('Hm.'), { type: 'text', text: `Done ${n}.` }],
    });
    return {
      path: '/v1/messages?beta=true',
      headers: {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'context-management-2025-06-27,a-beta-of-tomorrow',
        'x-claude-code-session-id': 's-1',
      },
      body: JSON.stringify(body, null, 1),
    };
  });
};

const unmarked = (message: object): object => {
  const { content, ...rest } = message as { content: object[] };
  return {
    ...rest,
    content: content.map((block) => {
      const { cache_control: _mark, ...plain } = block as { cache_control?: unknown };
      return plain;
    }),
  };
};

/** A conversation in the manner of Codex: sealed reasoning goes back, nothing is stored. */
const codex = (turns: number): readonly Turn[] => {
  const input: object[] = [];
  return Array.from({ length: turns }, (_, n) => {
    input.push({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `Step ${n}. ${RULES}` }],
    });
    const body = {
      model: 'our/sol',
      instructions: RULES,
      input: [...input],
      tools: [{ type: 'custom', name: 'apply_patch', format: { type: 'grammar' } }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'high', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'thread-1',
    };
    input.push(
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: `Done ${n}.` }],
      },
    );
    return {
      path: '/v1/responses',
      headers: { originator: 'codex_cli_rs' },
      body: JSON.stringify(body),
    };
  });
};

describe('a caller and a rig of one dialect', () => {
  it('exchange the same bytes and hit the same cache, as Claude Code', async () => {
    const reply = { content: [thought('Hm.'), { type: 'text', text: 'Done.' }] };
    const counted: Record<'quipu' | 'provider', Counted[]> = { quipu: [], provider: [] };
    for (const turn of claudeCode(5)) {
      for (const fake of [behind, direct]) fake.anthropic.reply(reply);
      const plain = { ...turn, body: named(turn.body, 'claude-opus-5-5') };
      const one = await through(turn);
      const other = await sentTo(direct.anthropic.url, ANTHROPIC_KEY, plain);
      expect([one.status, other.status]).toEqual([200, 200]);
      expect(asProvider(one.text)).toBe(other.text);
      const received = behind.anthropic.received.at(-1);
      expect(received?.bytes.toString()).toBe(plain.body);
      expect(received?.headers).toMatchObject({
        'anthropic-beta': turn.headers['anthropic-beta'],
        'x-team': 'knots',
        'x-api-key': ANTHROPIC_KEY,
      });
      expect(received?.headers.authorization).toBeUndefined();
      counted.quipu.push(anthropicCounts(one.text));
      counted.provider.push(anthropicCounts(other.text));
    }
    expect(rateOf(counted.provider)).toBeGreaterThan(0.5);
    expect(rateOf(counted.quipu)).toBe(rateOf(counted.provider));
  });

  it('exchange the same bytes and hit the same cache, as Codex', async () => {
    const reply = {
      message: { content: 'Knots keep accounts.' },
      more: { a_field_of_tomorrow: { b: 1 } },
    };
    const counted: Record<'quipu' | 'provider', Counted[]> = { quipu: [], provider: [] };
    for (const turn of codex(5)) {
      for (const fake of [behind, direct]) fake.openai.reply(reply);
      const plain = { ...turn, body: named(turn.body, 'gpt-6-sol') };
      const one = await through(turn);
      const other = await sentTo(direct.openai.url, OPENAI_KEY, plain);
      expect([one.status, other.status]).toEqual([200, 200]);
      expect(asProvider(one.text)).toBe(asProvider(other.text));
      expect(behind.openai.received.at(-1)?.bytes.toString()).toBe(plain.body);
      counted.quipu.push(responseCounts(one.text));
      counted.provider.push(responseCounts(other.text));
    }
    expect(rateOf(counted.provider)).toBeGreaterThan(0.5);
    expect(rateOf(counted.quipu)).toBe(rateOf(counted.provider));
  });

  it('hit the same cache by the SDK of OpenAI, whose answer has fields of tomorrow', async () => {
    const clients = {
      quipu: world.openai,
      provider: new OpenAI({ baseURL: direct.openai.baseUrl, apiKey: OPENAI_KEY, maxRetries: 0 }),
    };
    const counted: Record<'quipu' | 'provider', Counted[]> = { quipu: [], provider: [] };
    for (const fake of [behind, direct]) {
      fake.openai.reply({ message: { content: 'Done.' }, more: { a_field_of_tomorrow: 1 } });
    }
    for (const [name, client] of Object.entries(clients) as ['quipu' | 'provider', OpenAI][]) {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: RULES }];
      for (let n = 0; n < 4; n += 1) {
        messages.push({ role: 'user', content: `Step ${n}. ${RULES}` });
        const model = name === 'quipu' ? 'our/sol' : 'gpt-6-sol';
        const answer = await client.chat.completions.create({ model, messages });
        expect(answer).toMatchObject({ id: 'chatcmpl-fake1', a_field_of_tomorrow: 1 });
        messages.push({ role: 'assistant', content: 'Done.' });
        const { prompt_tokens: all = 0, prompt_tokens_details: details } = answer.usage ?? {};
        counted[name].push({ all, cached: details?.cached_tokens ?? 0 });
      }
    }
    expect(rateOf(counted.provider)).toBeGreaterThan(0.5);
    expect(rateOf(counted.quipu)).toBe(rateOf(counted.provider));
    expect(behind.openai.accepted.at(-1)).not.toHaveProperty('temperature');
    expect(behind.openai.accepted.at(-1)).not.toHaveProperty('max_tokens');
  });

  it('hit the same cache by the SDK of Anthropic, with documents and citations', async () => {
    const clients = {
      quipu: new Anthropic({
        baseURL: world.quipu.url,
        apiKey: world.credentials.api_key,
        maxRetries: 0,
      }),
      provider: new Anthropic({
        baseURL: direct.anthropic.url,
        apiKey: ANTHROPIC_KEY,
        maxRetries: 0,
      }),
    };
    const counted: Record<'quipu' | 'provider', Counted[]> = { quipu: [], provider: [] };
    const cited = {
      type: 'text',
      text: 'Done.',
      citations: [{ type: 'char_location', cited_text: 'knot' }],
    };
    for (const fake of [behind, direct]) fake.anthropic.reply({ content: [cited] });
    for (const [name, client] of Object.entries(clients) as ['quipu' | 'provider', Anthropic][]) {
      const messages: Anthropic.MessageParam[] = [];
      for (let n = 0; n < 4; n += 1) {
        messages.push({
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: `${n}. ${RULES}` },
              citations: { enabled: true },
              ...(n < 3 && { cache_control: { type: 'ephemeral' } }),
            },
          ],
        });
        const model = name === 'quipu' ? 'our/opus' : 'claude-opus-5-5';
        const answer = await client.messages.create({ model, max_tokens: 1_000, messages });
        expect(answer).toMatchObject({ id: 'msg_fake1', model, content: [cited] });
        messages.push({ role: 'assistant', content: 'Done.' });
        const {
          input_tokens,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: made,
        } = answer.usage;
        counted[name].push({
          all: input_tokens + (cached ?? 0) + (made ?? 0),
          cached: cached ?? 0,
        });
      }
    }
    expect(rateOf(counted.provider)).toBeGreaterThan(0.4);
    expect(rateOf(counted.quipu)).toBe(rateOf(counted.provider));
  });

  it('send the defaults of the interface with a chat, behind the bytes of its caller', async () => {
    const body =
      '{ "messages":[{"role":"user","content":"Hello"}],  "model":"our/old","routing_mode":"auto"}';
    const { status } = await through({ path: '/v1/chat/completions', headers: {}, body });
    expect(status).toBe(200);
    expect(behind.openai.received.at(-1)?.bytes.toString()).toBe(
      '{ "messages":[{"role":"user","content":"Hello"}],  "model":"gpt-4.1","temperature":0.7,"max_tokens":8192}',
    );
  });
});

describe('the charge for an original', () => {
  const ask = (more: object = {}) =>
    through({
      path: '/v1/messages',
      headers: {},
      body: JSON.stringify({
        model: 'our/opus',
        max_tokens: 1_000,
        thinking: { type: 'adaptive' },
        system: [{ type: 'text', text: RULES, cache_control: { type: 'ephemeral', ttl: '1h' } }],
        messages: [{ role: 'user', content: `Hello ${Math.random()}` }],
        ...more,
      }),
    });
  const endOf = async (answer: Awaited<ReturnType<typeof ask>>) => {
    const ends = ['HoldCaptured', 'HoldReleased'];
    const found = async () =>
      eventsOf(await world.events(), answer.headers.get('x-request-id')).find(({ type }) =>
        ends.includes(type),
      );
    await eventually(async () => (await found()) !== undefined);
    const { type, data } = (await found()) ?? {};
    return { type, data: data as Readonly<Record<string, unknown>> };
  };
  const CONTENT = [thought('Which knot?'), { type: 'text', text: 'A long one.' }];

  it('has a line for each class that the provider states', async () => {
    behind.anthropic.reply({
      content: CONTENT,
      usage: {
        input_tokens: 100,
        cache_read_input_tokens: 2_000,
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 50,
      },
    });
    for (const stream of [false, true]) {
      const { type, data } = await endOf(await ask({ stream }));
      expect(type).toBe('HoldCaptured');
      // 100 x 4 + 2,000 x 0.2 + 100 x 5 + 200 x 8 + 50 x 20
      expect(data).toMatchObject({
        amountMicroUsd: '3900',
        usageSource: 'provider',
        evidence: {
          models: { asked: 'our/opus', sent: 'claude-opus-5-5', answered: 'claude-opus-5-5' },
        },
      });
    }
  });

  it('is of what was delivered before a stream broke', async () => {
    behind.anthropic.reply({ content: CONTENT, events: 5, ending: 'destroy' });
    const answer = await ask({ stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('event: error\n');
    expect(answer.text).not.toContain('message_stop');
    const { type, data } = await endOf(answer);
    expect(type).toBe('HoldCaptured');
    expect(data).toMatchObject({ outcome: 'upstream_failed', usageSource: 'counted' });
  });

  it('comes before the last event of a stream', async () => {
    behind.anthropic.reply({ content: CONTENT });
    const { text } = await ask({ stream: true });
    expect(text.indexOf(': x-quipu')).toBeGreaterThan(text.indexOf('event: message_delta'));
    expect(text.indexOf('event: message_stop')).toBeGreaterThan(text.indexOf(': x-quipu'));
  });

  it('is not made for what the provider refuses, whose error names the field', async () => {
    const answer = await ask({ a_field_of_tomorrow: 1 });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining('a_field_of_tomorrow'),
      },
    });
    expect((await endOf(answer)).type).toBe('HoldReleased');
  });

  it('is not made for what belongs to the operator', async () => {
    const answer = await ask({ speed: 'fast' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("'speed' is refused");
  });

  it('is not made for a model whose rigs speak another dialect: the field is named', async () => {
    const answer = await ask({ model: 'our/old' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('thinking');
  });
});

const dataIn = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);

const anthropicCounts = (text: string): Counted => {
  const end = dataIn(text).find(({ type }) => type === 'message_delta');
  const usage = end?.['usage'] as Record<string, number>;
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const all = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return { all, cached: cache_read_input_tokens };
};

const responseCounts = (text: string): Counted => {
  const end = dataIn(text).find(({ type }) => type === 'response.completed');
  const { usage } = end?.['response'] as {
    usage: { input_tokens: number; input_tokens_details: { cached_tokens: number } };
  };
  return { all: usage.input_tokens, cached: usage.input_tokens_details.cached_tokens };
};
