import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { cachedTokens, type Usage, writtenTokens } from '#platform/chats/chat-usage.js';
import { type Fields } from '#platform/chats/read-answer.js';
import { type HostedWork } from './hosted-work.js';
import { incompleteReason, type OutputItem } from './output-items.js';
import { type ResponseBody } from './response-body.js';

/** The facts that all objects of one response share. */
export interface ResponseFacts extends HostedWork {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly body: ResponseBody;
  readonly routingMode: string;
}

export type ResponseEnd =
  | { readonly status: 'queued' | 'in_progress' }
  | {
      readonly status: 'ended';
      readonly completedAt: number;
      readonly finishReason: string | null;
      readonly usage: Usage;
      readonly describedImages?: readonly Fields[] | undefined;
    }
  | {
      readonly status: 'failed';
      readonly error: { readonly code: string; readonly message: string };
    };

export interface ResponseObject extends Fields {
  readonly output: readonly OutputItem[];
}

/** The object of a response. `store` says whether it can be retrieved. */
export const responseObject = (
  facts: ResponseFacts,
  output: readonly OutputItem[],
  end: ResponseEnd,
): ResponseObject => {
  const { id, createdAt, body, routingMode } = facts;
  const { text, reasoning } = body;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    ...endOf(end),
    background: body.background === true,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: body.model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: null },
    routing_mode: routingMode,
    safety_identifier: body.safety_identifier ?? null,
    service_tier: (end.status === 'ended' ? end.usage.serviceTier : undefined) ?? 'default',
    store: end.status !== 'failed' && body.store !== false,
    temperature: body.temperature ?? TEMPERATURE_DEFAULT,
    text: { format: text?.format ?? { type: 'text' }, verbosity: text?.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    user: body.user ?? null,
    metadata: body.metadata ?? {},
    ...(end.status === 'ended' && end.describedImages && { described_images: end.describedImages }),
  };
};

const endOf = (end: ResponseEnd): Fields => {
  const open = { error: null, incomplete_details: null, completed_at: null, usage: null };
  switch (end.status) {
    case 'queued':
    case 'in_progress':
      return { ...open, status: end.status };
    case 'failed':
      return { ...open, status: 'failed', error: end.error };
    case 'ended': {
      const reason = incompleteReason(end.finishReason);
      return {
        ...open,
        status: reason === null ? 'completed' : 'incomplete',
        incomplete_details: reason && { reason },
        completed_at: end.completedAt,
        usage: usageOf(end.usage),
      };
    }
  }
};

/** A class that was not measured is null. */
const usageOf = ({ promptTokens, completionTokens, parts = {} }: Usage) => ({
  input_tokens: promptTokens,
  input_tokens_details: {
    cached_tokens: cachedTokens(parts) ?? null,
    cache_write_tokens: writtenTokens(parts) ?? null,
  },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: parts.reasoning_tokens ?? null },
  total_tokens: promptTokens + completionTokens,
});
