/** A model that begins to call a tool on its own: nano does not, so its first tokens are given. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Llama,
  type LlamaContextSequence,
  type LlamaModel,
  resolveChatWrapper,
  type Token,
} from 'node-llama-cpp';
import type { FromChild, GenerationTask } from '#engines/language-model/language-model.protocol.js';
import { AnswerWriter } from './answer-writer.js';
import { callSyntaxOf } from './call-syntax.js';
import { grammarsOf } from './grammars.js';
import { Job } from './job.js';
import { llama } from './llama-runtime.js';
import { TokenDraw } from './native-calls.js';
import { renderPrompt } from './prompt.js';

const NANO = fileURLToPath(new URL('../../../../models/nano.gguf', import.meta.url));

const TASK: GenerationTask = {
  modelFile: NANO,
  fileVersion: '1',
  messages: [{ role: 'user', content: 'What is 2 + 3?' }],
  maxTokens: 64,
  temperature: 0,
  topP: 1,
  seed: 1,
  choices: 1,
  tools: {
    functions: [
      { name: 'add', parameters: { type: 'object', properties: { a: { type: 'integer' } } } },
      { name: 'negate', parameters: { type: 'object', properties: { b: { type: 'boolean' } } } },
    ],
    choice: 'auto',
  },
};

describe('a model that begins to call a tool', () => {
  let runtime: Llama;
  let model: LlamaModel;
  let sequence: LlamaContextSequence;

  beforeAll(async () => {
    runtime = await llama();
    model = await runtime.loadModel({ modelPath: NANO });
    const context = await model.createContext({ contextSize: 1024, threads: 1 });
    sequence = context.getSequence();
  });

  afterAll(() => runtime.dispose());

  /** Draws the tokens of a text, then whatever the model would. */
  const beginning = (text: string) => {
    const given = model.tokenize(text);
    const real = new TokenDraw(model, { temperature: 0, topP: 1, seed: 1 }, undefined);
    return {
      follow: (grammar: Parameters<typeof real.follow>[0]) => {
        if (grammar !== undefined) given.length = 0;
        real.follow(grammar);
      },
      dispose: real.dispose.bind(real),
      next: async (read: LlamaContextSequence, tokens: readonly Token[]) => {
        const drawn = await real.next(read, tokens);
        const token = given.shift();
        return token === undefined ? drawn : { token };
      },
    };
  };

  const write = async (text: string) => {
    const letters: FromChild[] = [];
    await sequence.clearHistory();
    const wrapper = resolveChatWrapper(model);
    const prompt = renderPrompt(model, wrapper, TASK.messages, TASK.tools);
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.ids.slice(0, -1));
    const writing = {
      job: new Job(1, 1000, (letter) => letters.push(letter)),
      task: TASK,
      prompt,
      grammars: await grammarsOf(TASK),
      calls: callSyntaxOf(model, wrapper),
    };
    await new AnswerWriter(writing, 0, sequence, beginning(text)).write();
    const deltas = letters.filter((letter) => letter.type === 'delta');
    const texts = (isCall: boolean): string =>
      deltas
        .filter(({ call }) => (call !== undefined) === isCall)
        .map((one) => one.text)
        .join('');
    return {
      content: texts(false),
      arguments: texts(true),
      name: deltas.find(({ call }) => call?.name !== undefined)?.call?.name,
      ended: letters.at(-1),
      read: model.detokenize(sequence.contextTokens, true),
    };
  };

  it('calls it, with arguments of its schema', async () => {
    const { content, name, arguments: json, ended, read } = await write('||call: ');
    expect(content).toBe('');
    const keys = { add: ['a'], negate: ['b'] }[name ?? ''];
    expect(Object.keys(JSON.parse(json) as object)).toEqual(keys);
    expect(ended).toMatchObject({ type: 'ended', finishReason: 'tool_calls' });
    // The template's own words replace the words with which the model began.
    expect(read.split('||call: ').at(-1)).toMatch(new RegExp(`^${name ?? 'none'}\\(\\{`));
    expect(read).not.toContain('||call: ||call:');
  });

  it('keeps what it said before as content', async () => {
    const { content, name } = await write('Let me see. ||call: ');
    expect(content).toBe('Let me see. ');
    expect(['add', 'negate']).toContain(name);
  });

  it('does not take a similar beginning for a call', async () => {
    const { content, name, ended } = await write('||cal');
    expect(content).toMatch(/^\|\|cal/);
    expect(name).toBeUndefined();
    expect(ended).toMatchObject({ type: 'ended' });
  });
});
