import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { deltaOf, eventOf, sse } from '#areas/inference/rigs/upstream.fake.js';
import {
  answering,
  chatRequest,
  eventsOf,
  eventually,
  MODEL,
  startWorld,
  type World,
  type WorldOptions,
} from './quipu.harness.js';

/** The behaviour of the official client on any stores. */
export const openaiClientSuite = (title: string, options: WorldOptions = {}): void =>
  describe(title, () => {
    describe('the official openai client', () => {
      let world: World;

      beforeAll(async () => {
        world = await startWorld([answering('Knots', ' keep', ' accounts', '.')], options);
      });

      afterAll(() => world.close());

      it('lists models', async () => {
        const models = await world.openai.models.list();
        expect(models.data).toMatchObject([{ id: MODEL, object: 'model', owned_by: 'acme' }]);
        expect(await world.openai.models.retrieve(MODEL)).toMatchObject({ id: MODEL });
      });

      it('gets a completion, with the price in its headers and the charge in the log', async () => {
        const { data, response } = await world.openai.chat.completions
          .create(chatRequest({ routing_mode: 'auto' }))
          .withResponse();
        expect(data).toMatchObject({
          object: 'chat.completion',
          model: MODEL,
          routing_mode: 'auto',
          choices: [{ message: { role: 'assistant', content: 'Knots keep accounts.' } }],
          usage: { prompt_tokens: 9, completion_tokens: 4 },
        });
        // 9 tokens at 1 micro-dollar and 4 at 2.
        expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000017');
        expect(response.headers.get('x-quipu-rig')).toBe('scripted');
        expect(response.headers.get('x-quipu-attempts')).toBe('1');
        expect(Number(response.headers.get('x-quipu-overhead-ms'))).toBeGreaterThan(0);
        const written = eventsOf(await world.events(), response.headers.get('x-request-id'));
        expect(written.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
        expect(written[1]).toMatchObject({
          id: response.headers.get('x-quipu-event-id'),
          data: {
            amountMicroUsd: '17',
            usageSource: 'provider',
            evidence: { models: { asked: MODEL, sent: 'scripted-1', answered: 'm' } },
            rateCardVersion: 1,
          },
        });
      });

      it('sends the rig its own model id, the held bound and unknown fields', async () => {
        const before = world.upstream.received.length;
        await world.openai.chat.completions.create(
          chatRequest({
            seed: 7,
            response_format: { type: 'json_object' },
            routing_mode: 'rig_scripted',
          }),
        );
        expect(world.upstream.received[before]?.body).toEqual({
          model: 'scripted-1',
          messages: [{ role: 'user', content: 'Tell me of knots.' }],
          seed: 7,
          response_format: { type: 'json_object' },
          temperature: 0.7,
          max_tokens: 100,
        });
      });

      it('streams role, words, requested usage, and the charge before the end', async () => {
        const { data, response } = await world.openai.chat.completions
          .create(
            chatRequest({
              stream: true as const,
              stream_options: { include_usage: true },
            }) as OpenAI.ChatCompletionCreateParamsStreaming,
          )
          .withResponse();
        const chunks = await Array.fromAsync(data);
        expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
        expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
          'Knots keep accounts.',
        );
        expect(chunks.at(-1)).toMatchObject({
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 4 },
        });
        expect(chunks.every(({ model }) => model === MODEL)).toBe(true);
        const written = eventsOf(await world.events(), response.headers.get('x-request-id'));
        expect(written.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
      });

      it('hides unrequested usage, and charges by it', async () => {
        const { data, response } = await world.openai.chat.completions
          .create({ ...chatRequest(), stream: true })
          .withResponse();
        const chunks = await Array.fromAsync(data);
        expect(chunks.every(({ usage }) => usage == null)).toBe(true);
        const [, captured] = eventsOf(await world.events(), response.headers.get('x-request-id'));
        expect(captured).toMatchObject({ data: { usageSource: 'provider', amountMicroUsd: '17' } });
      });

      it('throws the exception class of each status', async () => {
        const wrongKey = new OpenAI({
          baseURL: `${world.quipu.url}/v1`,
          apiKey: 'sk-svc-wrong',
          maxRetries: 0,
        });
        await expect(wrongKey.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
        const unknown = world.openai.chat.completions.create(chatRequest({ model: 'acme/none' }));
        await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
        await expect(unknown).rejects.toBeInstanceOf(OpenAI.NotFoundError);
        const hot = world.openai.chat.completions.create(chatRequest({ temperature: 3 }));
        await expect(hot).rejects.toMatchObject({ status: 400, param: 'temperature' });
        const mode = world.openai.chat.completions.create(
          chatRequest({ routing_mode: 'cleanroom_fhe_eval' }),
        );
        await expect(mode).rejects.toMatchObject({ status: 400, param: 'cleanroom_uuid' });
      });
    });

    describe('a client that leaves', () => {
      it('aborts the upstream, which would go on, and pays for the delivered part', async () => {
        const words = [
          deltaOf({ role: 'assistant', content: 'Knots' }),
          deltaOf({ content: ' keep' }),
        ];
        const world = await startWorld([sse(words.map(eventOf), 'hang')], options);
        try {
          const stream = await world.openai.chat.completions.create({
            ...chatRequest(),
            stream: true,
          });
          let heard = '';
          for await (const chunk of stream) {
            heard += chunk.choices[0]?.delta.content ?? '';
            if (heard === 'Knots keep') break;
          }
          expect(await world.upstream.received[0]?.left).toEqual(expect.any(Number));
          await eventually(async () =>
            (await world.events()).some(({ type }) => type === 'HoldCaptured'),
          );
          const captured = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
          expect(captured).toMatchObject([
            { data: { outcome: 'client_gone', usageSource: 'counted' } },
          ]);
        } finally {
          await world.close();
        }
      });
    });
  });
