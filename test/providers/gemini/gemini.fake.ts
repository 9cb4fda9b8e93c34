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
import { violationOf } from './gemini.rules.js';
import {
  GEMINI_COUNT,
  GEMINI_REQUEST,
  type GenerateRequest,
  type Part,
  VERTEX_COUNT,
  VERTEX_REQUEST,
} from './gemini.schema.js';
import { type TokenEndpoint } from './token-endpoint.fake.js';

type Json = Readonly<Record<string, unknown>>;

/** One answer of the model: the chunks of its stream; a whole answer has them merged. */
export interface GeminiReply {
  readonly chunks: readonly Json[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly ending?: ProviderAnswer['ending'];
}

export interface GeminiFake extends ProviderServer {
  /** The requests that were accepted, in order. */
  readonly accepted: readonly GenerateRequest[];
  /** Replaces the queue of answers; the last one answers all later requests. */
  reply(...replies: readonly (GeminiReply | Rejection)[]): void;
}

/** The error of Google's APIs. */
export const googleError = (
  code: number,
  status: string,
  message: string,
  details: readonly Json[] = [],
): Rejection =>
  new Rejection(code, { error: { code, message, status, ...(details.length > 0 && { details }) } });

export const exhausted = (retryDelay: string): Rejection =>
  googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]);

const invalid = (message: string, details: readonly Json[] = []): never => {
  throw googleError(400, 'INVALID_ARGUMENT', message, details);
};

/** A stream of one chunk for each part; usage comes with each chunk and is cumulative. */
export const replyOf = (
  parts: readonly Part[],
  usageMetadata: Json,
  finishReason = 'STOP',
): GeminiReply => ({
  chunks: parts.map((part, n) => {
    const isLast = n === parts.length - 1;
    return chunkOf([part], isLast ? usageMetadata : firstUsageOf(usageMetadata), {
      ...(isLast && { finishReason }),
    });
  }),
});

const firstUsageOf = ({ promptTokenCount, cachedContentTokenCount }: Json): Json => ({
  promptTokenCount,
  ...(cachedContentTokenCount !== undefined && { cachedContentTokenCount }),
  totalTokenCount: promptTokenCount,
});

export const chunkOf = (
  parts: readonly Part[],
  usageMetadata: Json,
  candidate: Json = {},
): Json => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
  usageMetadata,
  modelVersion: 'gemini-3.8-flash-001',
  responseId: 'response-1',
});

interface Candidate {
  index?: number;
  content?: { role: string; parts: Part[] };
}

/** Merges candidates by their index; texts of one kind that follow each other become one part. */
const merged = (chunks: readonly Json[]): Json => {
  const candidates = new Map<number, Candidate>();
  for (const candidate of chunks.flatMap((chunk) => (chunk['candidates'] ?? []) as Candidate[])) {
    const { index = 0, content, ...rest } = candidate;
    const known = candidates.get(index);
    const parts = joined([...(known?.content?.parts ?? []), ...(content?.parts ?? [])]);
    candidates.set(index, { ...known, ...rest, index, content: { role: 'model', parts } });
  }
  return {
    ...Object.assign({}, ...chunks),
    ...(candidates.size > 0 && { candidates: [...candidates.values()] }),
  } as Json;
};

const joined = (parts: readonly Part[]): Part[] => {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.text === undefined || part.text === undefined || !continues(last, part)) {
      all.push(part);
    } else {
      all[all.length - 1] = { ...last, ...part, text: last.text + part.text };
    }
  }
  return all;
};

/** A signature ends its part. */
const continues = (last: Part, part: Part): boolean =>
  last.thought === part.thought && last.thoughtSignature === undefined;

/** Which models there are, and whether the calls of their history need signatures. */
export type GeminiModels = Readonly<Record<string, { readonly needsSignatures: boolean }>>;

/** Reads and answers the methods of a model. */
class Methods {
  readonly accepted: GenerateRequest[] = [];
  private replies: readonly (GeminiReply | Rejection)[] = [];
  private readonly signatures = new Set<string>();

  constructor(
    private readonly models: GeminiModels,
    private readonly schemas: { readonly generate: z.ZodType; readonly count: z.ZodType },
  ) {}

  reply(replies: readonly (GeminiReply | Rejection)[]): void {
    this.replies = replies;
    for (const reply of replies) {
      if (reply instanceof Rejection) continue;
      const json = JSON.stringify(reply.chunks);
      for (const [, signature] of json.matchAll(/"thoughtSignature":"([^"]+)"/g)) {
        this.signatures.add(signature as string);
      }
    }
  }

  answer(id: string, method: string, request: ProviderRequest): ProviderAnswer {
    const model = this.models[id];
    if (!model) {
      const message = `models/${id} is not found, or is not supported for ${method}.`;
      throw googleError(404, 'NOT_FOUND', message);
    }
    if (method === 'countTokens') return this.count(request);
    const body = this.read(this.schemas.generate, request) as GenerateRequest;
    const violation = violationOf(body, { ...model, signatures: this.signatures });
    if (violation !== null) return invalid(violation);
    this.accepted.push(body);
    const [reply, ...later] = this.replies;
    if (!reply) throw new Error('no reply is queued');
    if (later.length > 0) this.replies = later;
    if (reply instanceof Rejection) throw reply;
    const { chunks, headers = {}, ending = 'end' } = reply;
    if (method === 'generateContent') return jsonAnswer(merged(chunks), 200, headers);
    if (request.query.get('alt') !== 'sse') return jsonAnswer(chunks, 200, headers);
    return {
      headers: { 'content-type': 'text/event-stream', ...headers },
      pieces: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
      ending,
    };
  }

  /** A token for four bytes of the text, which is the rule of thumb that Google states. */
  private count(request: ProviderRequest): ProviderAnswer {
    const body = this.read(this.schemas.count, request);
    const bytes = [...JSON.stringify(body).matchAll(/"text":"([^"]*)"/g)]
      .map(([, text = '']) => Buffer.byteLength(text))
      .reduce((sum, length) => sum + length, 0);
    return jsonAnswer({ totalTokens: Math.ceil(bytes / 4) });
  }

  private read(schema: z.ZodType, request: ProviderRequest): unknown {
    const json = jsonOf(request, () => invalid('Invalid JSON payload received.'));
    return readStrictly(schema, json, ({ path, message, code, ...issue }) => {
      const at = path.join('.');
      const { keys = [] } = issue as { keys?: readonly string[] };
      const description =
        code === 'unrecognized_keys'
          ? `Unknown name "${keys[0]}" at '${at}': Cannot find field.`
          : `Invalid value at '${at}': ${message}`;
      return invalid(description, [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: at, description }],
        },
      ]);
    });
  }
}

const fakeOf = async (
  methods: Methods,
  answer: (request: ProviderRequest) => ProviderAnswer,
): Promise<GeminiFake> => ({
  ...(await startProviderServer(answer)),
  accepted: methods.accepted,
  reply: (...replies) => {
    methods.reply(replies);
  },
});

const METHODS = 'generateContent|streamGenerateContent|countTokens';
const GEMINI_PATH = new RegExp(`^/v1(?:beta)?/models/([^/:]+):(${METHODS})$`);

/** The Gemini API, which knows its callers by a key. */
export const startGemini = (
  models: GeminiModels,
  apiKeys: readonly string[],
): Promise<GeminiFake> => {
  const methods = new Methods(models, { generate: GEMINI_REQUEST, count: GEMINI_COUNT });
  return fakeOf(methods, (request) => {
    const { method, path, headers, query } = request;
    const key = headers['x-goog-api-key'] ?? query.get('key');
    if (key === null) {
      const message = "Method doesn't allow unregistered callers.";
      throw googleError(403, 'PERMISSION_DENIED', message);
    }
    if (!apiKeys.includes(String(key))) {
      return invalid('API key not valid. Please pass a valid API key.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ]);
    }
    const [, id, name] = GEMINI_PATH.exec(path) ?? [];
    if (method !== 'POST' || id === undefined || name === undefined) {
      throw googleError(404, 'NOT_FOUND', `${method} ${path}`);
    }
    return methods.answer(id, name, request);
  });
};

export interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** Vertex AI, which knows its callers by the access token of a service account. */
export const startVertex = (
  models: GeminiModels,
  { project, location }: VertexPlace,
  tokens: Pick<TokenEndpoint, 'isValid'>,
): Promise<GeminiFake> => {
  const methods = new Methods(models, { generate: VERTEX_REQUEST, count: VERTEX_COUNT });
  const place = `/v1(?:beta1)?/projects/${project}/locations/${location}`;
  const pattern = new RegExp(`^${place}/publishers/google/models/([^/:]+):(${METHODS})$`);
  return fakeOf(methods, (request) => {
    const { method, path, headers } = request;
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || !tokens.isValid(token)) {
      const message =
        'Request had invalid authentication credentials. Expected OAuth 2 access token.';
      throw googleError(401, 'UNAUTHENTICATED', message, [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_INVALID' },
      ]);
    }
    const [, id, name] = pattern.exec(path) ?? [];
    if (method !== 'POST' || id === undefined || name === undefined) {
      const message = `Permission denied on resource ${path} (or it may not exist).`;
      throw googleError(403, 'PERMISSION_DENIED', message);
    }
    return methods.answer(id, name, request);
  });
};
