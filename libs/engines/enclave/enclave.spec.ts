import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Enclave, type InferenceOrder } from './enclave.js';
import { type SealedExchange, openReply, sealMessage } from './hpke.js';

const MODEL = fileURLToPath(new URL('../../../models/nano.gguf', import.meta.url));
const never = new AbortController().signal;

const opened: Enclave[] = [];
const open = (seed = 1, modelFile: string | null = MODEL): Enclave => {
  const enclave = new Enclave({ seed: Buffer.alloc(32, seed), modelFile });
  opened.push(enclave);
  return enclave;
};
const shared = open();
const withoutModel = open(1, null);

afterAll(async () => {
  await Promise.all(opened.map((enclave) => enclave.close()));
});

const sealed = async (prompt: unknown): Promise<SealedExchange & { order: InferenceOrder }> => {
  const { spki } = await shared.identity();
  const exchange = await sealMessage(spki, 'info', 'aad', Buffer.from(JSON.stringify(prompt)));
  const order = { info: 'info', aad: 'aad', message: exchange.bytes, maxTokens: 8 };
  return { ...exchange, order: { ...order, promptTokensMax: 500 } };
};

const PROMPT = { messages: [{ role: 'user', content: 'What is a quipu?' }], temperature: 0 };

describe('the enclave process', () => {
  it('measures its build, its policy and its model', async () => {
    const { log, spki } = await shared.identity();
    expect(spki).toHaveLength(44);
    expect(log.map(({ subject }) => subject)).toEqual([
      ...['build', 'build', 'build', 'policy', 'configuration'],
    ]);
    expect(log.at(-1)).toEqual({
      subject: 'configuration',
      name: 'model nano.gguf',
      sha256: 'd103f293896e53938abb26d64c1e8481f55cbadb0059ac900d937c9d67ac3094',
    });
  });

  it('has one key for one seed and one measurement', async () => {
    const { spki } = await shared.identity();
    const [same, other, without] = await Promise.all(
      [open(), open(2), withoutModel].map((enclave) => enclave.identity()),
    );
    expect(same?.spki).toEqual(spki);
    expect(other?.spki).not.toEqual(spki);
    expect(without?.spki).not.toEqual(spki);
  });

  it('answers a sealed prompt by a sealed reply', async () => {
    const { order, ...exchange } = await sealed(PROMPT);
    const answer = await shared.infer(order, never);
    const reply: unknown = JSON.parse(openReply(exchange, answer.reply).toString());
    expect(reply).toEqual({ content: expect.stringMatching(/\w/), finish_reason: 'length' });
    expect(answer).toMatchObject({ completionTokens: 8, finishReason: 'length' });
    expect(answer.promptTokens).toBeGreaterThan(4);
  });

  it('opens a message for the gateway', async () => {
    const { bytes } = await sealed(PROMPT);
    const plaintext = await shared.open({ info: 'info', aad: 'aad', message: bytes });
    expect(JSON.parse(plaintext.toString())).toEqual(PROMPT);
  });

  it.each([
    ['no JSON object', [], 'prompt:'],
    ['no messages', { messages: [] }, 'messages:'],
    ['a role that is unknown', { messages: [{ role: 'x', content: 'a' }] }, 'messages[0]:'],
    ['a temperature that is too high', { ...PROMPT, temperature: 3 }, 'temperature:'],
    ['a seed with a fraction', { ...PROMPT, seed: 0.5 }, 'seed:'],
  ])('rejects %s by its field', async (_what, prompt, field) => {
    const { order } = await sealed(prompt);
    await expect(shared.infer(order, never)).rejects.toMatchObject({
      code: 'prompt_invalid',
      message: expect.stringContaining(field),
    });
  });

  it('rejects a prompt of more tokens than are paid for', async () => {
    const { order } = await sealed(PROMPT);
    const asked = shared.infer({ ...order, promptTokensMax: 2 }, never);
    await expect(asked).rejects.toMatchObject({ code: 'prompt_too_long' });
  });

  it('rejects a message for another context', async () => {
    const { order } = await sealed(PROMPT);
    const asked = shared.infer({ ...order, aad: 'other' }, never);
    await expect(asked).rejects.toMatchObject({ code: 'unsealable' });
  });

  it('has no model where none is configured', async () => {
    const { order } = await sealed(PROMPT);
    await expect(withoutModel.infer(order, never)).rejects.toMatchObject({
      code: 'model_missing',
    });
  });

  it('ends a prompt early whose caller left', async () => {
    const { order } = await sealed(PROMPT);
    const answer = await shared.infer({ ...order, maxTokens: 400 }, AbortSignal.abort());
    expect(answer.completionTokens).toBeLessThan(400);
  });

  it('fails what is open when it closes', async () => {
    const { order } = await sealed(PROMPT);
    const asked = withoutModel.open(order);
    await withoutModel.close();
    await expect(asked).rejects.toMatchObject({ code: 'crashed' });
    expect(() => withoutModel.identity()).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});
