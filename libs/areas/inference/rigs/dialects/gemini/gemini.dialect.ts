import { type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { statedTier } from '../stated-counts.js';
import { tierAsked } from '../chat/chat-fields.js';
import { type KeyHeaders } from '../credentials.js';
import { type Dialect, type ProviderRequest } from '../dialect.js';
import { geminiAnswer, geminiFailure, GeminiReader } from './gemini-answer.js';
import { geminiErrors } from './gemini-errors.js';
import { geminiBody } from './gemini-request.js';

/** Where a method of a model is, and how a service tier is asked for. */
interface GeminiPlace {
  readonly path: (model: string) => string;
  readonly request: (body: JsonObject, tier: string | undefined) => Omit<ProviderRequest, 'path'>;
}

const dialectOf = ({ path, request }: GeminiPlace): Dialect => ({
  chat: (chat: ChatRequest, isStream) => {
    const model = encodeURIComponent(String(chat.body['model']));
    const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const translated = geminiBody(chat.body);
    return { path: `${path(model)}:${method}`, ...request(translated, tierAsked(chat.body)) };
  },
  answer: geminiAnswer,
  failure: geminiFailure,
  reader: (chat) => new GeminiReader(chat),
  errors: geminiErrors,
  tierIn: ({ 'x-gemini-service-tier': tier }) => statedTier(tier),
});

export const geminiKey: KeyHeaders = (key) => ({ 'x-goog-api-key': key });

/** The Gemini API. */
export const geminiDialect = (): Dialect =>
  dialectOf({
    path: (model) => `/models/${model}`,
    request: (body, tier) => ({
      body: JSON.stringify(tier === undefined ? body : { ...body, serviceTier: tier }),
    }),
  });

export interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** Gemini on Vertex AI, which takes the tier in a header. */
export const vertexDialect = ({ project, location }: VertexPlace): Dialect =>
  dialectOf({
    path: (model) => `/projects/${project}/locations/${location}/publishers/google/models/${model}`,
    request: (body, tier) => ({
      body: JSON.stringify(body),
      ...(tier !== undefined && {
        headers: { 'x-vertex-ai-llm-shared-request-type': tier },
      }),
    }),
  });
