import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  BedrockRuntimeServiceException,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  CountTokensCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { awsError, type BedrockFake, type ConverseReply, startBedrock } from './bedrock.fake.js';
import { exceptionFrame } from './event-stream.fake.js';

const REGION = 'eu-central-1';
const ARN = `arn:aws:bedrock:${REGION}:123456789012:inference-profile/eu.anthropic.claude-opus-5-5`;
const MODEL = 'eu.anthropic.claude-sonnet-5-5-v1:0';
const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret', sessionToken: 'session' };
const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const TEXT: ConverseReply = {
  content: [{ text: 'A quipu' }],
  stopReason: 'end_turn',
  usage: USAGE,
  serviceTier: { type: 'flex' },
};

describe("Bedrock's runtime, called by Amazon's SDK", () => {
  let fake: BedrockFake;
  const clients: BedrockRuntimeClient[] = [];

  const clientOf = (config: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient => {
    const client = new BedrockRuntimeClient({
      region: REGION,
      endpoint: fake.url,
      credentials: CREDENTIALS,
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
      ...config,
    });
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    const models = [MODEL, ARN];
    const bearerTokens = ['bedrock-key'];
    fake = await startBedrock({ region: REGION, models, credentials: [CREDENTIALS], bearerTokens });
  });

  beforeEach(() => {
    fake.reply(TEXT);
  });

  afterAll(async () => {
    for (const client of clients) client.destroy();
    await fake.close();
  });

  const converse = (input: Partial<ConverseCommandInput> = {}, client = clientOf()) =>
    client.send(
      new ConverseCommand({
        modelId: MODEL,
        messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
        ...input,
      }),
    );

  const errorOf = async (work: Promise<unknown>): Promise<BedrockRuntimeServiceException> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof BedrockRuntimeServiceException) return error;
    throw new Error(`expected an error of the service, got ${String(error)}`);
  };

  it('answers with text, usage and tier', async () => {
    const input = {
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' as const } }],
      inferenceConfig: { maxTokens: 100, temperature: 0.5 },
      serviceTier: { type: 'flex' as const },
    };
    await expect(converse(input)).resolves.toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: 'A quipu' }] } },
      stopReason: 'end_turn',
      usage: USAGE,
      serviceTier: { type: 'flex' },
    });
    await expect(converse({ modelId: ARN })).resolves.toMatchObject({ usage: USAGE });
  });

  it('takes an API key as a bearer token', async () => {
    const token = { token: 'bedrock-key' };
    const client = clientOf({ token, authSchemePreference: ['httpBearerAuth'] });
    await expect(converse({}, client)).resolves.toMatchObject({ usage: USAGE });
  });

  it('streams events with checksums, the usage last', async () => {
    const { stream } = await clientOf().send(
      new ConverseStreamCommand({
        modelId: MODEL,
        messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      }),
    );
    const events = await Array.fromAsync(stream ?? []);
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'messageStart',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ]);
    expect(
      events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? '').join(''),
    ).toBe('A quipu');
    expect(events.at(-1)?.metadata?.usage).toEqual(USAGE);
  });

  it('reports an exception in the stream', async () => {
    const by = exceptionFrame('modelStreamErrorException', {
      message: 'The model failed.',
      originalStatusCode: 500,
    });
    fake.reply({ ...TEXT, cut: { after: 2, by } });
    const { stream } = await clientOf().send(
      new ConverseStreamCommand({
        modelId: MODEL,
        messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      }),
    );
    await expect(errorOf(Array.fromAsync(stream ?? []))).resolves.toMatchObject({
      name: 'ModelStreamErrorException',
      originalStatusCode: 500,
    });
  });

  it('runs a tool with reasoning over two turns', async () => {
    const reasoningContent = { reasoningText: { text: 'Ask the tool.', signature: 'signed' } };
    const toolUse = { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Cusco' } };
    fake.reply(
      { ...TEXT, content: [{ reasoningContent }, { toolUse }], stopReason: 'tool_use' },
      TEXT,
    );
    const toolSpec = { name: 'weather', inputSchema: { json: { type: 'object' } } };
    const input: Partial<ConverseCommandInput> = {
      toolConfig: { tools: [{ toolSpec }], toolChoice: { auto: {} } },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      inferenceConfig: { maxTokens: 2_000 },
    };
    const asked = { role: 'user' as const, content: [{ text: 'Weather?' }] };
    const first = await converse({ ...input, messages: [asked] });
    const answer = first.output?.message ?? { role: 'assistant', content: [] };
    const toolResult = { toolUseId: 'tooluse_1', content: [{ text: 'sun' }] };
    const result = { role: 'user' as const, content: [{ toolResult }] };
    await expect(converse({ ...input, messages: [asked, answer, result] })).resolves.toMatchObject({
      stopReason: 'end_turn',
    });

    const forged = { reasoningText: { text: 'Ask another.', signature: 'signed' } };
    const changed = { ...answer, content: [{ reasoningContent: forged }, { toolUse }] };
    const signature = await errorOf(converse({ ...input, messages: [asked, changed, result] }));
    expect(signature.message).toContain('Invalid `signature`');
    const bare = { ...answer, content: [{ toolUse }] };
    const unreasoned = await errorOf(converse({ ...input, messages: [asked, bare, result] }));
    expect(unreasoned.message).toContain('Expected `thinking`');
    const unanswered = await errorOf(converse({ ...input, messages: [asked, answer] }));
    expect(unanswered.message).toContain('Expected toolResult blocks');
    const { toolConfig: _toolConfig, ...rest } = input;
    const bound = await errorOf(converse({ ...rest, messages: [asked, answer, result] }));
    expect(bound.message).toContain('toolConfig field must be defined');
  });

  it.each<[string, Partial<ConverseCommandInput>, string]>([
    [
      'two messages of one role',
      {
        messages: [
          { role: 'user', content: [{ text: 'a' }] },
          { role: 'user', content: [{ text: 'b' }] },
        ],
      },
      'must alternate',
    ],
    [
      'a conversation that begins with the assistant',
      { messages: [{ role: 'assistant', content: [{ text: 'a' }] }] },
      'must start with a user message',
    ],
    ['a blank text', { messages: [{ role: 'user', content: [{ text: ' ' }] }] }, 'is blank'],
    ['a temperature above 1', { inferenceConfig: { temperature: 1.5 } }, 'temperature'],
    ['another model', { modelId: 'us.anthropic.claude-opus-5-5' }, 'model identifier is invalid'],
  ])('refuses %s', async (_, input, message) => {
    const error = await errorOf(converse(input));
    expect(error.name).toBe('ValidationException');
    expect(error.message).toContain(message);
  });

  it.each<[string, BedrockRuntimeClientConfig, string]>([
    [
      'a wrong secret',
      { credentials: { ...CREDENTIALS, secretAccessKey: 'x' } },
      'InvalidSignature',
    ],
    ['a wrong key', { credentials: { ...CREDENTIALS, accessKeyId: 'x' } }, 'UnrecognizedClient'],
    [
      'no session',
      { credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' } },
      'Unrec',
    ],
    ['another region', { region: 'us-east-1' }, 'InvalidSignature'],
    ['an old signature', { systemClockOffset: -600_000 }, 'InvalidSignature'],
  ])('refuses %s', async (_, config, name) => {
    const error = await errorOf(converse({}, clientOf(config)));
    expect(error.name).toContain(name);
    expect(error.$metadata.httpStatusCode).toBe(403);
  });

  it('counts tokens', async () => {
    const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
    const command = new CountTokensCommand({ modelId: MODEL, input: { converse: { messages } } });
    const { inputTokens } = await clientOf().send(command);
    expect(inputTokens).toBeGreaterThan(0);
  });

  it('throttles', async () => {
    fake.reply(awsError('ThrottlingException', 'Too many tokens, please wait.'));
    await expect(errorOf(converse())).resolves.toMatchObject({ name: 'ThrottlingException' });
  });
});
