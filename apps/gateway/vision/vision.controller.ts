import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { LookAtFrameHandler } from '#areas/vision/look-at-frame.handler.js';
import { VISION_SETTINGS, type VisionSettings } from '#areas/vision/vision.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import {
  CONFIDENCE_DEFAULT,
  OVERLAP_DEFAULT,
  VisionFrameDto,
  VisionResultDto,
} from './vision.dto.js';
import { presentFrame } from './vision.presenter.js';

/** Looks at frames. */
@ApiTags('vision')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/stream')
export class VisionController {
  constructor(
    private readonly frames: LookAtFrameHandler,
    private readonly requests: OpenRequests,
    private readonly rates: RequestRates,
    @Inject(VISION_SETTINGS) private readonly settings: VisionSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('vision')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Look at a frame',
    description:
      'Finds objects in a PNG file or in the last frame of a live session. The embedded detector ' +
      '`quipu-shapes` knows eight drawn shapes in twelve colours, and nothing else; `components` ' +
      'and `motion` need no training. Frames are looked at with 128 pixels on the longer side. ' +
      '`anomaly_alert` says that a part of the frame cannot be made of the parts of usual ' +
      'frames. The price of the frame is held before, and charged when it was looked at.',
  })
  @ApiOkResponse({ type: VisionResultDto, description: 'The objects of the frame.' })
  @FailsWith(
    'vision_image_unreadable',
    'vision_source_invalid',
    'vision_stream_needed',
    'vision_session_not_found',
    'vision_session_empty',
    'too_many_vision_streams',
    'vision_not_priced',
    'vision_busy',
    'vision_unavailable',
    'vision_failed',
    'request_timed_out',
  )
  async look(
    @Body() body: VisionFrameDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<VisionResultDto> {
    const order = {
      accountId: caller.accountId,
      receivedAtMs: this.clock.now(),
      look: {
        mode: body.mode ?? 'detect',
        confidence: body.confidence_min ?? CONFIDENCE_DEFAULT,
        overlap: body.iou_max ?? OVERLAP_DEFAULT,
      },
      file: body.image_base64 == null ? null : fileOf(body.image_base64),
      sessionId: body.session_id ?? null,
      streamId: body.stream_id ?? null,
      frameId: body.frame_id ?? null,
      context: callerContext(request, caller),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const answer = await this.requests.whileConnected(
      reply.raw,
      this.settings.requestMsMax,
      ({ signal }) => this.frames.execute(order, signal),
    );
    void reply
      .headers(costHeaders(answer.entry))
      .headers(rateLimitHeaders(this.rates.rateOf(caller), answer.pace, this.clock.now()));
    return presentFrame(answer);
  }
}

/** Of a data URL, the part behind its comma. */
const fileOf = (text: string): Uint8Array =>
  Buffer.from(text.slice(text.indexOf(',') + 1), 'base64');
