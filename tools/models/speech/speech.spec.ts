import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadSpeechModel } from '#engines/speech-recognition/speech-model.js';
import { wordErrors } from './speech.evaluation.js';
import { inSilence, overSound } from './speech.corpus.js';
import { SPEECH_RECIPE } from './speech.recipe.js';

describe('the training of the speech recognizer', () => {
  it('counts substituted, deleted and inserted words', () => {
    expect(wordErrors(['one', 'two'], ['one', 'two'])).toBe(0);
    expect(wordErrors(['one', 'two'], ['two'])).toBe(1);
    expect(wordErrors(['one', 'two'], ['one', 'up', 'two', 'go'])).toBe(2);
    expect(wordErrors(['one', 'two', 'three'], ['four', 'two'])).toBe(2);
    expect(wordErrors([], ['one'])).toBe(1);
  });

  it('puts sounds under speech at a level', () => {
    const tone = Float32Array.from({ length: 1_000 }, (_, at) => Math.sin(at));
    const silent = new Float32Array(1_000);
    const under = overSound(tone, tone, 20).map((sample, at) => sample - (tone[at] ?? 0));
    expect(Math.max(...under)).toBeCloseTo(0.1, 2);
    expect(inSilence(silent, 5).length).toBe(1_010);
  });

  it('holds out voices and words', () => {
    const { espeak, flite, otherWords, heldOutOtherWords, words } = SPEECH_RECIPE;
    const shared = (one: readonly string[], other: readonly string[]) =>
      one.filter((name) => other.includes(name));
    expect(shared(espeak.variants, espeak.heldOutVariants)).toEqual([]);
    expect(shared(espeak.languages, espeak.heldOutLanguages)).toEqual([]);
    expect(shared(flite.voices, flite.heldOutVoices)).toEqual([]);
    expect(shared(otherWords, heldOutOtherWords)).toEqual([]);
    expect(shared([...otherWords, ...heldOutOtherWords], words)).toEqual([]);
  });

  it('shipped the network of its recipe', async () => {
    const { card, weights } = await loadSpeechModel([path.resolve('models')]);
    expect(card).toMatchObject({
      name: SPEECH_RECIPE.name,
      words: SPEECH_RECIPE.words,
      features: SPEECH_RECIPE.features,
      network: SPEECH_RECIPE.network,
    });
    const parameters = [...weights.values()].reduce((sum, { values }) => sum + values.length, 0);
    expect(card.parameters).toBe(parameters);
    expect(card.heldOut.sounds.inventedWords).toBe(0);
  });
});
