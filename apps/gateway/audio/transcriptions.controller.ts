import {
  Controller,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AUDIO_SETTINGS, type AudioSettings } from '#areas/audio/audio.settings.js';
import { TranscribeHandler } from '#areas/audio/transcribe.handler.js';
import { readTranscriptionForm, type TranscriptionAsked } from '#areas/audio/transcription-form.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { OpenAiUpload } from '../uploads/uploads.js';
import { audioFormOf } from './audio-form.js';
import { AudioFormInterceptor } from './audio-form.interceptor.js';
import { TRANSCRIPTION_CODES, TranscriptionDocs, TranslationDocs } from './audio.docs.js';
import { TranscriptAnswers } from './transcript-answers.js';

/** OpenAI's transcriptions and translations of recordings. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
@UseInterceptors(AudioFormInterceptor)
export class TranscriptionsController {
  constructor(
    private readonly handler: TranscribeHandler,
    private readonly requests: OpenRequests,
    private readonly answers: TranscriptAnswers,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post(['v1/audio/transcriptions', 'api/v1/audio/transcriptions'])
  @HttpCode(200)
  @OpenAiUpload()
  @TranscriptionDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written' })
  @FailsWith(...TRANSCRIPTION_CODES)
  transcribe(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    return this.#answer('transcribe', { caller, request, reply, attempt });
  }

  @Post(['v1/audio/translations', 'api/v1/audio/translations'])
  @HttpCode(200)
  @OpenAiUpload()
  @TranslationDocs()
  @Idempotent({ settle: PaidSettler, reply: 'written' })
  @FailsWith(...TRANSCRIPTION_CODES)
  translate(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    return this.#answer('translate', { caller, request, reply, attempt });
  }

  async #answer(
    task: TranscriptionAsked['task'],
    { caller, request, reply, attempt }: AudioExchange,
  ): Promise<AnswerEnd> {
    const receivedAtMs = this.clock.now();
    const form = audioFormOf(request);
    const asked = readTranscriptionForm(form.fields, task);
    const { accountId, userId, credential } = caller;
    const order = {
      asked,
      accountId,
      receivedAtMs,
      sound: form,
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const { requestMsMax } = this.settings;
    return this.requests.whileConnected(reply.raw, requestMsMax, async ({ signal }) => {
      const to = { caller, reply, asked, signal, tap: attempt?.tap };
      if (!asked.isStream) return this.answers.whole(to, await this.handler.execute(order, signal));
      return this.answers.stream(to, (onText) => this.handler.execute(order, signal, onText));
    });
  }
}

interface AudioExchange {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly attempt: RequestAttempt | undefined;
}
