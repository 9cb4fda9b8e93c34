import { anthropicEnvelope, type Failure, openAiEnvelope } from '../errors/envelope.js';
import { dataEvent, namedEvent } from '../sse/sse.js';

/** The interfaces whose streams can be resumed. */
export type StreamForm = 'chat' | 'completion' | 'message' | 'response';

interface Interruption {
  readonly failure: Failure;
  readonly streamId: string;
  /** The number of events before it. */
  readonly events: number;
}

const ENDED_BY_ERROR = { index: 0, finish_reason: 'error' } as const;

const INTERRUPTED: Readonly<Record<StreamForm, (interruption: Interruption) => string>> = {
  chat: ({ failure }) =>
    dataEvent({ ...openAiEnvelope(failure), choices: [{ ...ENDED_BY_ERROR, delta: {} }] }),
  completion: ({ failure }) =>
    dataEvent({ ...openAiEnvelope(failure), choices: [{ ...ENDED_BY_ERROR, text: '' }] }),
  message: ({ failure, streamId }) =>
    namedEvent('error', null, anthropicEnvelope(failure, streamId)),
  response: ({ failure: { code, message, param }, events }) =>
    namedEvent('error', null, { type: 'error', code, message, param, sequence_number: events }),
};

const isForm = (form: string): form is StreamForm => Object.hasOwn(INTERRUPTED, form);

/**
 * The event that ends a resumed stream whose end is not kept. It has no id: a client that resumes
 * once more does so after the last event that it has.
 * @param form as the stream was kept, maybe by another version
 */
export const interruptedEvent = (form: string, interruption: Interruption): string =>
  INTERRUPTED[isForm(form) ? form : 'chat'](interruption);
