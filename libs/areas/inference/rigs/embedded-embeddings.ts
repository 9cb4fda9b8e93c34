import { type Usage } from '#platform/chats/chat-usage.js';
import { RigError } from './chat-backend.js';
import { countedInputTokens } from './embedding-answer.js';
import { type EmbeddingBackend, type EmbeddingRequest } from './embedding-backend.js';
import { isObject } from './token-usage.js';

export interface EmbeddingEngineRequest {
  /** Absolute path of the model. */
  readonly modelFile: string;
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions: number | null;
}

export interface EngineEmbeddings {
  /** 32-bit floats, little-endian, in base64. */
  readonly vectors: readonly string[];
  readonly promptTokens: number;
}

/**
 * The port to embedding models, in this process or on workers. An error has a `code`; one that
 * names an input begins its message with `input[i]: `.
 */
export interface EmbeddingEngine {
  /** @param onProgress gets the tokens of the inputs that are done */
  embed(
    request: EmbeddingEngineRequest,
    signal: AbortSignal,
    onProgress: (promptTokens: number) => void,
  ): Promise<EngineEmbeddings>;
}

export interface EmbeddedEmbeddingsOptions {
  /** For messages. */
  readonly name: string;
  readonly engine: EmbeddingEngine;
  /** The file of each model, by the id in the body. */
  readonly files: ReadonlyMap<string, string>;
}

/** The fields that an embedded model accepts; `user` has no effect on it. */
const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'dimensions',
  'encoding_format',
  'user',
]);

/** Embedding models of this machine or of workers, in the shapes of the OpenAI API. */
export const createEmbeddedEmbeddings = (options: EmbeddedEmbeddingsOptions): EmbeddingBackend => ({
  async embed(request, signal) {
    const { name, engine } = options;
    const { body } = request;
    const asked = engineRequestOf(options, request);
    let done = 0;
    try {
      const { vectors, promptTokens } = await engine.embed(asked, signal, (now) => (done = now));
      const usage: Usage = { promptTokens, completionTokens: 0, source: 'provider' };
      return { vectors, modelAnswered: String(body['model']), usage };
    } catch (cause) {
      if (!signal.aborted) throw failureOf(name, cause, body.input.length === 1);
      const used: Usage = { ...countedInputTokens(request), promptTokens: done };
      const details = done > 0 ? { cause, used } : { cause };
      throw new RigError('cancelled', `rig ${name} was cancelled`, details);
    }
  },
});

const engineRequestOf = (
  { name, files }: EmbeddedEmbeddingsOptions,
  { body }: EmbeddingRequest,
): EmbeddingEngineRequest => {
  const param = Object.keys(body).find((field) => !FIELDS.has(field) && body[field] != null);
  if (param !== undefined) {
    throw refused(
      name,
      `'${param}' is not supported by this model`,
      param,
      'unsupported_parameter',
    );
  }
  const modelFile = files.get(String(body['model']));
  if (modelFile === undefined)
    throw new Error(`rig ${name} has no file for ${String(body['model'])}`);
  const dimensions = typeof body['dimensions'] === 'number' ? body['dimensions'] : null;
  return { modelFile, inputs: body.input, dimensions };
};

const refused = (rig: string, message: string, param: string, code: string): RigError =>
  new RigError('refused', `rig ${rig}: ${message}`, {
    status: 400,
    upstreamError: { message, type: 'invalid_request_error', param, code },
  });

const INPUT = /^input\[\d+\]/;

/** @param isOnly there is one input, and its caller may have sent it without a list */
const inputFault = (rig: string, text: string, code: string, isOnly: boolean): RigError => {
  const message = isOnly ? text.replace(INPUT, 'input') : text;
  return refused(rig, message, /^input(\[\d+\])?/.exec(message)?.[0] ?? 'input', code);
};

const failureOf = (rig: string, cause: unknown, isOnly: boolean): RigError => {
  if (cause instanceof RigError) return cause;
  const code = isObject(cause) ? cause['code'] : undefined;
  const text = cause instanceof Error ? cause.message : String(cause);
  switch (code) {
    case 'input_too_long':
      return inputFault(rig, text, 'context_length_exceeded', isOnly);
    case 'input_unreadable':
    case 'tokens_invalid':
      return inputFault(rig, text, code, isOnly);
    case 'task_too_large': {
      const message = 'input: it is too long for a message to a worker';
      return inputFault(rig, message, 'context_length_exceeded', isOnly);
    }
    case 'dimensions_unsupported':
      return refused(rig, `dimensions: ${text}`, 'dimensions', code);
    case 'busy':
      return new RigError('overloaded', `rig ${rig} is busy`, { cause });
    case 'no_worker':
    case 'worker_lost':
      return new RigError('unreachable', `rig ${rig} has no worker at hand`, { cause });
    case 'model_file_missing':
    case 'model_file_invalid':
      return unusableFile(rig, cause);
    default:
      return new RigError('failed', `rig ${rig} failed`, { cause });
  }
};

/** `refused`, not `failed`: one invalid file must not block the rig's other models. */
const unusableFile = (rig: string, cause: unknown): RigError => {
  const message = 'the file of this model cannot be used; the log of the gateway says why';
  const upstreamError = { message, type: 'server_error', param: 'model', code: 'model_unusable' };
  return new RigError('refused', `rig ${rig}: ${message}`, { status: 503, upstreamError, cause });
};
