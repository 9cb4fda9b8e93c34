import { Inject, Injectable } from '@nestjs/common';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type ChatReply } from '#platform/chats/chat-strategy.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type AdmittedChat, ChatAdmission, type ChatOutcome } from './chat-admission.js';
import { ChatCache, replyOfHit } from './cache/chat-cache.js';
import { ChatStrategies } from './chat-strategies.js';
import { echoedJson } from './echoed-json.js';
import { guardedWork } from './guarded-work.js';
import { RIGS } from './ports.js';
import { modelOf, replyText } from './reply.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { type RigRouter, type RoutedAnswer } from './rigs/rig-router.js';
import { type AnsweredBy, type AskModel, routeChat, shownModel } from './route-chat.js';
import { rejectOriginal } from './refuse-original.js';
import { answersToAll, rejectSeveral } from './several-prompts.js';

type Answered = AnsweredBy<RoutedAnswer>;

interface Written {
  readonly text: string;
  readonly outcome: ChatOutcome;
}

/** Answers a chat as a whole: places the hold, calls a rig, charges. Called without the bus. */
@Injectable()
export class CompleteChatHandler {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(ChatStrategies) private readonly strategies: Pick<ChatStrategies, 'of'>,
    private readonly cache: ChatCache,
    private readonly guards: ChatGuards,
  ) {}

  /** @param signal aborted with a `RequestCutError` when the caller leaves or the time is up */
  execute(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const guard = this.guards.of(guardedWork(order));
    if (!guard) return this.#complete(order, signal);
    return guard.complete(order, signal, (guarded, until) => this.#complete(guarded, until));
  }

  async #complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const strategy = this.strategies.of(order);
    if (strategy) return strategy.complete(rejectOriginal(rejectSeveral(order)), signal);
    const place = this.cache.placeOf(order);
    const hit = place && (await this.cache.find(order, place));
    if (hit) return replyOfHit(hit);
    const admitted = await this.admission.admit(order, signal);
    const answered = await this.#route(admitted.order, admitted, signal);
    let written: Written;
    try {
      written = this.#written(answered, order, admitted);
    } catch (error) {
      await admitted.release('internal_error');
      throw error;
    }
    const entry = await admitted.capture(written.outcome);
    const reply = replyOf(admitted, answered, written, entry);
    if (place) await this.cache.keepReply(order, place, reply);
    return reply;
  }

  #route(order: ChatOrder, admitted: AdmittedChat, signal: AbortSignal): Promise<Answered> {
    const one = (route: RouteOrder) => this.rigs.complete(route, signal);
    const ask: AskModel<RoutedAnswer> = order.others
      ? (route, { model }) => answersToAll(one, order, model)(route)
      : one;
    return routeChat(ask, order, admitted, signal);
  }

  /** Everything that could fail because of the answer itself happens here, before the charge. */
  #written(
    { routed, answeredBy }: Answered,
    order: ChatOrder,
    { pictures: described_images }: AdmittedChat,
  ): Written {
    const { completion, original, usage } = routed.answer;
    const model = shownModel(order, answeredBy);
    const echo = { model, routing_mode: order.routingMode, described_images };
    const text = original ?? echoedJson(completion, echo);
    return {
      text,
      outcome: {
        routed,
        answeredBy,
        usage,
        outcome: 'completed',
        modelAnswered: modelOf(completion),
        replyHash: this.hash(replyText(completion)),
        bytesOut: Buffer.byteLength(text),
      },
    };
  }
}

const replyOf = (
  { pace }: AdmittedChat,
  { routed: { answer, rig, attempts, isOriginal }, answeredBy: { bound } }: Answered,
  { text }: Written,
  entry: LedgerEntry,
): ChatReply => ({
  text,
  usage: answer.usage,
  rig,
  attempts,
  entry,
  bound,
  pace,
  isOriginal,
});
