/** What the recognizer hears in recordings that it did not learn from, by the engine itself. */
import { Recognizer } from '#engines/speech-recognition/recognizer.js';
import { type SpeechCard } from '#engines/speech-recognition/speech-card.js';
import { type HeardWord } from '#engines/speech-recognition/speech.protocol.js';
import { type SpeechModel } from '#engines/speech-recognition/speech-model.js';
import { inSilence, overSound, type Recording, recordingsOf } from './speech.corpus.js';

const SAMPLE_RATE = 16_000;
const AROUND = 0.5 * SAMPLE_RATE;
/** Recordings are trimmed to this much silence at their ends. */
const TRIMMED_TO = 0.02;
const NOISE_DECIBELS = 10;

/** Recordings of each part that are scored. */
const SCORED = { words: 240, noisy: 120, others: 120 };

const WHOLE = { before: 0, after: 0 };

const hear = (recognizer: Recognizer, samples: Float32Array): readonly HeardWord[] =>
  recognizer.hear(samples, WHOLE).heard;

const said = (heard: readonly HeardWord[]): readonly string[] =>
  heard.flatMap(({ word }) => (word === null ? [] : [word]));

/** Substitutions, deletions and insertions between two texts. */
export const wordErrors = (spoken: readonly string[], heard: readonly string[]): number => {
  let row = Array.from({ length: heard.length + 1 }, (_, at) => at);
  for (const word of spoken) {
    const next = [(row[0] ?? 0) + 1];
    for (const [at, other] of heard.entries()) {
      const same = (row[at] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(same, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[heard.length] ?? 0;
};

const withThreshold = (model: SpeechModel, report: number): Recognizer => {
  const thresholds = { ...model.card.thresholds, report };
  return new Recognizer({ ...model, card: { ...model.card, thresholds } });
};

const scoreWords = (recognizer: Recognizer, recordings: readonly Recording[]) => {
  let [errors, words] = [0, 0];
  for (const { samples, words: spoken } of recordings) {
    errors += wordErrors(spoken, said(hear(recognizer, inSilence(samples, AROUND))));
    words += spoken.length;
  }
  return { utterances: recordings.length, words, wordErrorRate: rounded(errors / words) };
};

const scoreNegatives = (recognizer: Recognizer, recordings: readonly Recording[]) => {
  let [invented, samples] = [0, 0];
  for (const one of recordings) {
    invented += said(hear(recognizer, inSilence(one.samples, AROUND))).length;
    samples += one.samples.length + 2 * AROUND;
  }
  return {
    recordings: recordings.length,
    seconds: rounded(samples / SAMPLE_RATE),
    inventedWords: invented,
  };
};

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

const CANDIDATES = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99];
/** Of recordings with other speech, in which a word may be reported, and may be called sure. */
const INVENTED_PARTS_MAX = { report: 1 / 6, confident: 1 / 20 };
const CALIBRATED_OTHERS = 150;

/**
 * The lowest thresholds at which no sound, and few recordings of other speech, are taken for words.
 * The voices are voices of the training, the recordings are new.
 */
export const calibrate = async (
  model: SpeechModel,
  folder: string,
): Promise<SpeechCard['thresholds']> => {
  const recognizer = withThreshold(model, 0);
  const sureOf = ({ samples }: Recording): number =>
    Math.max(
      0,
      ...hear(recognizer, inSilence(samples, AROUND)).map(({ word, confidence }) =>
        word === null ? 0 : confidence,
      ),
    );
  const sounds = (await recordingsOf(folder, 'calibrationSounds')).map(sureOf);
  const recorded = await recordingsOf(folder, 'calibrationOthers');
  const others = recorded.slice(0, CALIBRATED_OTHERS).map(sureOf);
  const lowest = (part: number): number =>
    CANDIDATES.find(
      (threshold) =>
        sounds.every((sure) => sure < threshold) &&
        others.filter((sure) => sure >= threshold).length <= part * others.length,
    ) ?? 0.99;
  const { report, confident } = INVENTED_PARTS_MAX;
  return { report: lowest(report), confident: lowest(confident) };
};

const medianOf = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const timeErrorMs = (recognizer: Recognizer, recordings: readonly Recording[]): number => {
  const errors = recordings.flatMap(({ samples, words }) => {
    if (words.length !== 1) return [];
    const [heard] = hear(recognizer, inSilence(samples, AROUND));
    if (!heard || heard.word !== words[0]) return [];
    const start = AROUND / SAMPLE_RATE + TRIMMED_TO;
    const end = (AROUND + samples.length) / SAMPLE_RATE - TRIMMED_TO;
    return [Math.abs(heard.start - start), Math.abs(heard.end - end)];
  });
  return rounded(medianOf(errors) * 1_000);
};

/** The scores of the card. */
export const evaluateSpeech = async (
  model: SpeechModel,
  folder: string,
): Promise<SpeechCard['heldOut']> => {
  const recognizer = new Recognizer(model);
  const all = await recordingsOf(folder, 'heldOutWords');
  const words = all.slice(0, SCORED.words);
  const sounds = await recordingsOf(folder, 'heldOutSounds');
  const others = await recordingsOf(folder, 'heldOutOthers');
  const noisy = words.slice(0, SCORED.noisy).map((one, at) => {
    const sound = sounds[at % sounds.length]?.samples ?? one.samples;
    return { ...one, samples: overSound(one.samples, sound, NOISE_DECIBELS) };
  });
  const spokenBy = (name: string) => words.filter(({ program }) => program === name);
  return {
    espeakVoices: scoreWords(recognizer, spokenBy('espeak-ng')),
    fliteVoices: scoreWords(recognizer, spokenBy('flite')),
    noisy: scoreWords(recognizer, noisy),
    sounds: scoreNegatives(recognizer, sounds),
    otherSpeech: scoreNegatives(recognizer, others.slice(0, SCORED.others)),
    wordTimeErrorMs: timeErrorMs(recognizer, words),
  };
};
