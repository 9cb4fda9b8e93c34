/** What is written down about mini and its draft, as their files hold it. */
import type { Manifest } from '../manifest.js';
import type { FamilyRecipe } from './family.recipe.js';

export interface HeldOutScore {
  readonly perplexity: number;
  readonly tokens: number;
}

/** Figures of `evaluate.py`; what they mean is said there. */
export interface Acceptance {
  readonly prompts: number;
  readonly tokens: number;
  readonly greedyByPosition: readonly number[];
  readonly sampled: number;
}

/** A file of the same folder. */
export interface FileReference {
  readonly file: string;
  readonly sha256: string;
}

/** `mini.json` and `mini-draft.json`. */
export interface FamilyManifest extends Manifest {
  /** Where the ids of the tokenizer come from. */
  readonly tokenizerOf: string;
  /** Over the first batch of the held-out questions, which a test computes again. */
  readonly heldOutSample: HeldOutScore;
  /** By name of the model, on the held-out questions that all models were taught the answers of. */
  readonly sharedHeldOut: Readonly<Record<string, HeldOutScore>>;
  readonly distillation: FamilyRecipe['distillation'];
  /** The model that proposes tokens for this one. */
  readonly draft: FileReference | null;
  /** The model for which this one proposes tokens, and how many of them are kept. */
  readonly target: (FileReference & { readonly acceptance: Acceptance }) | null;
}
