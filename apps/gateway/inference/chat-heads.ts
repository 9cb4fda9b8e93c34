import { type ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace } from '#platform/ledger/hold.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { type Chat } from './chat.js';

/** Writes the status and the headers of chats. */
@Injectable()
export class ChatHeads {
  constructor(
    private readonly requestRates: RequestRates,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Writes past Fastify, which has nothing to add to an answer that is bytes already. The rates are
   * current: a stored answer that is sent again does not have them.
   * @param headers in addition to the headers that hooks have set; no two have the same name
   */
  write(
    { caller }: Chat,
    reply: FastifyReply,
    headers: readonly (Readonly<Record<string, string>> | undefined)[],
    pace: HoldPace | undefined,
  ): ServerResponse {
    reply.hijack();
    const list: string[] = [];
    add(list, reply.getHeaders() as Record<string, string>);
    for (const some of headers) if (some) add(list, some);
    add(list, rateLimitHeaders(this.requestRates.rateOf(caller), pace, this.clock.now()));
    return reply.raw.writeHead(200, list);
  }
}

/** Names and values in turns, which Node writes as they are. */
const add = (list: string[], headers: Readonly<Record<string, string>>): void => {
  for (const name in headers) list.push(name, headers[name] ?? '');
};
