/** The record of `record.py`, as specs read it. */
import { readFileSync } from 'node:fs';

type Programs = Readonly<Record<string, string>>;

export type ShippedLanguageModel = 'nano' | 'mini' | 'mini-draft';

export interface PromptVectors {
  /** In the chat template, up to where the assistant begins. */
  readonly text: string;
  readonly ids: readonly number[];
  /** After the last id, one for each entry of the vocabulary. */
  readonly lastLogits: readonly number[];
  /** After each id, the highest logits as pairs of id and logit, the highest first. */
  readonly topLogits: readonly (readonly (readonly [id: number, logit: number])[])[];
  /** At most 32 tokens at temperature 0, without the end-of-turn token. */
  readonly greedy: readonly number[];
  /** The same with a draft that proposes this many tokens at a time; null without a draft. */
  readonly assisted: Readonly<Record<string, readonly number[]>> | null;
}

export interface LanguageModelVectors {
  readonly programs: Programs;
  /** In `models/`. */
  readonly file: string;
  readonly sha256: string;
  /** The model that proposed tokens in `assisted`. */
  readonly draft: ShippedLanguageModel | null;
  readonly prompts: readonly PromptVectors[];
}

export interface DistillationVectors {
  readonly programs: Programs;
  /** Logits `[positions, vocabulary]`, as the teacher's and the gradients. */
  readonly student: readonly (readonly number[])[];
  readonly teacher: readonly (readonly number[])[];
  readonly targets: readonly number[];
  readonly weights: readonly number[];
  readonly cases: readonly {
    readonly temperature: number;
    readonly alpha: number;
    readonly beta: number;
    readonly loss: number;
    readonly gradient: readonly (readonly number[])[];
  }[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), 'utf8'));

export const languageModelVectors = (name: ShippedLanguageModel): LanguageModelVectors =>
  read(name) as LanguageModelVectors;

export const distillationVectors = (): DistillationVectors =>
  read('distillation') as DistillationVectors;

/** Chats in the templates of `templates/`, as `record_templates.py` recorded them. */
export interface TemplateVectors {
  readonly programs: Programs;
  readonly templates: Readonly<
    Record<
      string,
      readonly {
        readonly messages: readonly {
          readonly role: 'system' | 'user' | 'assistant' | 'tool';
          readonly content: string;
          readonly tool_calls?: readonly {
            readonly function: { readonly name: string; readonly arguments: Fields };
          }[];
        }[];
        readonly tools: readonly { readonly function: RecordedFunction }[] | null;
        readonly text: string;
      }[]
    >
  >;
}

type Fields = Readonly<Record<string, unknown>>;

interface RecordedFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
}

export const templateVectors = (): TemplateVectors => read('templates') as TemplateVectors;

/** The Jinja of a template. */
export const templateText = (name: string): string =>
  readFileSync(new URL(`templates/${name}.jinja`, import.meta.url), 'utf8').trimEnd();
