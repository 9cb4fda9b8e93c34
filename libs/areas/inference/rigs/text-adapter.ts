/** A low-rank adapter (LoRA) in the GGUF format. */
export interface TextAdapter {
  /** Absolute path. */
  readonly file: string;
  /** 1 is the strength that it was trained for; -8 to 8. */
  readonly scale: number;
}
