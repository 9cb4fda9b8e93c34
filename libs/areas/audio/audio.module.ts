import { Module } from '@nestjs/common';
import { EmbeddedRecognizer } from './embedded-recognizer.js';
import { LongTranscripts } from './jobs/long-transcripts.js';
import { TranscriptionRunner } from './jobs/transcription-runner.js';
import { Recordings } from './recordings.js';
import { SpeakHandler } from './speak.handler.js';
import { TranscribeHandler } from './transcribe.handler.js';
import { AudioUpstreams } from './upstreams/audio-upstreams.js';

@Module({
  providers: [
    AudioUpstreams,
    EmbeddedRecognizer,
    LongTranscripts,
    Recordings,
    SpeakHandler,
    TranscribeHandler,
    TranscriptionRunner,
  ],
  exports: [AudioUpstreams, LongTranscripts, SpeakHandler, TranscribeHandler],
})
export class AudioModule {}
