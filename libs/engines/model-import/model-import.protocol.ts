export const CHAT_TEMPLATES = ['chatml', 'plain'] as const;
export type ChatTemplate = (typeof CHAT_TEMPLATES)[number];

/** A model as an account brings it. */
export interface ModelImportTask {
  /** GGUF or safetensors. */
  readonly file: Uint8Array;
  /** `config.json` and `tokenizer.json`, which safetensors need. */
  readonly config: string | null;
  readonly tokenizer: string | null;
  /** Written into the file that is made. */
  readonly name: string;
  readonly licence: string;
  readonly source: string;
  /** At most the model's own; null: the model's own. */
  readonly contextTokens: number | null;
  /** Null: the file's, if it is one of these, or by its tokens where it has none. */
  readonly chatTemplate: ChatTemplate | null;
}

export interface ModelImportEnd {
  /** A GGUF file of this engine's own writing. */
  readonly file: Uint8Array;
  readonly format: 'gguf' | 'safetensors';
  readonly parameters: number;
  readonly contextTokens: number;
  /** llama.cpp's names of the formats of the tensors. */
  readonly tensorFormats: readonly string[];
  readonly chatTemplate: ChatTemplate;
  /** Two models share it exactly when their tokens are the same. */
  readonly vocabulary: string;
}
