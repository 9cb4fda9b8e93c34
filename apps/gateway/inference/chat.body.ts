import { type ChatBody, readChatBody } from '#areas/inference/chat-body.js';
import { HttpFailure } from '../errors/http-failure.js';

/** @throws HttpFailure 400 whose param is the first invalid field; the message names ten at most */
export const parseChatBody = (value: unknown): ChatBody => {
  const read = readChatBody(value);
  if ('body' in read) return read.body;
  const { code, message, param } = read.invalid;
  throw new HttpFailure({ status: 400, code, message, ...(param !== null && { param }) });
};
