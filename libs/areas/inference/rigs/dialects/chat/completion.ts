import { randomUUID } from 'node:crypto';
import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest, type JsonObject } from '../../chat-backend.js';
import { countedAnswer, countedPrompt } from '../../counted-usage.js';
import { deltasOf } from '../../token-usage.js';
import { type StreamPiece } from '../dialect.js';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** The content of an answer, or of a piece of one. */
export interface Said {
  readonly text?: string | undefined;
  readonly calls?: readonly SaidCall[];
  /** The thoughts of the model as a text. */
  readonly reasoning?: string | undefined;
  /** The thoughts of Claude, which it wants back as they are. */
  readonly thoughts?: readonly JsonObject[];
  /** The signature of Gemini, which it wants back beside the text. */
  readonly signature?: string | undefined;
  /** Why the provider declines to answer. */
  readonly declined?: string;
}

/** A call, or a piece of one in a stream. */
export interface SaidCall {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
  /** The signature of Gemini, which it wants back beside the call. */
  readonly signature?: string;
}

export interface Choice {
  readonly index: number;
  readonly said: Said;
  readonly finishReason: FinishReason | null;
  /** In OpenAI's shape. Absent: the provider states none. */
  readonly logprobs?: JsonObject;
}

/** The head of an answer that a provider does not give in OpenAI's shape. */
export interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export const headOf = ({ body }: ChatRequest, stated: Partial<Head> = {}): Head => ({
  id: stated.id ?? `chatcmpl-${randomUUID()}`,
  created: Math.floor(Date.now() / 1_000),
  model: stated.model ?? String(body['model']),
});

/** A whole answer. Usage that the provider does not state is counted. */
export const answerOf = (
  head: Head,
  choices: readonly Choice[],
  usage: Usage | null,
  request: ChatRequest,
): ChatAnswer => {
  const completion: JsonObject = {
    ...head,
    object: 'chat.completion',
    choices: choices.map(({ index, said, finishReason, logprobs }) => ({
      index,
      message: { role: 'assistant', ...messageOf(said) },
      ...(logprobs && { logprobs }),
      finish_reason: finishReason,
    })),
  };
  if (!usage) return countedAnswer(completion, countedPrompt(request));
  const { serviceTier } = usage;
  return {
    completion: {
      ...completion,
      ...(serviceTier !== undefined && { service_tier: serviceTier }),
      usage: usageObject(usage),
    },
    usage,
  };
};

const messageOf = (said: Said): JsonObject => ({
  content: said.text ?? null,
  refusal: said.declined ?? null,
  ...(said.calls &&
    said.calls.length > 0 && {
      tool_calls: said.calls.map(({ id, name, arguments: json, signature }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
        ...extraOf(signature),
      })),
    }),
  ...thinkingOf(said),
});

const thinkingOf = ({ reasoning, thoughts = [], signature }: Said): JsonObject => ({
  ...(reasoning !== undefined && { reasoning_content: reasoning }),
  ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
  ...extraOf(signature),
});

/** Where Google's own interface of this shape has it. */
const extraOf = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** Writes the chunks of one stream. The first delta of a choice has its role. */
export class ChunkWriter {
  readonly #begun = new Set<number>();

  constructor(private readonly head: Head) {}

  /** One chunk for all choices, with the deltas that are counted where usage is missing. */
  piece(choices: readonly Choice[]): Pick<StreamPiece, 'chunks' | 'deltas' | 'isFinished'> {
    if (choices.length === 0) return { chunks: [] };
    const written = choices.map(({ index, said, finishReason, logprobs }) => ({
      index,
      delta: { ...this.#roleOf(index), ...deltaOf(said) },
      ...(logprobs && { logprobs }),
      finish_reason: finishReason,
    }));
    return {
      chunks: [{ ...this.head, object: 'chat.completion.chunk', choices: written }],
      deltas: deltasOf(written),
      isFinished: choices.some(({ finishReason }) => finishReason !== null),
    };
  }

  #roleOf(index: number): JsonObject {
    if (this.#begun.has(index)) return {};
    this.#begun.add(index);
    return { role: 'assistant' };
  }
}

const deltaOf = (said: Said): JsonObject => ({
  ...(said.text !== undefined && { content: said.text }),
  ...(said.declined !== undefined && { refusal: said.declined }),
  ...(said.calls &&
    said.calls.length > 0 && {
      tool_calls: said.calls.map(({ index, id, name, arguments: json, signature }) => ({
        index,
        ...(id !== undefined && { id, type: 'function' }),
        function: { ...(name !== undefined && { name }), arguments: json },
        ...extraOf(signature),
      })),
    }),
  ...thinkingOf(said),
});
