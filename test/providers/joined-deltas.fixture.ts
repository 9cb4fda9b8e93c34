import { type JsonObject } from '#areas/inference/rigs/chat-backend.js';

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly thinking_blocks?: readonly JsonObject[];
  readonly extra_content?: JsonObject;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
    readonly extra_content?: JsonObject;
  }[];
}

interface Streamed {
  readonly content: string;
  readonly finishReason: string | null;
  /** The message that a client would keep for the next turn. */
  readonly message: JsonObject;
}

/** What a client makes of the chunks of one choice. */
export const joinedDeltas = (chunks: readonly JsonObject[]): Streamed => {
  const choices = chunks.flatMap(
    (chunk) => chunk['choices'] as readonly { delta: Delta; finish_reason: string | null }[],
  );
  const calls = new Map<number, { id: string; name: string; json: string; extra: JsonObject }>();
  const thoughts: JsonObject[] = [];
  let extra: JsonObject = {};
  let [content, reasoning] = ['', ''];
  for (const { delta } of choices) {
    content += delta.content ?? '';
    reasoning += delta.reasoning_content ?? '';
    thoughts.push(...(delta.thinking_blocks ?? []));
    extra = { ...extra, ...delta.extra_content };
    for (const { index, id, function: called, extra_content } of delta.tool_calls ?? []) {
      const call = calls.get(index) ?? { id: '', name: '', json: '', extra: {} };
      calls.set(index, {
        id: call.id + (id ?? ''),
        name: call.name + (called.name ?? ''),
        json: call.json + called.arguments,
        extra: { ...call.extra, ...extra_content },
      });
    }
  }
  return {
    content,
    finishReason: choices.findLast((choice) => choice.finish_reason)?.finish_reason ?? null,
    message: {
      role: 'assistant',
      content: content === '' ? null : content,
      reasoning_content: reasoning,
      ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
      ...(Object.keys(extra).length > 0 && { extra_content: extra }),
      tool_calls: [...calls.values()].map(({ id, name, json, extra: own }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
        ...(Object.keys(own).length > 0 && { extra_content: own }),
      })),
    },
  };
};
