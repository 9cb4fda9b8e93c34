import { type SpeechCard } from './speech-card.js';
import { type HeardWord } from './speech.protocol.js';

/** Scores of a window and the energies under them. */
export interface Listened {
  /** Logarithms of probabilities, `[rows, words + 2]`. */
  readonly logProbabilities: Float32Array;
  /** Of each frame: the mean over the bands of the log energies. */
  readonly energies: Float32Array;
  /** Frames for one row. */
  readonly framesPerRow: number;
}

/** A label that the network emits, where it is surest of it. */
interface Emission {
  readonly label: number;
  readonly row: number;
  readonly probability: number;
}

const BLANK = 0;

/** The likeliest label of each row; equal neighbours are one, and blanks are dropped. */
const emissionsOf = (logProbabilities: Float32Array, labels: number): readonly Emission[] => {
  const emissions: Emission[] = [];
  let before = BLANK;
  for (let row = 0; row < logProbabilities.length / labels; row += 1) {
    const scores = logProbabilities.subarray(row * labels, (row + 1) * labels);
    let label = 0;
    for (let at = 1; at < labels; at += 1) if ((scores[at] ?? 0) > (scores[label] ?? 0)) label = at;
    const emission = { label, row, probability: Math.exp(scores[label] ?? 0) };
    const last = emissions.at(-1);
    if (label !== BLANK && label !== before) emissions.push(emission);
    else if (label !== BLANK && last && emission.probability > last.probability) {
      emissions[emissions.length - 1] = emission;
    }
    before = label;
  }
  return emissions;
};

/** The highest probability of any word in any row. */
export const likeliestWord = (logProbabilities: Float32Array, labels: number): number => {
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < logProbabilities.length; at += 1) {
    const label = at % labels;
    if (label !== BLANK && label !== labels - 1) {
      highest = Math.max(highest, logProbabilities[at] ?? highest);
    }
  }
  return highest === Number.NEGATIVE_INFINITY ? 0 : Math.exp(highest);
};

/** Frames in which a word ends may lie this far from the row that emits it. */
const REACH_FRAMES = 80;
/** Between the quietest and the loudest frame around a word, above which it sounds. */
const SOUNDING_PART = 0.3;

/** The frames of a word: the loud ones around its row, up to the quietest before a neighbour. */
const spanOf = (
  row: number,
  { before, after }: { readonly before: number; readonly after: number },
  { energies, framesPerRow }: Listened,
): readonly [number, number] => {
  const centre = Math.min(row * framesPerRow, energies.length - 1);
  const first = quietest(energies, Math.max(before * framesPerRow, centre - REACH_FRAMES), centre);
  const last = quietest(energies, centre, Math.min(after * framesPerRow, centre + REACH_FRAMES));
  const around = energies.subarray(first, last + 1);
  const low = around.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const high = around.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const sounds = (frame: number): boolean =>
    (energies[frame] ?? low) > low + SOUNDING_PART * (high - low);
  let [start, end] = [first, last];
  while (start < end && !sounds(start)) start += 1;
  while (end > start && !sounds(end)) end -= 1;
  return [start, end + 1];
};

const quietest = (energies: Float32Array, from: number, to: number): number => {
  let [found, lowest] = [from, Number.POSITIVE_INFINITY];
  for (let at = from; at <= Math.min(to, energies.length - 1); at += 1) {
    const energy = energies[at] ?? lowest;
    if (energy < lowest) [found, lowest] = [at, energy];
  }
  return found;
};

/** The words of a window whose rows are within these bounds; the second is excluded. */
export const wordsIn = (
  listened: Listened,
  card: SpeechCard,
  [firstRow, endRow]: readonly [number, number],
): readonly HeardWord[] => {
  const { words, thresholds, features } = card;
  const emissions = emissionsOf(listened.logProbabilities, words.length + 2);
  const rows = listened.energies.length / listened.framesPerRow;
  const secondsOf = (frame: number): number => (frame * features.hopSamples) / features.sampleRate;
  return emissions.flatMap(({ label, row, probability }, at) => {
    if (row < firstRow || row >= endRow) return [];
    const neighbours = {
      before: emissions[at - 1]?.row ?? 0,
      after: emissions[at + 1]?.row ?? rows,
    };
    const [start, end] = spanOf(row, neighbours, listened);
    const isSure = probability >= thresholds.report;
    const word = isSure ? (words[label - 1] ?? null) : null;
    const confidence = Math.min(1, probability);
    return [{ word, start: secondsOf(start), end: secondsOf(end), confidence }];
  });
};
