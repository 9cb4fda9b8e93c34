import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type ChatBackend, type ChatChunk, type ChatRequest } from './chat-backend.js';
import { type JsonObject, RigError, type Usage } from './chat-backend.js';
import { type TextAdapter, type TextRequest, textRequestOf } from './embedded-request.js';
import { type TextEnd } from '../text/text-task.js';
import { countedPromptTokens, isObject, usageObject } from './token-usage.js';

/**
 * The port to a language model, in this process or on workers. It yields pieces of text that never
 * split a character, and returns its usage. The signal makes it stop, and either return or throw.
 * The codes `busy`, `prompt_too_long`, `{model,adapter}_file_{missing,invalid}` are not faults of
 * the engine; `no_worker` and `worker_lost` mean that no worker was available.
 */
export interface TextEngine {
  stream(request: TextRequest, signal: AbortSignal): AsyncGenerator<string, TextEnd>;
}

export interface EmbeddedRigOptions {
  /** For messages. */
  readonly name: string;
  readonly engine: TextEngine;
  /** Absolute path of the GGUF file. */
  readonly modelFile: string;
  /** An adapter on the weights of the model, for every request. */
  readonly adapter?: TextAdapter;
  readonly clock?: Clock;
}

/** A model in this process, in the shapes of the OpenAI API. */
export const createEmbeddedRig = (options: EmbeddedRigOptions): ChatBackend => {
  const { name, engine, modelFile, adapter } = options;
  const textRequest = ({ body, isBatch }: ChatRequest): TextRequest => ({
    ...textRequestOf(name, modelFile, body),
    ...(isBatch && { priority: 'batch' }),
    ...(adapter && { adapter }),
  });
  return {
    async complete(request, signal) {
      const generation = new Generation(options, request);
      const pieces = engine.stream(textRequest(request), signal);
      try {
        let content = '';
        let piece = await pieces.next();
        for (; !piece.done; piece = await pieces.next()) {
          generation.isAccepted = true;
          content += piece.value;
        }
        signal.throwIfAborted();
        const usage = usageOf(piece.value);
        return { completion: generation.completion(content, piece.value, usage), usage };
      } catch (cause) {
        throw generation.failure(cause, signal);
      } finally {
        await pieces.return(NOTHING);
      }
    },

    async *stream(request, signal) {
      const generation = new Generation(options, request);
      const pieces = engine.stream(textRequest(request), signal);
      try {
        let piece = await pieces.next();
        for (; !piece.done; piece = await pieces.next()) {
          // A piece that came with the abort was in flight: it is handed out and charged.
          yield generation.page(piece.value);
          signal.throwIfAborted();
        }
        if (!generation.started) signal.throwIfAborted();
        const usage = usageOf(piece.value);
        if (!signal.aborted) yield generation.lastPage(piece.value, usage);
        return usage;
      } catch (cause) {
        if (signal.aborted && generation.started) return generation.used();
        throw generation.failure(cause, signal);
      } finally {
        await pieces.return(NOTHING);
      }
    },

    // The engine is shared: other rigs run on it.
    close: () => Promise.resolve(),
  };
};

const NOTHING: TextEnd = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };

const usageOf = ({ promptTokens, completionTokens }: TextEnd): Usage => ({
  promptTokens,
  completionTokens,
  source: 'provider',
});

/** One answer: its id, its shapes and its delivered pieces. */
class Generation {
  private readonly id = `chatcmpl-${randomUUID().replaceAll('-', '')}`;
  private readonly created: number;
  private readonly usageAsked: boolean;
  private pieces = 0;
  started = false;
  /** The engine has read the prompt: its first piece has come. */
  isAccepted = false;

  constructor(
    private readonly options: EmbeddedRigOptions,
    private readonly request: ChatRequest,
  ) {
    const { clock = systemClock } = options;
    this.created = Math.floor(clock.now() / 1000);
    const asked = request.body['stream_options'];
    this.usageAsked = isObject(asked) && asked['include_usage'] === true;
  }

  completion(content: string, { finishReason, adapterSwapMs }: TextEnd, usage: Usage): JsonObject {
    const message = { role: 'assistant', content, refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
    const answer = {
      ...this.head('chat.completion'),
      choices: [choice],
      usage: usageObject(usage),
    };
    return adapterSwapMs === undefined ? answer : { ...answer, adapter_swap_ms: adapterSwapMs };
  }

  page(content: string): readonly ChatChunk[] {
    const page = [...this.opening(), this.chunk({ content })];
    this.pieces += 1;
    return page;
  }

  lastPage({ finishReason }: TextEnd, usage: Usage): readonly ChatChunk[] {
    const page = [...this.opening(), this.chunk({}, finishReason)];
    if (!this.usageAsked) return page;
    const head = this.head('chat.completion.chunk');
    return [...page, { ...head, choices: [], usage: usageObject(usage) }];
  }

  /** For an engine that reports no usage: each piece has at least one token. */
  used(): Usage {
    const { body, promptTokensMax } = this.request;
    return {
      promptTokens: countedPromptTokens(body, promptTokensMax),
      completionTokens: this.pieces,
      source: 'counted',
    };
  }

  failure(cause: unknown, signal: AbortSignal): RigError {
    const { name } = this.options;
    if (cause instanceof RigError) return cause;
    if (signal.aborted) {
      const used = this.isAccepted ? { used: this.used() } : {};
      return new RigError('cancelled', `rig ${name} was cancelled`, { cause, ...used });
    }
    if (!this.started) return failureBeforeOutput(name, cause);
    const used = this.used();
    return new RigError('broken-off', `rig ${name} failed midway`, { cause, used });
  }

  /** The role is sent with the first piece: before that, another rig may still answer. */
  private opening(): readonly ChatChunk[] {
    if (this.started) return [];
    this.started = true;
    return [this.chunk({ role: 'assistant', content: '' })];
  }

  private chunk(delta: JsonObject, finishReason: string | null = null): ChatChunk {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
    const head = this.head('chat.completion.chunk');
    // With `include_usage`, the field is in every chunk and null until the last.
    return this.usageAsked
      ? { ...head, choices: [choice], usage: null }
      : { ...head, choices: [choice] };
  }

  private head(object: string): JsonObject {
    return { id: this.id, object, created: this.created, model: this.request.body['model'] };
  }
}

const UNUSABLE_FILES: ReadonlySet<string> = new Set([
  'model_file_missing',
  'model_file_invalid',
  'adapter_file_missing',
  'adapter_file_invalid',
]);

const failureBeforeOutput = (rig: string, cause: unknown): RigError => {
  const code = isObject(cause) ? cause['code'] : undefined;
  if (code === 'busy') return new RigError('overloaded', `rig ${rig} is busy`, { cause });
  if (code === 'prompt_too_long') {
    const message = cause instanceof Error ? cause.message : 'the prompt is too long';
    const upstreamError = {
      message,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    };
    return new RigError('refused', `rig ${rig}: ${message}`, { status: 400, upstreamError, cause });
  }
  if (typeof code === 'string' && UNUSABLE_FILES.has(code)) return unusableFile(rig, cause);
  if (code === 'no_worker' || code === 'worker_lost') {
    return new RigError('unreachable', `rig ${rig} has no worker at hand`, { cause });
  }
  return new RigError('failed', `rig ${rig} failed`, { cause });
};

/** `refused`, not `failed`: one invalid file must not block the rig's other models. */
const unusableFile = (rig: string, cause: unknown): RigError => {
  const message = 'the file of this model cannot be used; the log of the gateway says why';
  const upstreamError = { message, type: 'server_error', param: 'model', code: 'model_unusable' };
  return new RigError('refused', `rig ${rig}: ${message}`, { status: 503, upstreamError, cause });
};
