import { cachedTokens, type Usage, writtenTokens } from '#platform/chats/chat-usage.js';
import {
  type Fields,
  isFields,
  type ReadAnswer,
  readAnswer,
  type ReadChoice,
} from '#platform/chats/read-answer.js';
import { anthropicEnvelope, type Failure } from '../errors/envelope.js';
import {
  type AnswerFormat,
  originalFormat,
  type StreamFormat,
} from '../inference/answer-format.js';
import { namedEvent } from '../sse/sse.js';
import { BlockEvents } from './block-events.js';

export interface MessageFacts {
  readonly requestId: string;
  readonly model: string;
  readonly stopSequences: readonly string[];
}

/** Writes the answer of a chat as a message of Anthropic. */
export const messageFormat = (facts: MessageFacts): AnswerFormat => ({
  form: 'message',
  whole: ({ text, usage }) => {
    const { choices, describedImages } = readAnswer(text);
    const choice = choices.find(({ index }) => index === 0);
    const content = choice ? contentOf(choice, facts) : [];
    const message = messageOf(facts, content, stopOf(facts, choice ?? null), usage);
    return JSON.stringify({ ...message, ...describedIn(describedImages) });
  },
  stream: () => messageStream(facts),
  original: originalFormat('message', isMessageStop, (failure) => errorEvent(failure, facts)),
});

const isMessageStop = (event: string): boolean => event.startsWith('event: message_stop\n');

const errorEvent = (failure: Failure, { requestId }: MessageFacts): string =>
  namedEvent('error', null, anthropicEnvelope(failure, requestId));

const messageStream = (facts: MessageFacts): StreamFormat => {
  const blocks = new BlockEvents(idOf(facts));
  let ended: ReadChoice | null = null;
  let described: ReadAnswer['describedImages'];
  return {
    // The prompt is counted when the rig has answered; `message_delta` states it.
    begin: () => {
      const message = messageOf(facts, [], NOT_ENDED, NOTHING);
      return `${eventOf('message_start', { message })}${eventOf('ping', {})}`;
    },
    page: (lines) => {
      const answers = lines.map(readAnswer);
      described ??= answers.find(({ describedImages }) => describedImages)?.describedImages;
      return answers
        .flatMap(({ choices }) => choices)
        .filter(({ index }) => index === 0)
        .map((choice) => {
          if (choice.finishReason !== null) ended = choice;
          return blocks.add(choice);
        })
        .join('');
    },
    end: (usage) => {
      const delta = { ...stopOf(facts, ended), stop_details: null, container: null };
      const counts = usageOf(usage);
      return [
        blocks.end(),
        eventOf('message_delta', { delta, usage: counts, ...describedIn(described) }),
        eventOf('message_stop', {}),
      ].join('');
    },
    failed: (failure) => errorEvent(failure, facts),
  };
};

/** A field of our own: which words stood for pictures. */
const describedIn = (images: ReadAnswer['describedImages']) =>
  images && { described_images: images };

const eventOf = (type: string, fields: object): string =>
  namedEvent(type, null, { type, ...fields });

const NOTHING: Usage = { promptTokens: 0, completionTokens: 0, source: 'counted' };

interface Stop {
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
}

const NOT_ENDED: Stop = { stop_reason: null, stop_sequence: null };

const messageOf = (facts: MessageFacts, content: readonly Fields[], stop: Stop, usage: Usage) => ({
  id: `msg_${idOf(facts)}`,
  type: 'message',
  role: 'assistant',
  model: facts.model,
  content,
  ...stop,
  stop_details: null,
  container: null,
  usage: usageOf(usage),
});

const idOf = ({ requestId }: MessageFacts): string => requestId.replaceAll('-', '');

/** Anthropic counts cached input beside `input_tokens`. A class that was not measured is null. */
const usageOf = ({ promptTokens, completionTokens, parts = {} }: Usage) => {
  const { cache_write_5m_tokens: fiveMinutes, cache_write_1h_tokens: hour } = parts;
  const written = writtenTokens(parts) ?? null;
  const read = cachedTokens(parts) ?? null;
  return {
    input_tokens: promptTokens - (read ?? 0) - (written ?? 0),
    output_tokens: completionTokens,
    cache_creation_input_tokens: written,
    ...((fiveMinutes ?? hour) !== undefined && {
      cache_creation: {
        ephemeral_5m_input_tokens: fiveMinutes ?? null,
        ephemeral_1h_input_tokens: hour ?? null,
      },
    }),
    cache_read_input_tokens: read,
  };
};

const contentOf = (
  { text, declined, toolCalls }: ReadChoice,
  facts: MessageFacts,
): readonly Fields[] => {
  const said = `${text}${declined}`;
  return [
    ...(said === '' ? [] : [{ type: 'text', text: said, citations: null }]),
    ...toolCalls.map(({ id, name, arguments: json }, n) => ({
      type: 'tool_use',
      id: id === '' ? `toolu_${idOf(facts)}${n}` : id,
      name,
      input: inputOf(json),
    })),
  ];
};

/** A model may write arguments that are no JSON object; they are not dropped. */
const inputOf = (json: string): Fields => {
  if (json.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(json);
    if (isFields(parsed)) return parsed;
  } catch {
    // Shown below as the model wrote it.
  }
  return { unparsed_arguments: json };
};

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Only some servers say which stop sequence ended an answer; without it the turn has ended. */
const stopOf = ({ stopSequences }: MessageFacts, choice: ReadChoice | null): Stop => {
  if (choice?.finishReason === 'stop' && choice.stopText !== null) {
    if (stopSequences.includes(choice.stopText)) {
      return { stop_reason: 'stop_sequence', stop_sequence: choice.stopText };
    }
  }
  return {
    stop_reason: STOP_REASONS[choice?.finishReason ?? 'stop'] ?? 'end_turn',
    stop_sequence: null,
  };
};
