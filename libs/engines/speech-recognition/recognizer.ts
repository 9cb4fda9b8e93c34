import { LogMel } from './features/log-mel.js';
import { likeliestWord, type Listened, wordsIn } from './heard-words.js';
import { SpeechNetwork } from './network.js';
import { type SpeechModel } from './speech-model.js';
import { type HeardWord } from './speech.protocol.js';

export interface Heard {
  readonly heard: readonly HeardWord[];
  readonly noSpeechProbability: number;
}

/** Hears the words of one model. */
export class Recognizer {
  readonly #logMel: LogMel;
  readonly #network: SpeechNetwork;

  constructor(readonly model: SpeechModel) {
    this.#logMel = new LogMel(model.card.features);
    this.#network = new SpeechNetwork(model.card, model.weights);
  }

  /** Samples for one row of scores: windows that begin at a multiple of it agree with the whole. */
  get rowSamples(): number {
    return this.#network.stride * this.model.card.features.hopSamples;
  }

  /**
   * The words of a window.
   * @param samples from -1 to 1
   * @param context samples before and behind the words that are reported
   */
  hear(samples: Float32Array, context: { readonly before: number; readonly after: number }): Heard {
    const { card } = this.model;
    const listened = this.listen(samples);
    const labels = card.words.length + 2;
    const from = Math.floor(context.before / this.rowSamples);
    const rows = listened.logProbabilities.length / labels;
    const to =
      context.after === 0 ? rows : Math.floor((samples.length - context.after) / this.rowSamples);
    const reported = listened.logProbabilities.subarray(from * labels, to * labels);
    return {
      heard: wordsIn(listened, card, [from, to]),
      noSpeechProbability: 1 - Math.min(1, likeliestWord(reported, labels)),
    };
  }

  listen(samples: Float32Array): Listened {
    const { bands, frameSamples } = this.model.card.features;
    // A recording that is shorter than a frame is heard with silence behind it.
    const whole = samples.length < frameSamples ? padded(samples, frameSamples) : samples;
    const mel = this.#logMel.of(whole);
    const energies = new Float32Array(mel.length / bands);
    for (let frame = 0; frame < energies.length; frame += 1) {
      let sum = 0;
      for (let band = 0; band < bands; band += 1) sum += mel[frame * bands + band] ?? 0;
      energies[frame] = sum / bands;
    }
    const logProbabilities = this.#network.logProbabilities(mel);
    return { logProbabilities, energies, framesPerRow: this.#network.stride };
  }
}

const padded = (samples: Float32Array, length: number): Float32Array => {
  const whole = new Float32Array(length);
  whole.set(samples);
  return whole;
};
