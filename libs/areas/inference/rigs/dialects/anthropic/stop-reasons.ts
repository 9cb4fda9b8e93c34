/**
 * Why an answer ended, in OpenAI's words. `pause_turn` and `compaction` come with tools of the
 * provider only; the caller continues such a turn.
 */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  compaction: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export const finishReasonOf = (reason: unknown): string =>
  (typeof reason === 'string' && Object.hasOwn(FINISH_REASONS, reason)
    ? FINISH_REASONS[reason]
    : undefined) ?? 'stop';
