import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { ChatAdmission, type ChatOrder } from './chat-admission.js';
import { PROMPT_HASHER, type PromptHasher, RIGS } from './ports.js';
import { modelOf, replyText } from './reply.js';
import { type JsonObject, type Usage } from './rigs/chat-backend.js';
import { type RigRouter, type RouteOrder } from './rigs/rig-router.js';
import { type Attempt } from './rigs/route-error.js';
import { routeChat } from './route-chat.js';

/** An answer that has been paid for. */
export interface ChatReply {
  /** With the model id that the caller asked for and the routing mode. */
  readonly completion: JsonObject;
  readonly usage: Usage;
  readonly rig: string;
  readonly attempts: readonly Attempt[];
  readonly entry: LedgerEntry;
}

/** Answers a chat as a whole: places the hold, calls a rig, charges. */
export class CompleteChatCommand extends Command<ChatReply> {
  constructor(
    readonly order: ChatOrder,
    /** Aborted with a `RequestCutError` when the caller leaves or the request runs too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(CompleteChatCommand)
export class CompleteChatHandler implements ICommandHandler<CompleteChatCommand> {
  constructor(
    private readonly admission: ChatAdmission,
    @Inject(RIGS) private readonly rigs: RigRouter,
    @Inject(PROMPT_HASHER) private readonly hash: PromptHasher,
  ) {}

  async execute({ order, signal }: CompleteChatCommand): Promise<ChatReply> {
    const { routingMode, body } = order;
    const admitted = await this.admission.admit(order);
    const ask = (route: RouteOrder) => this.rigs.complete(route, signal);
    const { answer, rig, attempts } = await routeChat(ask, body, admitted, signal);
    const { completion, usage } = answer;
    const entry = await admitted.capture({
      usage,
      outcome: 'completed',
      rig,
      attempts: attempts.length,
      modelAnswered: modelOf(completion),
      replyHash: this.hash(replyText(completion)),
    });
    const echoed = { ...completion, model: body.model, routing_mode: routingMode };
    return { completion: echoed, usage, rig, attempts, entry };
  }
}
