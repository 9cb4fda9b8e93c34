import { Inject, Injectable } from '@nestjs/common';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type ChatStream } from '#platform/chats/chat-strategy.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { ChatAdmission } from './chat-admission.js';
import { ChatCache, streamOfHit } from './cache/chat-cache.js';
import { ChatStrategies } from './chat-strategies.js';
import { guardedWork } from './guarded-work.js';
import { RIGS } from './ports.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { type RigRouter, type RoutedStream } from './rigs/rig-router.js';
import { type AskModel, routeChat } from './route-chat.js';
import { rejectOriginal } from './refuse-original.js';
import { rejectSeveral, streamsOfAll } from './several-prompts.js';
import { StreamMeter } from './stream-meter.js';

/** Streams a chat: places the hold, calls a rig, meters the pages, charges at the end. */
@Injectable()
export class StreamChatHandler {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(ChatStrategies) private readonly strategies: Pick<ChatStrategies, 'of'>,
    private readonly cache: ChatCache,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly guards: ChatGuards,
  ) {}

  /** @param signal aborted with a `RequestCutError` when the caller leaves or the time is up */
  execute(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const guard = this.guards.of(guardedWork(order));
    if (!guard) return this.#open(order, signal);
    return guard.stream(order, signal, (guarded, until) => this.#open(guarded, until));
  }

  async #open(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const strategy = this.strategies.of(order);
    if (strategy) return strategy.stream(rejectOriginal(rejectSeveral(order)), signal);
    const place = this.cache.placeOf(order);
    if (!place) return this.#stream(order, signal);
    const hit = await this.cache.find(order, place);
    if (hit) return streamOfHit(hit);
    const stream = await this.#stream(order, signal);
    const pages = this.cache.keepingPages(order, place, stream);
    await pages.next();
    return { ...stream, pages };
  }

  async #stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const admitted = await this.admission.admit(order, signal);
    const reading = follow(signal);
    const one = (route: RouteOrder) => this.rigs.stream(route, reading.signal);
    const ask: AskModel<RoutedStream> = (route, { model }) =>
      (order.others ? streamsOfAll(one, admitted.order, model, reading.signal) : one)(route);
    const answered = await routeChat(ask, admitted.order, admitted, reading.signal);
    const meter = new StreamMeter(admitted, answered, this.hash, reading, this.clock);
    const pages = meter.pages(order);
    // Started, so that its `finally` ends the hold even if no page is read.
    await pages.next();
    const { pace } = admitted;
    const { bound } = answered.answeredBy;
    const { rig, attempts, isOriginal } = answered.routed;
    return { rig, attempts, bound, pages, pace, isOriginal };
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
