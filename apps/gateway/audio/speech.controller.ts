import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AUDIO_SETTINGS, type AudioSettings } from '#areas/audio/audio.settings.js';
import { SpeakHandler } from '#areas/audio/speak.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { SPEECH_CODES, SpeechDocs } from './audio.docs.js';
import { SpeechBody } from './audio.dto.js';

/** OpenAI's speech. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
export class SpeechController {
  constructor(
    private readonly handler: SpeakHandler,
    private readonly requests: OpenRequests,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post(['v1/audio/speech', 'api/v1/audio/speech'])
  @HttpCode(200)
  @OpenAiErrors()
  @SpeechDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written' })
  @FailsWith(...SPEECH_CODES)
  async speak(
    @Body() body: SpeechBody,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    const { model, input, voice, response_format: format = 'mp3', speed = 1 } = body;
    const order = {
      accountId,
      receivedAtMs: this.clock.now(),
      model,
      text: { input, voice, format, speed, instructions: body.instructions ?? null },
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const { requestMsMax } = this.settings;
    return this.requests.whileConnected(
      reply.raw,
      requestMsMax,
      async ({ signal }): Promise<AnswerEnd> => {
        const {
          bytes,
          contentType,
          entry,
          model: spoke,
        } = await this.handler.execute(order, signal);
        const head = { ...costHeaders(entry), 'x-quipu-model': spoke, 'content-type': contentType };
        attempt?.tap.head(head);
        attempt?.tap.bytes(bytes);
        await reply.headers(head).send(bytes);
        return 'whole';
      },
    );
  }
}
