/** The thread that hears, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { Recognizer } from './recognizer.js';
import { samplesIn } from './audio/samples.js';
import { loadSpeechModel } from './speech-model.js';
import { SpeechEngineError, type SpeechFailure } from './speech.errors.js';
import { type SpeechEnd, type SpeechInput } from './speech.protocol.js';

export type SpeechRequest =
  { readonly kind: 'hear'; readonly input: SpeechInput } | { readonly kind: 'close' };

export type SpeechReply =
  | { readonly end: SpeechEnd }
  | { readonly failure: SpeechFailure; readonly message: string }
  | { readonly fault: string };

const port = portOfThread();
let opened: Promise<Recognizer> | null = null;

/** A model that could not be read is read again by the next request. */
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

const heard = async ({ samples, before, after }: SpeechInput): Promise<SpeechEnd> => {
  const listener = await recognizer();
  const { name, weightsSha256 } = listener.model.card;
  const bytes = Buffer.from(samples, 'base64');
  const { heard: words, noSpeechProbability } = listener.hear(samplesIn(bytes), { before, after });
  return { model: name, weightsSha256, heard: [...words], noSpeechProbability };
};

const replyTo = async (input: SpeechInput): Promise<SpeechReply> => {
  try {
    return { end: await heard(input) };
  } catch (error) {
    if (error instanceof SpeechEngineError) return { failure: error.code, message: error.message };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

// Requests are answered in their order, which is how the calling side tells replies apart.
let last: Promise<void> = Promise.resolve();
port.on('message', (request: SpeechRequest) => {
  last = last.then(async () => {
    if (request.kind === 'close') port.close();
    else port.postMessage(await replyTo(request.input));
  });
});
