import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { SpeechController } from './speech.controller.js';
import { TranscriptAnswers } from './transcript-answers.js';
import { TranscriptionJobsController } from './transcription-jobs.controller.js';
import { TranscriptionsController } from './transcriptions.controller.js';

@Module({
  controllers: [TranscriptionsController, TranscriptionJobsController, SpeechController],
  providers: [ApiGuard, OpenUploads, TranscriptAnswers],
})
export class AudioHttpModule {}
