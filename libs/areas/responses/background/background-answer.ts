import { type ChatCall } from '#platform/chats/chat-calls.port.js';
import { readCompletion } from '#platform/chats/read-answer.js';
import { answeredResponse } from '../translation/answered-response.js';
import { type ResponseBody } from '../translation/response-body.js';
import { keyOf } from '../translation/response-chat.js';
import { type ResponseObject, responseObject } from '../translation/response-object.js';
import { type BackgroundInput } from './background-input.js';

const factsOf = (responseId: string, body: ResponseBody, createdAt: number) => ({
  id: responseId,
  createdAt,
  body,
  routingMode: body.routing_mode ?? 'auto',
});

/** A response before its job runs. @param nowMs since the Unix epoch */
export const queuedResponse = (
  { responseId, body }: Pick<BackgroundInput, 'responseId' | 'body'>,
  nowMs: number,
): ResponseObject =>
  responseObject(factsOf(responseId, body, Math.floor(nowMs / 1e3)), [], { status: 'queued' });

/**
 * The chat that answers a response.
 * @param createdAt seconds since the Unix epoch
 * @param now the same
 */
export const lineOf = (
  { responseId, body, chat }: Pick<BackgroundInput, 'responseId' | 'body' | 'chat'>,
  createdAt: number,
  now: () => number,
): ChatCall => ({
  body: chat,
  write: (completion, charged) => {
    const facts = { ...factsOf(responseId, body, createdAt), key: keyOf(responseId), now };
    return answeredResponse(facts, readCompletion(completion), charged);
  },
});
