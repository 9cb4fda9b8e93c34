import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Observable } from 'rxjs';
import { AUDIO_SETTINGS, type AudioSettings } from '#areas/audio/audio.settings.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { readAudioForm } from './audio-form.js';

/**
 * Reads the form of a route, as its body, before an idempotent request is compared: of an account
 * that has money.
 */
@Injectable()
export class AudioFormInterceptor implements NestInterceptor {
  constructor(
    private readonly ledger: Ledger,
    private readonly uploads: OpenUploads,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (!caller) throw new Error('a form of audio needs a guard that sets the caller');
    await this.ledger.demandFunds(caller.accountId, request.id);
    const { fileBytesMax } = this.settings;
    const form = () => readAudioForm(request, fileBytesMax);
    request.body = await this.uploads.during(caller.accountId, form);
    return next.handle();
  }
}
