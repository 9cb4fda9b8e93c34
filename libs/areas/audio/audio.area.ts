import { defineArea } from '#platform/runtime/areas/area.js';
import { audioErrors, audioFailures } from './audio.errors.js';
import { AudioModule } from './audio.module.js';
import { longTranscriptionProduct, speechProduct, transcriptionProduct } from './audio.product.js';
import { audioSettings } from './audio.settings.js';
import { transcriptionJob } from './jobs/transcription.job.js';
import { speechRecognitionEngine } from './speech-recognition.engine.js';
import { AudioUpstreams } from './upstreams/audio-upstreams.js';

/** Writes no events: the evidence of its products is in the ledger's events. */
export const audioArea = defineArea({
  name: 'audio',
  description: 'Transcriptions of recordings, and texts that are spoken.',
  products: [transcriptionProduct, longTranscriptionProduct, speechProduct],
  jobs: [transcriptionJob],
  engines: [speechRecognitionEngine],
  errors: audioErrors,
  failures: audioFailures,
  settings: [audioSettings],
  modelSources: [AudioUpstreams],
  module: AudioModule,
});
