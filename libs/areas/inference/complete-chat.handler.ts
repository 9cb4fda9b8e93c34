import { Inject, Injectable } from '@nestjs/common';
import { type AdmittedChat, ChatAdmission, type ChatOrder } from './chat-admission.js';
import { type ChatReply, ChatStrategies } from './chat-strategies.js';
import { echoedJson } from './echoed-json.js';
import { PROMPT_HASHER, type PromptHasher, RIGS } from './ports.js';
import { modelOf, replyText } from './reply.js';
import { type ChatAnswer } from './rigs/chat-backend.js';
import { type RigRouter, type RouteOrder } from './rigs/rig-router.js';
import { routeChat } from './route-chat.js';
import { answersToAll, refuseSeveral } from './several-prompts.js';

/** Answers a chat as a whole: places the hold, calls a rig, charges. Called without the bus. */
@Injectable()
export class CompleteChatHandler {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(PROMPT_HASHER) private readonly hash: PromptHasher,
    private readonly strategies: ChatStrategies,
  ) {}

  /** @param signal aborted with a `RequestCutError` when the caller leaves or the time is up */
  async execute(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const strategy = this.strategies.of(order);
    if (strategy) return strategy.complete(refuseSeveral(order), signal);
    const admitted = await this.admission.admit(order);
    const one = (route: RouteOrder) => this.rigs.complete(route, signal);
    const ask = order.others ? answersToAll(one, order, admitted.model) : one;
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
    const { bound, pace } = admitted;
    return { text, usage, rig, attempts, entry, bound, ...(pace && { pace }) };
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
