import { Inject, Injectable } from '@nestjs/common';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type AdmittedChat, ChatAdmission, type ChatOrder } from './chat-admission.js';
import { echoedJson } from './echoed-json.js';
import { PROMPT_HASHER, type PromptHasher, RIGS } from './ports.js';
import { modelOf, replyText } from './reply.js';
import { type ChatAnswer, type Usage } from './rigs/chat-backend.js';
import { type RigRouter, type RouteOrder } from './rigs/rig-router.js';
import { type Attempt } from './rigs/route-error.js';
import { routeChat } from './route-chat.js';

/** An answer that has been paid for. */
export interface ChatReply {
  /**
   * The answer as JSON, with the model id that the caller asked for and the routing mode. It was
   * written before the charge: what cannot be written is not charged.
   */
  readonly text: string;
  readonly usage: Usage;
  readonly rig: string;
  readonly attempts: readonly Attempt[];
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Answers a chat as a whole: places the hold, calls a rig, charges. Called without the bus. */
@Injectable()
export class CompleteChatHandler {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(PROMPT_HASHER) private readonly hash: PromptHasher,
  ) {}

  /** @param signal aborted with a `RequestCutError` when the caller leaves or the time is up */
  async execute(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const admitted = await this.admission.admit(order);
    const ask = (route: RouteOrder) => this.rigs.complete(route, signal);
    const { answer, rig, attempts } = await routeChat(ask, order.body, admitted, signal);
    const { usage } = answer;
    const { text, modelAnswered, replyHash } = await this.#write(answer, order, admitted);
    const entry = await admitted.capture({
      usage,
      outcome: 'completed',
      rig,
      attempts: attempts.length,
      modelAnswered,
      replyHash,
    });
    const { pace } = admitted;
    return { text, usage, rig, attempts, entry, ...(pace && { pace }) };
  }

  /** Everything that could fail because of the answer itself happens here, before the charge. */
  async #write({ completion }: ChatAnswer, order: ChatOrder, admitted: AdmittedChat) {
    const { body, routingMode } = order;
    try {
      return {
        text: echoedJson(completion, { model: body.model, routing_mode: routingMode }),
        modelAnswered: modelOf(completion),
        replyHash: this.hash(replyText(completion)),
      };
    } catch (error) {
      await admitted.release('internal_error');
      throw error;
    }
  }
}
