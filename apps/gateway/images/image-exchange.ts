import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CreateImagesHandler } from '#areas/images/create-images.handler.js';
import { type ImagesAsked } from '#areas/images/image-body.js';
import { IMAGES_SETTINGS, type ImagesSettings } from '#areas/images/images.settings.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { bodyLabels } from '../paid/body-labels.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { costHeaders } from '../inference/chat.headers.js';
import { type ImageResultDto } from './images.dto.js';
import { presentImages } from './images.presenter.js';

/** A request as it came over HTTP. */
export interface ImageRequest {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly attempt?: RequestAttempt | undefined;
}

/** The route of a stored picture, without its id. */
export const IMAGES_PATH = '/api/v1/images';

/** Makes the pictures of a request: hold, pictures, charge, headers. */
@Injectable()
export class ImageExchange {
  constructor(
    private readonly images: CreateImagesHandler,
    private readonly requests: OpenRequests,
    private readonly rates: RequestRates,
    @Inject(IMAGES_SETTINGS) private readonly settings: ImagesSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /** @throws as `CreateImagesHandler` */
  async make(
    { caller, request, reply, attempt }: ImageRequest,
    asked: ImagesAsked,
    start: Uint8Array | null,
  ): Promise<ImageResultDto> {
    const { accountId, userId } = caller;
    const labels = bodyLabels(request.body, accountId, this.hash);
    const order = {
      accountId,
      userId,
      receivedAtMs: this.clock.now(),
      asked,
      start,
      context: callerContext(request, caller, labels),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const answer = await this.requests.whileConnected(
      reply.raw,
      this.settings.requestMsMax,
      ({ signal }) => this.images.execute(order, signal),
    );
    const nowMs = this.clock.now();
    void reply
      .headers(costHeaders(answer.entry))
      .headers(rateLimitHeaders(this.rates.rateOf(caller), answer.pace, nowMs));
    const base = `${request.protocol}://${request.host}${IMAGES_PATH}`;
    return presentImages(answer, nowMs, (id) => `${base}/${id}`);
  }
}
