import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { readModerationBody } from '#areas/embeddings/scores/scoring-asked.js';
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
import { ModerationsDocs } from './moderations.docs.js';
import { type ModerationDto } from './moderations.dto.js';

const ADDRESSES = ['v1/moderations', 'api/v1/moderations'] as const;

/** Moderations by upstreams, at both addresses. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
export class ModerationsController {
  constructor(private readonly exchange: EmbeddingExchange) {}

  @Post([...ADDRESSES])
  @HttpCode(200)
  @OpenAiErrors()
  @ModerationsDocs()
  @Idempotent({ settle: PaidSettler })
  @FailsWith('moderation_model_not_found')
  async moderate(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<ModerationDto> {
    const asked = { caller, request, reply, attempt };
    const { paid } = await this.exchange.score(asked, 'moderation', (sent) => ({
      scoring: demandValid(readModerationBody(sent)),
    }));
    return { id: paid.id ?? `modr-${request.id}`, model: paid.model, results: paid.results };
  }
}
