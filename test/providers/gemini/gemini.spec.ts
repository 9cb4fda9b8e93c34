import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ApiError,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  GoogleGenAI,
} from '@google/genai';
import { JWT } from 'google-auth-library';
import {
  exhausted,
  type GeminiFake,
  googleError,
  replyOf,
  startGemini,
  startVertex,
} from './gemini.fake.js';
import { startTokenEndpoint, type TokenEndpoint } from './token-endpoint.fake.js';

const MODELS = {
  'gemini-3.8-flash': { needsSignatures: true },
  'gemini-2.5-flash': { needsSignatures: false },
};
const MODEL = 'gemini-3.8-flash';
const KEY = 'AIza-test';
const USAGE = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
const SIGNATURE = 'c2lnbmF0dXJl';

const weather = {
  functionDeclarations: [
    { name: 'weather', parametersJsonSchema: { type: 'object', additionalProperties: false } },
  ],
};

const statusOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`expected an ApiError, got ${String(error)}`);
};

describe("the Gemini API, called by Google's SDK", () => {
  let fake: GeminiFake;
  let ai: GoogleGenAI;

  beforeAll(async () => {
    fake = await startGemini(MODELS, [KEY]);
    ai = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: fake.url } });
  });

  afterAll(() => fake.close());

  const generate = (parameters: Partial<GenerateContentParameters>) =>
    ai.models.generateContent({ model: MODEL, contents: 'Hello', ...parameters });

  it('answers with text and usage', async () => {
    fake.reply(replyOf([{ text: 'A ' }, { text: 'quipu' }], USAGE));
    const answer = await generate({
      config: { systemInstruction: 'Be brief.', temperature: 0.5, maxOutputTokens: 100 },
    });
    expect(answer.text).toBe('A quipu');
    expect(answer.usageMetadata).toMatchObject(USAGE);
  });

  it('streams chunks', async () => {
    const stream = await ai.models.generateContentStream({ model: MODEL, contents: 'Hello' });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ text }) => text)).toEqual(['A ', 'quipu']);
    expect(chunks.at(-1)?.usageMetadata).toMatchObject(USAGE);
  });

  it('counts tokens', async () => {
    await expect(
      ai.models.countTokens({ model: MODEL, contents: 'sixteen letters.' }),
    ).resolves.toMatchObject({ totalTokens: 4 });
  });

  it('calls a function and takes its response with the signature', async () => {
    const call = { name: 'weather', args: { city: 'Cusco' }, id: 'call-1' };
    fake.reply(
      replyOf([{ functionCall: call, thoughtSignature: SIGNATURE }], USAGE),
      replyOf([{ text: 'Sunny' }], USAGE),
    );
    const config = {
      tools: [weather],
      toolConfig: {
        functionCallingConfig: {
          mode: FunctionCallingConfigMode.ANY,
          allowedFunctionNames: ['weather'],
        },
      },
    };
    const asked = { role: 'user', parts: [{ text: 'Weather?' }] };
    const first = await generate({ contents: [asked], config });
    expect(first.functionCalls).toEqual([call]);
    const content = first.candidates?.[0]?.content ?? {};
    const response = { name: 'weather', id: 'call-1', response: { output: 'sun' } };
    const answered = { role: 'user', parts: [{ functionResponse: response }] };
    const second = await generate({ contents: [asked, content, answered], config });
    expect(second.text).toBe('Sunny');

    const unsigned = { role: 'model', parts: [{ functionCall: call }] };
    const error = await statusOf(generate({ contents: [asked, unsigned, answered], config }));
    expect(error.message).toContain('missing a thought_signature');
    const wrong = { role: 'model', parts: [{ functionCall: call, thoughtSignature: 'aW52' }] };
    const corrupted = await statusOf(generate({ contents: [asked, wrong, answered], config }));
    expect(corrupted.message).toContain('Corrupted thought signature');
    const missing = await statusOf(generate({ contents: [asked, content], config }));
    expect(missing.message).toContain('number of function response parts');
  });

  it.each<[string, Partial<GenerateContentParameters>, string]>([
    ['a content without parts', { contents: [{ role: 'user', parts: [] }] }, 'must not be empty'],
    ['an empty part', { contents: [{ role: 'user', parts: [{}] }] }, "oneof field 'data'"],
    ['a temperature of 3', { config: { temperature: 3 } }, 'generationConfig.temperature'],
    ['a schema for plain text', { config: { responseJsonSchema: {} } }, 'mime type: text/plain'],
    [
      'an unknown name of a function',
      {
        config: {
          tools: [weather],
          toolConfig: {
            functionCallingConfig: {
              mode: FunctionCallingConfigMode.ANY,
              allowedFunctionNames: ['other'],
            },
          },
        },
      },
      'Function other',
    ],
  ])('refuses %s', async (_, parameters, message) => {
    const error = await statusOf(generate(parameters));
    expect(error.status).toBe(400);
    expect(error.message).toContain(message);
  });

  it('refuses an unknown field by name', async () => {
    const answer = await fetch(`${fake.url}/v1beta/models/${MODEL}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': KEY },
      body: JSON.stringify({ contents: [], max_tokens: 1 }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Unknown name \\"max_tokens\\"');
  });

  it('refuses a wrong key with 400, and an unknown model with 404', async () => {
    const other = new GoogleGenAI({ apiKey: 'wrong', httpOptions: { baseUrl: fake.url } });
    const error = await statusOf(other.models.generateContent({ model: MODEL, contents: 'a' }));
    expect(error).toMatchObject({ status: 400 });
    expect(error.message).toContain('API_KEY_INVALID');
    await expect(statusOf(generate({ model: 'gemini-9' }))).resolves.toMatchObject({ status: 404 });
  });

  it('reports errors in the shape of google.rpc.Status, also in a stream', async () => {
    fake.reply(exhausted('7s'), {
      chunks: [
        ...replyOf([{ text: 'A' }], USAGE).chunks.map((chunk) => ({ ...chunk })),
        googleError(503, 'UNAVAILABLE', 'The model is overloaded.').body as object,
      ] as Record<string, unknown>[],
    });
    const limited = await statusOf(generate({}));
    expect(limited.status).toBe(429);
    expect(limited.message).toContain('"retryDelay":"7s"');
    const stream = await ai.models.generateContentStream({ model: MODEL, contents: 'Hello' });
    const broken = await statusOf(Array.fromAsync(stream));
    expect(broken.message).toContain('overloaded');
  });
});

describe("Vertex AI, called by Google's SDK", () => {
  const PLACE = { project: 'acme-test', location: 'europe-west4' };
  let tokens: TokenEndpoint;
  let fake: GeminiFake;

  beforeAll(async () => {
    // Google's client names this address as the audience, wherever it sends its request.
    tokens = await startTokenEndpoint({ audience: 'https://oauth2.googleapis.com/token' });
    fake = await startVertex(MODELS, PLACE, tokens);
    fake.reply(replyOf([{ text: 'A quipu' }], { ...USAGE, trafficType: 'ON_DEMAND' }));
  });

  afterAll(async () => {
    await fake.close();
    await tokens.close();
  });

  const clientOf = (
    account: Partial<TokenEndpoint['account']> = {},
    scope = 'https://www.googleapis.com/auth/cloud-platform',
    place = PLACE,
  ): GoogleGenAI => {
    const { client_email: email, private_key: key } = { ...tokens.account, ...account };
    const authClient = new JWT({ email, key, scopes: [scope] });
    const { transporter } = authClient;
    transporter.interceptors.request.add({
      resolved: (config) => {
        if (config.url.hostname === 'oauth2.googleapis.com') {
          config.url = new URL(`${tokens.url}/token`);
        }
        return Promise.resolve(config);
      },
    });
    return new GoogleGenAI({
      vertexai: true,
      ...place,
      googleAuthOptions: { authClient },
      httpOptions: { baseUrl: fake.url },
    });
  };

  const ask = (client: GoogleGenAI) =>
    client.models.generateContent({
      model: MODEL,
      contents: 'Hello',
      config: { labels: { team: 'a' } },
    });

  it('answers a service account, whose token serves several requests', async () => {
    const client = clientOf();
    const before = tokens.received.length;
    const answer = await ask(client);
    expect(answer.text).toBe('A quipu');
    expect(answer.usageMetadata).toMatchObject({ trafficType: 'ON_DEMAND' });
    await ask(client);
    expect(tokens.received).toHaveLength(before + 1);
  });

  it('refuses a revoked token', async () => {
    const client = clientOf();
    await ask(client);
    tokens.expireAll();
    await expect(statusOf(ask(client))).resolves.toMatchObject({ status: 401 });
  });

  it('refuses another account, another key, another scope and another region', async () => {
    const other = await startTokenEndpoint();
    await other.close();
    const { private_key } = other.account;
    await expect(ask(clientOf({ private_key }))).rejects.toThrow('Invalid JWT Signature');
    await expect(ask(clientOf({ client_email: 'a@b.c' }))).rejects.toThrow('account not found');
    await expect(ask(clientOf({}, 'https://example.com'))).rejects.toThrow('invalid_scope');
    const place = { ...PLACE, location: 'us-east5' };
    await expect(statusOf(ask(clientOf({}, undefined, place)))).resolves.toMatchObject({
      status: 403,
    });
  });
});
