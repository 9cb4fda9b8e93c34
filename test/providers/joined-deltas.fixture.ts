import { type JsonObject } from '#areas/inference/rigs/chat-backend.js';

interface Delta {
  readonly content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly JsonObject[];
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
}

interface Streamed {
  readonly content: string;
  readonly finishReason: string | null;
  /** The message that a client would keep for the next turn. */
  readonly message: JsonObject;
}

/** What a client makes of the chunks of one choice. The details stay in pieces. */
export const joinedDeltas = (chunks: readonly JsonObject[]): Streamed => {
  const choices = chunks.flatMap(
    (chunk) => chunk['choices'] as readonly { delta: Delta; finish_reason: string | null }[],
  );
  const calls = new Map<number, { id: string; name: string; json: string }>();
  const details: JsonObject[] = [];
  let [content, reasoning] = ['', ''];
  for (const { delta } of choices) {
    content += delta.content ?? '';
    reasoning += delta.reasoning ?? '';
    details.push(...(delta.reasoning_details ?? []));
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const call = calls.get(index) ?? { id: '', name: '', json: '' };
      calls.set(index, {
        id: call.id + (id ?? ''),
        name: call.name + (called.name ?? ''),
        json: call.json + called.arguments,
      });
    }
  }
  return {
    content,
    finishReason: choices.findLast((choice) => choice.finish_reason)?.finish_reason ?? null,
    message: {
      role: 'assistant',
      content: content === '' ? null : content,
      reasoning,
      reasoning_details: details,
      tool_calls: [...calls.values()].map(({ id, name, json }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
      })),
    },
  };
};
