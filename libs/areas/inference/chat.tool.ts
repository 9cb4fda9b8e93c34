import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { guardToolError } from '#platform/chats/guard-tool-error.js';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { ofModel } from '#platform/ledger/price-card.js';
import {
  defineTool,
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type UsedTokens } from '#platform/chats/token-tariff.js';
import { chatProduct } from './chat.product.js';
import { tariffOf } from './chat-model.js';
import { checkChat, type CheckedChat } from './checked-chat.js';
import { MODEL_CATALOG, type ModelCatalog, RIGS, type ServedModel } from './ports.js';
import { modelOf, replyText } from './reply.js';
import { needsOf } from './rigs/chat-features.js';
import { type RigRouter } from './rigs/rig-router.js';
import { acceptedUsage } from './rigs/route-error.js';
import { termsOf } from './token-lines.js';
import { RoutingModes } from './routing-modes.js';
import { upstreamBody } from './upstream-body.js';

const OUTPUT_TOKENS_DEFAULT = 512;

const ChatToolInput = z
  .strictObject({
    model: z.string().min(1).max(256).describe('A model of GET /v1/models.'),
    prompt: z.string().optional().describe('The question; or give messages.'),
    system: z.string().optional().describe('Instructions that precede the prompt.'),
    messages: z
      .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
      .min(1)
      .max(MESSAGES_MAX)
      .optional(),
    max_tokens: z.int().min(1).max(10_000_000).default(OUTPUT_TOKENS_DEFAULT),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    seed: z.int().optional(),
    stop: z.union([z.string(), z.array(z.string()).max(16)]).optional(),
    routing_mode: z.string().optional(),
  })
  .refine(({ prompt, messages }) => (prompt === undefined) !== (messages === undefined), {
    message: 'give either prompt or messages',
    path: ['prompt'],
  })
  .refine(({ system, messages }) => system === undefined || messages === undefined, {
    message: 'put it into messages',
    path: ['system'],
  });
type ChatToolInput = z.infer<typeof ChatToolInput>;

const ChatToolOutput = z.strictObject({
  text: z.string(),
  /** As the rig says: `stop`, `length`; null where it says nothing. */
  finish_reason: z.string().nullable(),
  /** The model that the rig says answered. */
  model: z.string().nullable(),
});
type ChatToolOutput = z.infer<typeof ChatToolOutput>;

/**
 * Chats as calls of a tool: the rules, rigs and prices of interactive ones, without a hold. A call
 * that is repeated asks a rig again; only the caller's record of the first answer counts.
 */
@Injectable()
export class ChatTool implements ToolRunner<ChatToolInput, ChatToolOutput> {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly modes: RoutingModes,
    private readonly guards: ChatGuards,
  ) {}

  estimate(input: ChatToolInput, { pricedAtMs }: ToolCall): Promise<ToolEstimate> {
    return Promise.try(() => {
      const { body, model, bound } = this.#check(input);
      const tariff = tariffOf(this.catalog, model.id, pricedAtMs);
      const { rateCardVersion } = tariff;
      return { lines: ofModel(model.id, tariff.held(bound, termsOf([body]))), rateCardVersion };
    });
  }

  async run(
    input: ChatToolInput,
    { accountId, pricedAtMs, signal }: ToolCall,
  ): Promise<ToolOutcome<ChatToolOutput>> {
    const { model, target, bound, ...checked } = this.#check(input);
    const guard = this.guards.of({ accountId, model: checked.body.model, requestId: null });
    const { body } = (await guard?.request(checked).catch(guardToolError)) ?? checked;
    const tariff = tariffOf(this.catalog, model.id, pricedAtMs);
    const usedOf: UsedOf = (used, rig) => tariff.used(used, termsOf([body]), rig);
    const sent = upstreamBody(body, model, bound);
    const request = { body: sent, promptTokensMax: bound.inputTokens };
    const route = {
      ...target,
      account: accountId,
      needs: needsOf(body),
      request: () => request,
    };
    const { answer, rig } = await this.rigs.complete(route, signal).catch((error: unknown) => {
      throw abortedCall(error, model, usedOf) ?? error;
    });
    const { usage } = answer;
    const completion = (await guard?.answer(answer.completion)) ?? answer.completion;
    return {
      output: {
        text: replyText(completion),
        finish_reason: finishReasonOf(completion),
        model: modelOf(completion),
      },
      ...usedOf(usage, rig),
      counters: countersOf(usage),
    };
  }

  #check({ prompt, system, messages, ...rest }: ChatToolInput): CheckedChat {
    const asked = messages ?? [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ];
    try {
      return checkChat({ ...rest, messages: asked }, this.catalog, this.rigs, this.modes);
    } catch (error) {
      if (!(error instanceof RejectedRequestError)) throw error;
      const { code, message, param } = error.failure;
      throw new ToolError(code, message, param === undefined ? {} : { param });
    }
  }
}

/** The measured counts only. */
const countersOf = ({ promptTokens, completionTokens, parts = {} }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  ...parts,
});

type UsedOf = (usage: Usage, rig: string) => UsedTokens;

/** A call aborted after a rig accepted it costs as much as a chat whose caller leaves. */
const abortedCall = (
  error: unknown,
  { chargesCancelled }: ServedModel,
  usedOf: UsedOf,
): ToolError | undefined => {
  const accepted = acceptedUsage(error);
  if (!accepted || !chargesCancelled) return undefined;
  const { used } = usedOf(accepted.usage, accepted.rig);
  return new ToolError('cancelled', 'the call was aborted', { used });
};

const finishReasonOf = ({ choices }: Readonly<Record<string, unknown>>): string | null => {
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  if (typeof first !== 'object' || first === null || !('finish_reason' in first)) return null;
  return typeof first.finish_reason === 'string' ? first.finish_reason : null;
};

export const chatTool = defineTool({
  name: 'chat',
  description: 'Asks a language model of this gateway and returns the text of its answer.',
  input: ChatToolInput,
  output: ChatToolOutput,
  meters: chatProduct.meters,
  runner: ChatTool,
});
