import { INPUT_METER, OUTPUT_METER, SEARCH_METER } from '#events/token-meters.js';
import { Inject, Injectable } from '@nestjs/common';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import {
  type AcceptedItem,
  type BatchPrice,
  type ItemAnswer,
  type ItemRetry,
  type Quantities,
} from '#platform/batches/batch-endpoint.js';
import {
  type ChatCall,
  type ChatCallOrder,
  ChatCalls,
  type ChatPrice,
} from '#platform/chats/chat-calls.port.js';
import { ChatGuards, guardErrors, isGuardFailed } from '#platform/chats/chat-guards.port.js';
import { describedBy, type FailureDescription } from '#platform/runtime/areas/failure.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { type TokenQuantities, usageWithin } from '#platform/chats/chat-usage.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type TokenBound } from '#platform/ledger/token-price.js';
import { type ChatBody } from './chat-body.js';
import { tariffOf } from './chat-model.js';
import { checkChat, type CheckedChat } from './checked-chat.js';
import { inferenceErrors } from './inference.errors.js';
import { inferenceFailures } from './inference.failures.js';
import { MODEL_CATALOG, type ModelCatalog, RIGS } from './ports.js';
import { needsOf } from './rigs/chat-features.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { type RigRouter } from './rigs/rig-router.js';
import { acceptedUsage, RouteError } from './rigs/route-error.js';
import { RoutingModes } from './routing-modes.js';
import { answersToAll, boundsOfAll } from './several-prompts.js';
import { termsOf } from './token-lines.js';
import { upstreamBody } from './upstream-body.js';

interface CheckedItem extends CheckedChat {
  readonly others: readonly ChatBody[];
}

/** Chats that rigs answer, without a hold of their own. */
@Injectable()
export class RigChatCalls extends ChatCalls {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly modes: RoutingModes,
    private readonly guards: ChatGuards,
  ) {
    super();
  }

  override accept(line: ChatCall): AcceptedItem {
    const { body, others, bound } = this.#check(line);
    return { model: body.model, bound: quantitiesOf(bound), terms: termsOf([body, ...others]) };
  }

  override async guard(line: ChatCall, accountId: string): Promise<void> {
    const { body, others } = this.#check(line);
    const work = { accountId, model: body.model, requestId: null };
    await this.guards.of(work)?.check({ body, others });
  }

  override batchPrice(model: string, atMs: number): BatchPrice | undefined {
    const tariff = this.#tariffOf(model, atMs);
    if (!tariff) return undefined;
    const { rateCardVersion, rate } = tariff;
    return {
      rateCardVersion,
      discountPercent: rate.batchDiscountPercent,
      linesOf: (bound, terms) => tariff.held(boundOf(bound), { ...terms, isBatch: true }),
    };
  }

  override price(model: string, atMs: number): ChatPrice | undefined {
    const tariff = this.#tariffOf(model, atMs);
    return (
      tariff && {
        rateCardVersion: tariff.rateCardVersion,
        linesOf: ({ bound, terms }) => tariff.held(boundOf(bound), terms),
      }
    );
  }

  override async complete(
    line: ChatCall,
    { accountId: account, priority, pricedAtMs }: ChatCallOrder,
    signal: AbortSignal,
  ): Promise<ItemAnswer> {
    const { model, target, bound, ...checked } = this.#check(line);
    const work = { accountId: account, model: checked.body.model, requestId: null };
    const guard = this.guards.of(work);
    const { body, others } = (await guard?.request(checked)) ?? checked;
    const isBatch = priority === 'batch';
    const tariff = tariffOf(this.catalog, model.id, pricedAtMs);
    const one = (order: RouteOrder) => this.rigs.complete(order, signal);
    const ask = others.length > 0 ? answersToAll(one, { body, others, isBatch }, model) : one;
    const terms = { ...termsOf([body, ...others]), isBatch };
    const order: RouteOrder = {
      ...target,
      account,
      priority,
      needs: needsOf(body),
      request: (rig) => ({
        body: upstreamBody(body, model, bound, rig),
        promptTokensMax: bound.inputTokens,
        isBatch,
      }),
    };
    const { answer, rig } = await ask(order).catch((error: unknown) => {
      const accepted = model.chargesCancelled ? acceptedUsage(error) : undefined;
      if (!accepted) throw error;
      const { used } = tariff.used(usageWithin(accepted.usage, bound), terms, accepted.rig);
      throw new AbortedItemError(used, { cause: error });
    });
    const usage = usageWithin(answer.usage, bound);
    const completion = (await guard?.answer(answer.completion)) ?? answer.completion;
    const echo = { model: body.model, routing_mode: body.routing_mode };
    return {
      body: line.write({ ...completion, ...echo }, usage),
      ...tariff.used(usage, terms, rig),
    };
  }

  override retryOf(error: unknown): ItemRetry {
    if (isGuardFailed(error)) return 'limited';
    if (!(error instanceof RouteError)) return 'never';
    switch (error.kind) {
      case 'overloaded':
      case 'queue-full':
      case 'rig-drained':
      case 'rig-lost':
      case 'down':
        return 'always';
      case 'failed':
        return 'limited';
      case 'model-not-served':
      case 'rig-unknown':
      case 'rig-without-model':
      case 'refused':
      case 'cancelled':
        return 'never';
    }
  }

  override failureOf(error: unknown): FailureDescription | undefined {
    if (error instanceof RejectedRequestError) return error.failure;
    const errors = { ...inferenceErrors, ...guardErrors };
    return describedBy(error, { errors, failures: inferenceFailures });
  }

  #check({ body, others = [] }: ChatCall): CheckedItem {
    const first = this.#checkOne(body);
    const rest = others.map((one) => this.#checkOne(one).body);
    const bound = boundsOfAll({ body: first.body, others: rest }, first.model);
    return { ...first, others: rest, bound };
  }

  #checkOne(body: unknown): CheckedChat {
    return checkChat(body, this.catalog, this.rigs, this.modes);
  }

  #tariffOf(model: string, atMs: number): TokenTariff | undefined {
    return this.catalog.model(model) && TokenTariff.at(this.catalog, model, atMs);
  }
}

const quantitiesOf = ({ inputTokens, outputTokens, searches }: TokenQuantities): Quantities => ({
  [INPUT_METER]: inputTokens,
  [OUTPUT_METER]: outputTokens,
  ...(searches !== undefined && { [SEARCH_METER]: searches }),
});

const boundOf = (quantities: Quantities): TokenBound => ({
  inputTokens: quantities[INPUT_METER] ?? 0,
  outputTokens: quantities[OUTPUT_METER] ?? 0,
  searches: quantities[SEARCH_METER] ?? 0,
});
