import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Usage } from '#platform/chats/chat-usage.js';
import { chatsOf } from '#areas/inference/completions/completion-body.js';
import { type CompletionFacts } from '#areas/inference/completions/completion-object.js';
import { completionFormat } from './completions.format.js';

const usage: Usage = { promptTokens: 3, completionTokens: 5, source: 'provider' };
const facts: CompletionFacts = {
  id: 'cmpl-1',
  created: 1,
  model: 'm',
  routingMode: 'auto',
  echoed: ['Tell'],
  choicesEach: 1,
  includesUsage: false,
};

interface Written {
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly logprobs: object | null;
    readonly finish_reason: string | null;
  }[];
}

type Reply = Parameters<ReturnType<typeof completionFormat>['whole']>[0];

const wholeOf = (answer: object, asked = facts): Written => {
  const reply = { text: JSON.stringify(answer), usage } as Reply;
  return JSON.parse(completionFormat(asked).whole(reply) as string) as Written;
};

const streamOf = (chunks: readonly object[], asked = facts): readonly Written[] => {
  const stream = completionFormat(asked).stream();
  const lines = chunks.map((chunk) => JSON.stringify(chunk));
  const sent = `${stream.begin()}${stream.page(lines)}${stream.end(usage) as string}`;
  expect(sent.endsWith('data: [DONE]\n\n')).toBe(true);
  return sent
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Written);
};

const token = (text: string) => ({
  token: text,
  logprob: -0.5,
  top_logprobs: [{ token: text, logprob: -0.5 }],
});
const legacy = (texts: readonly string[], offsets: readonly number[]) => ({
  tokens: texts,
  token_logprobs: texts.map(() => -0.5),
  top_logprobs: texts.map((text) => ({ [text]: -0.5 })),
  text_offset: offsets,
});

describe('the body of a legacy completion', () => {
  it('asks a chat for log probabilities', () => {
    const of = (logprobs: number) => chatsOf({ model: 'm', prompt: 'a', logprobs }).bodies[0];
    expect(of(0)).toMatchObject({ logprobs: true });
    expect(of(0)).not.toHaveProperty('top_logprobs');
    expect(of(2)).toMatchObject({ logprobs: true, top_logprobs: 2 });
  });

  it('takes a number of the best that is the number of choices', () => {
    const { bodies } = chatsOf({ model: 'm', prompt: ['a', 'b'], n: 2, best_of: 2 });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ n: 2, messages: [{ role: 'user', content: 'b' }] });
    expect(bodies[1]).not.toHaveProperty('best_of');
  });
});

describe('the answer of a legacy completion', () => {
  it('has log probabilities in their old form, and offsets after the repeated prompt', () => {
    const content = [token('Knots'), token('.')];
    const message = { content: 'Knots.' };
    const choices = [{ index: 0, message, logprobs: { content }, finish_reason: 'stop' }];
    expect(wholeOf({ choices }).choices).toEqual([
      {
        index: 0,
        text: 'TellKnots.',
        logprobs: legacy(['Knots', '.'], [4, 9]),
        finish_reason: 'stop',
      },
    ]);
    const chunks = content.map((one) => ({
      choices: [{ index: 0, delta: { content: one.token }, logprobs: { content: [one] } }],
    }));
    expect(streamOf(chunks).map(({ choices: [choice] }) => choice)).toMatchObject([
      { text: 'TellKnots', logprobs: legacy(['Knots'], [4]) },
      { text: '.', logprobs: legacy(['.'], [9]) },
    ]);
  });

  it('is the same in pieces and as a whole, for each of its choices', () => {
    const choice = fc.record({
      pieces: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 4 }),
      finish: fc.constantFrom('stop', 'length'),
    });
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 4 }), (choices) => {
        const asked = { ...facts, echoed: ['one', 'two'], choicesEach: 2 };
        const whole = wholeOf(
          {
            choices: choices.map(({ pieces, finish }, index) => ({
              index,
              finish_reason: finish,
              message: { content: pieces.join('') },
            })),
          },
          asked,
        );
        const chunks = choices.flatMap(({ pieces, finish }, index) => [
          { choices: [{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
          ...pieces.map((content) => ({
            choices: [{ index, delta: { content }, finish_reason: null }],
          })),
          { choices: [{ index, delta: {}, finish_reason: finish }] },
        ]);
        const texts = choices.map(() => '');
        const ends: (string | null)[] = choices.map(() => null);
        for (const { choices: written } of streamOf(chunks, asked)) {
          for (const { index, text, finish_reason: end } of written) {
            texts[index] = `${texts[index] ?? ''}${text}`;
            ends[index] ??= end;
          }
        }
        expect(texts).toEqual(whole.choices.map(({ text }) => text));
        expect(ends).toEqual(whole.choices.map(({ finish_reason: end }) => end));
      }),
    );
  });
});
