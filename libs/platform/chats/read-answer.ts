/** A chat's answer as other interfaces show it. A rig wrote it, so every field is checked. */
export interface ReadAnswer {
  readonly choices: readonly ReadChoice[];
  /** As the rig states it; undefined where it states none. */
  readonly usage: Fields | undefined;
  readonly systemFingerprint: string | undefined;
  readonly routingMode: string;
  readonly model: string;
  /** The descriptions of the pictures of the chat; undefined where none was described. */
  readonly describedImages: readonly Fields[] | undefined;
}

/** A choice of a whole answer, or the part of it in one chunk. */
export interface ReadChoice {
  readonly index: number;
  readonly text: string;
  /** Why the model declines to answer; empty where it does not. */
  readonly declined: string;
  readonly toolCalls: readonly ReadToolCall[];
  /** Null until the choice has ended. */
  readonly finishReason: string | null;
  /** The text of a stop sequence, which some servers state. */
  readonly stopText: string | null;
  readonly logprobs: Fields | null;
}

export interface ReadToolCall {
  /** The position among the calls of the choice. */
  readonly index: number;
  /** Empty in all but the first chunk of a call, as the name is. */
  readonly id: string;
  readonly name: string;
  /** JSON, or the next part of it. */
  readonly arguments: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param json an answer or a chunk, as `ChatReply` and `ChatStream` have it */
export const readAnswer = (json: string): ReadAnswer => readCompletion(JSON.parse(json));

/** @param completion an answer or a chunk of a rig */
export const readCompletion = (completion: unknown): ReadAnswer => {
  const answer = fieldsOf(completion);
  const { usage, system_fingerprint: fingerprint, described_images: described } = answer;
  return {
    choices: listOf(answer['choices']).map(choiceOf),
    usage: isFields(usage) ? usage : undefined,
    systemFingerprint: typeof fingerprint === 'string' ? fingerprint : undefined,
    routingMode: textOf(answer['routing_mode']),
    model: textOf(answer['model']),
    describedImages: described === undefined ? undefined : listOf(described),
  };
};

const choiceOf = (choice: Fields, n: number): ReadChoice => {
  const { message, delta, finish_reason: reason, stop_reason: stop, logprobs } = choice;
  const said = fieldsOf(message ?? delta);
  return {
    index: indexOf(choice, n),
    text: textOf(said['content']),
    declined: textOf(said['refusal']),
    toolCalls: listOf(said['tool_calls']).map(toolCallOf),
    finishReason: typeof reason === 'string' ? reason : null,
    stopText: typeof stop === 'string' ? stop : null,
    logprobs: isFields(logprobs) ? logprobs : null,
  };
};

const toolCallOf = (call: Fields, n: number): ReadToolCall => {
  const called = fieldsOf(call['function']);
  return {
    index: indexOf(call, n),
    id: textOf(call['id']),
    name: textOf(called['name']),
    arguments: textOf(called['arguments']),
  };
};

const indexOf = ({ index }: Fields, n: number): number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : n;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];
