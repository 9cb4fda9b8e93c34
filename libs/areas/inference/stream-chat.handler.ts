import { Inject, Injectable } from '@nestjs/common';
import { type HoldPace } from '#platform/ledger/hold.js';
import { ChatAdmission, type ChatOrder } from './chat-admission.js';
import { PROMPT_HASHER, type PromptHasher, RIGS } from './ports.js';
import { type RigRouter, type RouteOrder } from './rigs/rig-router.js';
import { type Attempt } from './rigs/route-error.js';
import { routeChat } from './route-chat.js';
import { StreamMeter, type StreamReceipt } from './stream-meter.js';

/** A stream whose first page has arrived. */
export interface ChatStream {
  readonly rig: string;
  readonly attempts: readonly Attempt[];
  readonly pace?: HoldPace;
  /**
   * Pages of chunks as JSON, a line each, with the caller's model id and routing mode; the end
   * comes after the charge is durable. Read it to the end or dispose of it: either ends the hold.
   * @throws RigError when the stream broke, charge included
   */
  readonly pages: AsyncGenerator<readonly string[], StreamReceipt, void>;
}

/** Streams a chat: places the hold, calls a rig, meters the pages, charges at the end. */
@Injectable()
export class StreamChatHandler {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(PROMPT_HASHER) private readonly hash: PromptHasher,
  ) {}

  /** @param signal aborted with a `RequestCutError` when the caller leaves or the time is up */
  async execute(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const admitted = await this.admission.admit(order);
    const reading = follow(signal);
    const ask = (route: RouteOrder) => this.rigs.stream(route, reading.signal);
    const routed = await routeChat(ask, order.body, admitted, reading.signal);
    const pages = new StreamMeter(admitted, routed, this.hash, reading).pages(order);
    // Started, so that its `finally` ends the hold even if no page is read.
    await pages.next();
    const { pace } = admitted;
    return { rig: routed.rig, attempts: routed.attempts, pages, ...(pace && { pace }) };
  }
}

/** Aborts when the signal does, for the same reason, and can be aborted by itself. */
const follow = (signal: AbortSignal): AbortController => {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller;
};
