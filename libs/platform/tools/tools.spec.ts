import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { DomainError } from '#platform/kernel/domain-error.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { type MeterPriceList, MeterPrices } from '#platform/ledger/meter-prices.port.js';
import {
  type AnyTool,
  BY_THE_CALL,
  defineTool,
  metersOf,
  type ToolCall,
  ToolError,
  type ToolRunner,
} from './tool.js';
import { Tools } from './tools.js';

const Input = z.strictObject({ words: z.array(z.strictObject({ text: z.string() })) });
type Input = z.infer<typeof Input>;

class Counter implements ToolRunner<Input, number> {
  meter = 'words';
  readonly calls: string[] = [];

  estimate({ words }: Input) {
    const line = { meter: this.meter, quantity: words.length };
    const lines = [{ ...line, unitPriceMicroUsd: '5', perUnits: 1 }];
    return Promise.resolve({ lines, rateCardVersion: 3 });
  }

  run({ words }: Input, { id }: ToolCall) {
    this.calls.push(id);
    const used = [{ meter: this.meter, quantity: words.length }];
    return Promise.resolve({ output: words.length, used, counters: { words: words.length } });
  }
}

const counting = defineTool({
  name: 'count',
  description: 'Counts words.',
  input: Input,
  output: z.int().max(2),
  meters: { words: 'words that are counted' },
  runner: Counter,
});

const PRICE = { unitPriceMicroUsd: '2', perUnits: 1 };
const FREE = { lines: [], rateCardVersion: null };

/** No words are a failure. */
class ByTheCall implements ToolRunner<Input, number> {
  estimate() {
    return Promise.resolve(FREE);
  }

  run({ words: { length } }: Input) {
    if (length === 0) return Promise.reject(new DomainError('no_words', 'no words'));
    return Promise.resolve({ output: length, used: [], counters: {} });
  }
}

const byTheCall = { ...counting, meters: BY_THE_CALL, runner: ByTheCall };

@Module({})
class CountingModule {}

const open = (tools: AnyTool[] = [counting], prices: MeterPriceList['prices'] = new Map()) => {
  const area = defineArea({
    name: 'counting',
    module: CountingModule,
    tools,
    errors: { no_words: { status: 404 }, busy: { status: 503 }, absent: { status: 501 } },
  });
  const runner = new Counter();
  const get = (token: unknown) => {
    if (token === MeterPrices) return { inForce: () => ({ rateCardVersion: 3, prices }) };
    return token === ByTheCall ? new ByTheCall() : runner;
  };
  return { runner, tools: new Tools(new Areas([area]), { get } as never) };
};

const controller = new AbortController();
const call: ToolCall = {
  id: '7b0c4a52-6c58-4b3e-9f0e-0a1b2c3d4e5f',
  accountId: '7',
  actor: 'user:7',
  requestId: '7b0c4a52-6c58-4b3e-9f0e-0a1b2c3d4e50',
  pricedAtMs: 0,
  signal: controller.signal,
};
const words = (count: number) => ({ words: Array.from({ length: count }, () => ({ text: 'x' })) });

describe('the registry of tools', () => {
  it('runs a call with its checked input and output', async () => {
    const { tools, runner } = open();
    expect(await tools.estimate('count', words(2), call)).toMatchObject({ rateCardVersion: 3 });
    expect(await tools.run('count', words(2), call)).toEqual({
      output: 2,
      used: [{ meter: 'words', quantity: 2 }],
      counters: { words: 2 },
    });
    expect(runner.calls).toEqual([call.id]);
    await expect(tools.run('count', words(3), call)).rejects.toThrow(z.ZodError);
  });

  it('rejects an unknown tool and names the known ones', async () => {
    const { tools } = open();
    await expect(tools.run('shout', {}, call)).rejects.toThrow(
      'there is no tool shout; the tools are count',
    );
  });

  it('names the field of an invalid input, and does not run', async () => {
    const { tools, runner } = open();
    const running = tools.run('count', { words: [{ text: 'x' }, { text: 7 }] }, call);
    await expect(running).rejects.toMatchObject({
      code: 'invalid_input',
      details: { param: 'words[1].text' },
    });
    expect(runner.calls).toEqual([]);
  });

  it('does not run a call whose caller has left', async () => {
    const { tools, runner } = open();
    const signal = AbortSignal.abort(new Error('left'));
    await expect(tools.run('count', words(1), { ...call, signal })).rejects.toThrow('left');
    expect(runner.calls).toEqual([]);
  });

  it.each([
    ['one that ends', words(1), 'no code'],
    ['one that fails', words(0), 'no_words'],
  ])('counts the calls of a tool that costs by the call: %s', async (_, input, code) => {
    const { tools } = open([byTheCall], new Map([['tool_calls', PRICE]]));
    const one = { meter: 'tool_calls', quantity: 1 };
    const estimate = { lines: [{ ...one, ...PRICE }], rateCardVersion: 3 };
    expect(await tools.estimate('count', input, call)).toEqual(estimate);
    const ended = await tools.run('count', input, call).catch((error: unknown) => ({
      used: tools.usedBy(error),
      code: tools.failureOf(error)?.code,
    }));
    expect(ended).toMatchObject({ used: [one], ...(code !== 'no code' && { code }) });
  });

  it('charges no call where the catalog has no price for it', async () => {
    const { tools } = open([byTheCall]);
    expect(await tools.estimate('count', words(1), call)).toEqual(FREE);
    expect(await tools.run('count', words(1), call)).toMatchObject({ used: [] });
    const failing = await tools.run('count', words(0), call).catch((error: unknown) => error);
    expect([tools.failureOf(failing)?.code, tools.usedBy(failing)]).toEqual(['no_words', []]);
  });

  it('takes no meter that the tool does not declare', async () => {
    const { tools, runner } = open();
    runner.meter = 'letters';
    const message = 'the tool count has no meter letters';
    await expect(tools.estimate('count', words(1), call)).rejects.toThrow(message);
    await expect(tools.run('count', words(1), call)).rejects.toThrow(message);
  });

  it('shows the input as JSON Schema, and the tools by name', () => {
    const { tools } = open([{ ...counting, name: 'recount' }, counting]);
    expect(tools.inputSchemaOf('count')).toMatchObject({
      type: 'object',
      required: ['words'],
      additionalProperties: false,
    });
    expect(tools.list.map(({ name }) => name)).toEqual(['count', 'recount']);
    expect(metersOf(tools.list)).toEqual(counting.meters);
  });

  it('has no two tools of one name, and no name that a model could not call', () => {
    expect(() => open([counting, counting])).toThrow('two tools are called count');
    expect(() => defineTool({ ...counting, name: 'Count words' })).toThrow(TypeError);
    expect(() => defineTool({ ...counting, meters: { 'a b': '' } })).toThrow(z.ZodError);
  });

  it.each([
    [new ToolError('trap', 'it trapped'), 'trap', false],
    [new ToolError('away', 'it is away', { isRetryable: true }), 'away', true],
    [new DomainError('no_words', 'no words'), 'no_words', false],
    [new DomainError('busy', 'busy'), 'busy', true],
    [new DomainError('absent', 'not in this release'), 'absent', false],
  ])('says of %s whether the call may succeed later', (error, code, isRetryable) => {
    expect(open().tools.failureOf(error)).toMatchObject({ code, isRetryable });
  });

  it('says nothing of a defect', () => {
    expect(open().tools.failureOf(new Error('secret'))).toBeNull();
  });
});
