import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { INPUT_METER } from '#events/token-meters.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import {
  defineTool,
  type ToolCall,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { TextVectorizer } from './text-vectors.port.js';
import { QUERY_LENGTH_MAX, TOP_DEFAULT, VaultSearch } from './vault-search.js';
import { VECTOR_METER, vaultSearchProduct } from './vault.product.js';

/** The outcome of a call is recorded with its work, so it holds few chunks. */
export const TOOL_TOP_MAX = 20;

const VaultSearchToolInput = z.strictObject({
  vault_uuid: z.uuid().describe('A vault of the account.'),
  query: z.string().min(1).max(QUERY_LENGTH_MAX).describe('What to look for, in words.'),
  top_k: z.int().min(1).max(TOOL_TOP_MAX).default(TOP_DEFAULT),
});
type VaultSearchToolInput = z.infer<typeof VaultSearchToolInput>;

const VaultSearchToolOutput = z.strictObject({
  results: z
    .array(
      z.strictObject({
        document_id: z.string(),
        document_title: z.string(),
        classification_marking: z.string(),
        chunk: z.int(),
        text: z.string(),
        score: z.number(),
      }),
    )
    .readonly(),
  index: z.enum(['exact', 'hnsw']),
  recall: z.number(),
});
type VaultSearchToolOutput = z.infer<typeof VaultSearchToolOutput>;

/**
 * Searches of vaults as calls of a tool. A call names no key, so it sees only what every key of its
 * account may see.
 */
@Injectable()
export class VaultSearchTool implements ToolRunner<VaultSearchToolInput, VaultSearchToolOutput> {
  constructor(
    private readonly searches: VaultSearch,
    private readonly vectorizer: TextVectorizer,
  ) {}

  async estimate(input: VaultSearchToolInput, call: ToolCall): Promise<ToolEstimate> {
    return this.searches.held(await this.#open(input, call), call.pricedAtMs);
  }

  async run(
    input: VaultSearchToolInput,
    call: ToolCall,
  ): Promise<ToolOutcome<VaultSearchToolOutput>> {
    const search = await this.#open(input, call);
    const answer = await this.searches.run(search, call.signal);
    await this.searches.record(search, answer, contextOf(call.id, call.actor));
    const { embedded, vectorsSearched, model } = answer;
    const tokens = this.vectorizer.used(model, embedded, call.pricedAtMs);
    const vectors = { meter: VECTOR_METER, quantity: vectorsSearched };
    return {
      output: {
        results: answer.found.map(({ documentId, title, marking, chunk, text, score }) => ({
          ...{ document_id: documentId, document_title: title, classification_marking: marking },
          ...{ chunk, text, score },
        })),
        index: answer.index,
        recall: answer.recall,
      },
      used: vectorsSearched === 0 ? tokens : [...tokens, vectors],
      counters: { [INPUT_METER]: embedded.promptTokens, [VECTOR_METER]: vectorsSearched },
    };
  }

  #open({ vault_uuid: vaultId, query, top_k: top }: VaultSearchToolInput, call: ToolCall) {
    return this.searches.open({ vaultId, query, top }, { accountId: call.accountId, keys: 'any' });
  }
}

export const vaultSearchTool = defineTool({
  name: 'vault_search',
  description: 'Finds the passages of a vault of documents that are closest to a question.',
  input: VaultSearchToolInput,
  output: VaultSearchToolOutput,
  meters: vaultSearchProduct.meters,
  runner: VaultSearchTool,
});
