import { bearer, keyCredential } from './dialects/credentials.js';
import { openAiDialect, type OpenAiDialectOptions } from './dialects/openai/openai.dialect.js';
import { type RigBackend } from './embedding-backend.js';
import { createHttpRig, type HttpRigOptions } from './http-rig.js';

export interface OpenAiRigOptions
  extends Omit<HttpRigOptions, 'dialect' | 'credentials'>, OpenAiDialectOptions {
  readonly apiKey?: string;
}

/** An OpenAI-compatible server. */
export const createOpenAiRig = ({ apiKey: key, ...options }: OpenAiRigOptions): RigBackend =>
  createHttpRig({
    ...options,
    dialect: openAiDialect(options),
    credentials: key === undefined ? [] : [keyCredential(options.name, { key }, bearer)],
  });
