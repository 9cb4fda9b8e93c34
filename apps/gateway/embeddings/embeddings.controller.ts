import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { readEmbeddingBody } from '#areas/embeddings/embedding-body.js';
import { embeddingList, type EmbeddingList } from '#areas/embeddings/embedding-list.js';
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
import { EmbeddingsDocs } from './embeddings.docs.js';

const ADDRESSES = ['v1/embeddings', 'api/v1/embeddings'] as const;

/** Embeddings, at both of their addresses. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
export class EmbeddingsController {
  constructor(private readonly exchange: EmbeddingExchange) {}

  @Post([...ADDRESSES])
  @HttpCode(200)
  @OpenAiErrors()
  @EmbeddingsDocs()
  @Idempotent({ settle: PaidSettler })
  @FailsWith('embedding_model_not_found', 'dimensions_out_of_range', 'embedding_inputs_too_long')
  async create(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<EmbeddingList> {
    const embedding = { caller, request, reply, attempt };
    const { asked, paid } = await this.exchange.embed(embedding, (sent) => ({
      embeddings: demandValid(readEmbeddingBody(sent)),
    }));
    return embeddingList(asked.embeddings.model, paid.vectors, paid.usage);
  }
}
