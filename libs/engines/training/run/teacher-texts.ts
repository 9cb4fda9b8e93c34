/** Texts that a teacher writes: the likeliest token each time, so that they are the same again. */
import { type LayeredModel } from '../../llama-layers/run/layered-model.js';
import { LayerStack } from '../../llama-layers/model/layer-stack.js';
import { sample } from '../../llama-layers/text/sampler.js';
import { type TokenDocument } from '../text/documents.js';

const LIKELIEST = { temperature: 0, topP: 1, seed: 0 } as const;

export class TeacherTexts {
  private constructor(
    private readonly teacher: LayeredModel,
    private readonly stack: LayerStack,
  ) {}

  static async open(teacher: LayeredModel): Promise<TeacherTexts> {
    return new TeacherTexts(teacher, await LayerStack.load(teacher.modelFile, teacher.header));
  }

  /** Continues a beginning until the teacher ends it, or for `tokensMax` tokens. */
  write(beginning: readonly number[], tokensMax: number): readonly number[] {
    const cache = this.stack.open();
    const written: number[] = [];
    const room = this.teacher.header.shape.contextTokens - beginning.length;
    let logits = this.stack.forward(cache, Int32Array.from(beginning), true);
    for (let left = Math.min(tokensMax, room); left > 0; left -= 1) {
      const token = sample(logits, LIKELIEST, written.length);
      written.push(token);
      if (this.teacher.tokenizer.endIds.has(token) || left === 1) break;
      logits = this.stack.forward(cache, Int32Array.of(token), true);
    }
    cache.dispose();
    return written;
  }

  dispose(): void {
    this.stack.dispose();
  }
}

/** The written part counts, the beginning does not. */
export const writtenDocument = (
  beginning: readonly number[],
  written: readonly number[],
): TokenDocument => ({
  ids: [...beginning, ...written],
  weights: [...beginning.map(() => 0), ...written.map(() => 1)],
});
