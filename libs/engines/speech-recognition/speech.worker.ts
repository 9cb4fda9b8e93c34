/** The thread that hears, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { answerTasks } from '#platform/threads/task-thread.js';
import { Recognizer } from './recognizer.js';
import { samplesIn } from './audio/samples.js';
import { loadSpeechModel } from './speech-model.js';
import { SpeechEngineError } from './speech.errors.js';
import { type SpeechEnd, type SpeechInput } from './speech.protocol.js';

let opened: Promise<Recognizer> | null = null;

/** A model that could not be read is read again by the next task. */
const recognizer = async (): Promise<Recognizer> => {
  opened ??= loadSpeechModel(workerData as readonly string[]).then(
    (model) => new Recognizer(model),
  );
  try {
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
};

answerTasks(async ({ samples, before, after }: SpeechInput): Promise<SpeechEnd> => {
  const listener = await recognizer();
  const { name, weightsSha256 } = listener.model.card;
  const bytes = Buffer.from(samples, 'base64');
  const { heard: words, noSpeechProbability } = listener.hear(samplesIn(bytes), { before, after });
  return { model: name, weightsSha256, heard: [...words], noSpeechProbability };
}, SpeechEngineError);
