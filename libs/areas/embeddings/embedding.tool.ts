import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { guardToolError } from '#platform/chats/guard-tool-error.js';
import { ofModel } from '#platform/ledger/price-card.js';
import {
  defineTool,
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { checkEmbeddings, type CheckedEmbeddings, tariffOf } from './checked-embeddings.js';
import { DIMENSIONS_MAX, readEmbeddingBody } from './embedding-body.js';
import { embeddingProduct, heldLinesOf, usedUnitsOf } from './embedding.product.js';
import { guardedInputs } from './guarded-embeddings.js';
import { EmbeddingModels, EmbeddingRigs } from './ports.js';
import { numbersOf } from './vectors.js';

/** The outcome of a call is recorded with its work, so it holds few vectors. */
const TOOL_INPUTS_MAX = 32;

const EmbeddingToolInput = z.strictObject({
  model: z.string().min(1).max(256).describe('An embedding model of GET /v1/models.'),
  input: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(TOOL_INPUTS_MAX)])
    .describe('A text, or up to 32 texts.'),
  dimensions: z
    .int()
    .min(1)
    .max(DIMENSIONS_MAX)
    .optional()
    .describe('The first ones of each vector; all by default.'),
});
type EmbeddingToolInput = z.infer<typeof EmbeddingToolInput>;

const EmbeddingToolOutput = z.strictObject({
  /** One unit vector for each text, in their order. */
  embeddings: z.array(z.array(z.number()).readonly()).readonly(),
  dimensions: z.int(),
});
type EmbeddingToolOutput = z.infer<typeof EmbeddingToolOutput>;

/** Embeddings as calls of a tool: the rules, rigs and prices of the route, without a hold. */
@Injectable()
export class EmbeddingTool implements ToolRunner<EmbeddingToolInput, EmbeddingToolOutput> {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly rigs: EmbeddingRigs,
    private readonly guards: ChatGuards,
  ) {}

  estimate(input: EmbeddingToolInput, { pricedAtMs }: ToolCall): Promise<ToolEstimate> {
    return Promise.try(() => {
      const { model, boundTokens } = this.#check(input);
      const tariff = tariffOf(this.models, model.id, pricedAtMs);
      const lines = ofModel(model.id, heldLinesOf(boundTokens, tariff));
      return { lines, rateCardVersion: tariff.rateCardVersion };
    });
  }

  async run(
    input: EmbeddingToolInput,
    { accountId, pricedAtMs, signal }: ToolCall,
  ): Promise<ToolOutcome<EmbeddingToolOutput>> {
    const { asked, model, body: sent, boundTokens: promptTokensMax } = this.#check(input);
    const work = { accountId, model: asked.model, requestId: null };
    const body = await guardedInputs(this.guards, work, sent).catch(guardToolError);
    const order = { model: model.id, accountId, body, promptTokensMax } as const;
    const answer = await this.rigs.embed({ ...order, priority: 'interactive' }, signal);
    const { vectors, dimensions, usage, rig } = answer;
    return {
      output: { embeddings: vectors.map(numbersOf), dimensions },
      used: usedUnitsOf(usage.promptTokens, tariffOf(this.models, model.id, pricedAtMs), rig),
      counters: { prompt_tokens: usage.promptTokens, vectors: vectors.length },
    };
  }

  #check(input: EmbeddingToolInput): CheckedEmbeddings {
    const read = readEmbeddingBody(input);
    if ('asked' in read) return checkEmbeddings(read.asked, this.models);
    const { message, param } = read.invalid;
    throw new ToolError('invalid_request', message, param === null ? {} : { param });
  }
}

export const embeddingTool = defineTool({
  name: 'embedding',
  description: 'Turns texts into vectors whose cosine says how alike the texts are.',
  input: EmbeddingToolInput,
  output: EmbeddingToolOutput,
  meters: embeddingProduct.meters,
  runner: EmbeddingTool,
});
