import { describe, expect, it } from '@jest/globals';
import { createEmbeddedEmbeddings, type EmbeddingEngineRequest } from './embedded-embeddings.js';

const never = new AbortController().signal;
const requestOf = (body: object = {}) => ({
  body: { model: 'm', input: ['a', 'b'], ...body },
  promptTokensMax: 100,
});

const rigThat = (
  embed: (asked: EmbeddingEngineRequest, onProgress: (tokens: number) => void) => Promise<never>,
) =>
  createEmbeddedEmbeddings({
    name: 'built-in',
    files: new Map([['m', '/models/m.gguf']]),
    engine: { embed: (asked, _, onProgress) => embed(asked, onProgress) },
  });

const failing = (code: string, message = 'no') =>
  rigThat(() => Promise.reject(Object.assign(new Error(message), { code })));

describe('an embedded rig that makes embeddings', () => {
  it('asks the engine for the file of the model', async () => {
    const asked: EmbeddingEngineRequest[] = [];
    const rig = createEmbeddedEmbeddings({
      name: 'built-in',
      files: new Map([['m', '/models/m.gguf']]),
      engine: {
        embed: (request) => {
          asked.push(request);
          return Promise.resolve({ vectors: ['AAAA', 'AAAA'], promptTokens: 4 });
        },
      },
    });
    const body = { dimensions: 3, encoding_format: 'base64', user: 'u', extra: null };
    expect(await rig.embed(requestOf(body), never)).toEqual({
      vectors: ['AAAA', 'AAAA'],
      modelAnswered: 'm',
      usage: { promptTokens: 4, completionTokens: 0, source: 'provider' },
    });
    expect(asked).toEqual([{ modelFile: '/models/m.gguf', inputs: ['a', 'b'], dimensions: 3 }]);
  });

  it.each([
    ['input_too_long', 'refused', 'context_length_exceeded'],
    ['input_unreadable', 'refused', 'input_unreadable'],
    ['tokens_invalid', 'refused', 'tokens_invalid'],
    ['task_too_large', 'refused', 'context_length_exceeded'],
    ['dimensions_unsupported', 'refused', 'dimensions_unsupported'],
    ['model_file_missing', 'refused', 'model_unusable'],
    ['model_file_invalid', 'refused', 'model_unusable'],
    ['busy', 'overloaded', undefined],
    ['no_worker', 'unreachable', undefined],
    ['worker_lost', 'unreachable', undefined],
    ['crashed', 'failed', undefined],
    ['model_failed', 'failed', undefined],
  ])('fails with %s as %s', async (code, kind, upstreamCode) => {
    await expect(failing(code).embed(requestOf(), never)).rejects.toMatchObject({
      kind,
      details: upstreamCode === undefined ? {} : { upstreamError: { code: upstreamCode } },
    });
  });

  it('names the input at fault, without a place where it is the only one', async () => {
    const rig = failing('input_too_long', 'input[1]: it has 9 tokens');
    const faultOf = (param: string) => ({ details: { upstreamError: { param } } });
    await expect(rig.embed(requestOf(), never)).rejects.toMatchObject(faultOf('input[1]'));
    const first = failing('input_too_long', 'input[0]: it has 9 tokens');
    await expect(first.embed(requestOf({ input: ['a'] }), never)).rejects.toMatchObject(
      faultOf('input'),
    );
  });

  it('refuses a field that it does not know', async () => {
    const rig = failing('never');
    await expect(rig.embed(requestOf({ input_type: 'query' }), never)).rejects.toMatchObject({
      details: { status: 400, upstreamError: { param: 'input_type' } },
    });
  });

  it.each([
    [7, { used: { promptTokens: 7, completionTokens: 0, source: 'counted' } }],
    [0, {}],
  ])('of a caller that left, says what was done: %d tokens', async (done, details) => {
    const caller = new AbortController();
    const rig = rigThat((_, onProgress) => {
      onProgress(done);
      caller.abort();
      return Promise.reject(new Error('left'));
    });
    const error: unknown = await rig.embed(requestOf(), caller.signal).catch((cause) => cause);
    expect(error).toMatchObject({ kind: 'cancelled', details });
    expect('used' in (error as { details: object }).details).toBe(done > 0);
  });
});
