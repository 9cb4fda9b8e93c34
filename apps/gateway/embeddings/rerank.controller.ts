import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type RankedDocument,
  ranked,
  readRerankBody,
  type RerankAsked,
  scored,
} from '#areas/embeddings/rerank.js';
import { rankingAsked } from '#areas/embeddings/scores/scoring-asked.js';
import { type ScoringUsage } from '#areas/embeddings/scores/scoring.ports.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { demandValid, EmbeddingExchange } from './embedding-exchange.js';
import { RerankDocs } from './rerank.docs.js';
import { type RerankDto } from './rerank.dto.js';

const ADDRESSES = ['v1/rerank', 'api/v1/rerank'] as const;

/** Documents by their nearness to a query, at both addresses. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
export class RerankController {
  constructor(private readonly exchange: EmbeddingExchange) {}

  @Post([...ADDRESSES])
  @HttpCode(200)
  @OpenAiErrors()
  @RerankDocs()
  @Idempotent({ settle: PaidSettler })
  @FailsWith('embedding_model_not_found', 'rerank_model_not_found', 'embedding_inputs_too_long')
  async rank(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<RerankDto> {
    const ranking = { caller, request, reply, attempt };
    const read = (sent: unknown) => demandValid(readRerankBody(sent));
    if (!this.exchange.ranks(request.body)) {
      const { asked, paid } = await this.exchange.embed(ranking, read);
      return rerankOf(request, paid.usage, asked, ranked(paid.vectors, asked));
    }
    const { asked, paid } = await this.exchange.score(ranking, 'rerank', (sent) => {
      const rerank = read(sent);
      return { ...rerank, scoring: rankingAsked(rerank) };
    });
    return rerankOf(request, paid.usage, asked, scored(paid.results, asked));
  }
}

const rerankOf = (
  { id }: Pick<FastifyRequest, 'id'>,
  { promptTokens, searches }: ScoringUsage,
  { model }: Pick<RerankAsked, 'model'>,
  results: readonly RankedDocument[],
): RerankDto => ({
  id: `rerank-${id}`,
  model,
  usage: {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens,
    ...(searches !== undefined && { searches }),
  },
  results,
});
