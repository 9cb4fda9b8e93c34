import { type z } from 'zod';
import {
  jsonAnswer,
  jsonOf,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderServer,
  readStrictly,
  Rejection,
  startProviderServer,
} from '../provider-server.js';
import { violationOf } from './converse.rules.js';
import {
  type ContentBlock,
  CONVERSE,
  type ConverseRequest,
  COUNT_TOKENS,
} from './converse.schema.js';
import { eventFrame } from './event-stream.fake.js';
import { type AwsCredentials, signatureFaultOf } from './sigv4.fake.js';

type Json = Readonly<Record<string, unknown>>;

/** One answer of a model. */
export interface ConverseReply {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string;
  readonly usage: Json;
  readonly serviceTier?: { readonly type: string };
  /** Instead of the rest of the stream, after this number of events. */
  readonly cut?: { readonly after: number; readonly by: Buffer };
  readonly ending?: ProviderAnswer['ending'];
}

export interface BedrockFake extends ProviderServer {
  /** The requests that were accepted, in order. */
  readonly accepted: readonly ConverseRequest[];
  /** Replaces the queue of answers; the last one answers all later requests. */
  reply(...replies: readonly (ConverseReply | Rejection)[]): void;
}

export interface BedrockOptions {
  readonly region: string;
  /** Ids and ARNs. */
  readonly models: readonly string[];
  readonly credentials: readonly AwsCredentials[];
  readonly bearerTokens?: readonly string[];
  readonly now?: () => number;
}

const STATUSES: Readonly<Record<string, number>> = {
  ValidationException: 400,
  ServiceQuotaExceededException: 400,
  AccessDeniedException: 403,
  InvalidSignatureException: 403,
  UnrecognizedClientException: 403,
  MissingAuthenticationTokenException: 403,
  IncompleteSignatureException: 403,
  ResourceNotFoundException: 404,
  ModelTimeoutException: 408,
  ModelErrorException: 424,
  ThrottlingException: 429,
  ModelNotReadyException: 429,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
};

/** The error of AWS's REST JSON protocol, whose code is in a header. */
export const awsError = (code: string, message: string, more: Json = {}): Rejection =>
  new Rejection(
    STATUSES[code] ?? 500,
    { message, ...more },
    {
      'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
      'x-amzn-requestid': 'request-1',
    },
  );

const invalid = (message: string): never => {
  throw awsError('ValidationException', message);
};

const eventsOf = ({ content, stopReason, usage, serviceTier }: ConverseReply): Buffer[] => [
  eventFrame('messageStart', { role: 'assistant' }),
  ...content.flatMap((block, contentBlockIndex) => [
    ...(block.toolUse ? [startOf(block.toolUse, contentBlockIndex)] : []),
    ...deltasOf(block).map((delta) =>
      eventFrame('contentBlockDelta', { contentBlockIndex, delta }),
    ),
    eventFrame('contentBlockStop', { contentBlockIndex }),
  ]),
  eventFrame('messageStop', { stopReason }),
  eventFrame('metadata', {
    usage,
    metrics: { latencyMs: 5 },
    ...(serviceTier && { serviceTier }),
  }),
];

/** Only a tool use has a start. */
const startOf = (
  { toolUseId, name }: NonNullable<ContentBlock['toolUse']>,
  contentBlockIndex: number,
): Buffer =>
  eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } });

const halvesOf = (text: string): readonly string[] => {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((part) => part !== '');
};

const deltasOf = ({ text, toolUse, reasoningContent }: ContentBlock): readonly Json[] => {
  if (text !== undefined) return halvesOf(text).map((part) => ({ text: part }));
  if (toolUse) {
    return halvesOf(JSON.stringify(toolUse.input)).map((input) => ({ toolUse: { input } }));
  }
  const { reasoningText, redactedContent } = reasoningContent ?? {};
  if (redactedContent !== undefined) return [{ reasoningContent: { redactedContent } }];
  if (!reasoningText) throw new Error('the fake does not stream such a block');
  const { signature } = reasoningText;
  return [
    ...halvesOf(reasoningText.text).map((part) => ({ reasoningContent: { text: part } })),
    ...(signature === undefined ? [] : [{ reasoningContent: { signature } }]),
  ];
};

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/;

/** The runtime of Amazon Bedrock in one region. */
export const startBedrock = async (options: BedrockOptions): Promise<BedrockFake> => {
  const { region, models, credentials, bearerTokens = [], now = Date.now } = options;
  const accepted: ConverseRequest[] = [];
  const signatures = new Set<string>();
  let queue: readonly (ConverseReply | Rejection)[] = [];

  const checkCaller = (request: ProviderRequest): void => {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) {
      if (bearerTokens.includes(bearer)) return;
      throw awsError('AccessDeniedException', 'Authentication failed: invalid API key.');
    }
    const scope = { region, service: 'bedrock' };
    const fault = signatureFaultOf(request, credentials, scope, now());
    if (fault) throw awsError(fault.code, fault.message);
  };

  const read = <Body>(schema: z.ZodType<Body>, request: ProviderRequest): Body =>
    readStrictly(
      schema,
      jsonOf(request, () => invalid('The request body is not JSON.')),
      ({ path, message }) => invalid(`Value at '/${path.join('/')}' is not valid: ${message}`),
    );

  const next = (): ConverseReply => {
    const [reply, ...later] = queue;
    if (!reply) throw new Error('no reply is queued');
    if (later.length > 0) queue = later;
    if (reply instanceof Rejection) throw reply;
    return reply;
  };

  const server = await startProviderServer((request) => {
    checkCaller(request);
    const [, encoded, operation] = PATH.exec(request.path) ?? [];
    if (request.method !== 'POST' || encoded === undefined) {
      throw awsError('ResourceNotFoundException', 'There is no such operation.');
    }
    const id = decodeURIComponent(encoded);
    if (!models.includes(id)) return invalid('The provided model identifier is invalid.');
    if (operation === 'count-tokens') {
      const text = JSON.stringify(read(COUNT_TOKENS, request));
      return jsonAnswer({ inputTokens: Math.ceil(text.length / 4) });
    }
    const body = read(CONVERSE, request);
    const violation = violationOf(body, { signatures });
    if (violation !== null) return invalid(violation);
    accepted.push(body);
    const reply = next();
    return operation === 'converse' ? wholeAnswer(reply) : streamAnswer(reply);
  });
  return {
    ...server,
    accepted,
    reply: (...replies) => {
      queue = replies;
      for (const reply of replies) {
        if (reply instanceof Rejection) continue;
        for (const { reasoningContent } of reply.content) {
          const { text, signature } = reasoningContent?.reasoningText ?? {};
          signatures.add(`${signature}\n${text}`);
        }
      }
    },
  };
};

const wholeAnswer = ({ content, stopReason, usage, serviceTier }: ConverseReply): ProviderAnswer =>
  jsonAnswer({
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage,
    metrics: { latencyMs: 5 },
    ...(serviceTier && { serviceTier }),
  });

const streamAnswer = (reply: ConverseReply): ProviderAnswer => {
  const { cut, ending = 'end' } = reply;
  const events = eventsOf(reply);
  return {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    pieces: cut ? [...events.slice(0, cut.after), cut.by] : events,
    ending,
  };
};
