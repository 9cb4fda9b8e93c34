import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatRequest, type CountingBackend, RigError } from './chat-backend.js';
import { EmbeddedAnswer } from './embedded-answer.js';
import { type TextRequest, textRequestOf } from './embedded-request.js';
import { type TextAdapter } from './text-adapter.js';
import { type TextDelta } from './text-delta.js';
import { type TextEnd } from '../text/text-task.js';
import { isObject } from './token-usage.js';

/**
 * The port to a language model, in this process or on workers. The signal makes it stop, and either
 * return or throw. The codes `busy`, `prompt_too_long`, `{model,adapter}_file_{missing,invalid}`
 * are not faults of the engine; `no_worker` and `worker_lost` mean that no worker was available.
 */
export interface TextEngine {
  /** Yields the text of one choice and returns its usage. */
  stream(request: TextRequest, signal: AbortSignal): AsyncGenerator<string, TextEnd>;
  /** Yields the pieces of all choices, each in order, and returns the usage of all of them. */
  choices(request: TextRequest, signal: AbortSignal): AsyncGenerator<TextDelta, TextEnd>;
}

export interface EmbeddedRigOptions {
  /** For messages. */
  readonly name: string;
  readonly engine: TextEngine;
  /** Absolute path of the GGUF file. */
  readonly modelFile: string;
  /** As in a request. */
  readonly lendsModel?: boolean;
  /** An adapter on the weights of the model, for every request. */
  readonly adapter?: TextAdapter;
  readonly clock?: Clock;
}

/** A model in this process, in the shapes of the OpenAI API. */
export const createEmbeddedRig = (options: EmbeddedRigOptions): CountingBackend => {
  const { name, engine, modelFile, lendsModel = false, adapter } = options;
  const textRequest = ({ body, isBatch }: ChatRequest): TextRequest => ({
    ...textRequestOf(name, modelFile, body),
    ...(isBatch && { priority: 'batch' }),
    ...(lendsModel && { lendsModel }),
    ...(adapter && { adapter }),
  });
  const { clock = systemClock } = options;
  const answerTo = (request: ChatRequest): EmbeddedAnswer =>
    new EmbeddedAnswer(request, Math.floor(clock.now() / 1000));
  return {
    async complete(request, signal) {
      const answer = answerTo(request);
      const pieces = engine.choices(textRequest(request), signal);
      try {
        let piece = await pieces.next();
        for (; !piece.done; piece = await pieces.next()) answer.gather(piece.value);
        signal.throwIfAborted();
        const usage = usageOf(piece.value);
        return { completion: answer.completion(usage, piece.value.adapterSwapMs), usage };
      } catch (cause) {
        throw failureOf(name, answer, cause, signal);
      } finally {
        await pieces.return(NOTHING);
      }
    },

    async *stream(request, signal) {
      const answer = answerTo(request);
      const pieces = engine.choices(textRequest(request), signal);
      try {
        let piece = await pieces.next();
        for (; !piece.done; piece = await pieces.next()) {
          // A piece that came with the abort was in flight: it is handed out and charged.
          yield answer.page(piece.value);
          signal.throwIfAborted();
        }
        if (!answer.started) signal.throwIfAborted();
        const usage = usageOf(piece.value);
        const last = signal.aborted ? [] : answer.usagePage(usage);
        if (last.length > 0) yield last;
        return usage;
      } catch (cause) {
        if (signal.aborted && answer.started) return answer.used();
        throw failureOf(name, answer, cause, signal);
      } finally {
        await pieces.return(NOTHING);
      }
    },

    async count(request, signal) {
      const asked = { ...textRequest(request), maxTokens: 0 };
      const pieces = engine.choices(asked, signal);
      try {
        let piece = await pieces.next();
        while (!piece.done) piece = await pieces.next();
        signal.throwIfAborted();
        return piece.value.promptTokens;
      } catch (cause) {
        throw failureOf(name, answerTo(request), cause, signal);
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

const failureOf = (
  rig: string,
  answer: EmbeddedAnswer,
  cause: unknown,
  signal: AbortSignal,
): RigError => {
  if (cause instanceof RigError) return cause;
  if (signal.aborted) {
    const used = answer.isAccepted ? { used: answer.used() } : {};
    return new RigError('cancelled', `rig ${rig} was cancelled`, { cause, ...used });
  }
  if (!answer.started) return failureBeforeOutput(rig, cause);
  return new RigError('broken-off', `rig ${rig} failed midway`, { cause, used: answer.used() });
};

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
