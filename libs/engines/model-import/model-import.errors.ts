export const MODEL_IMPORT_CODES = [
  /** The file is damaged, or its parts contradict each other. */
  'file_invalid',
  /** Another architecture, tokenizer, format or feature than is computed here. */
  'unsupported',
  'too_large',
  /** `config.json` or `tokenizer.json` is missing or cannot be read. */
  'side_file_invalid',
] as const;
export type ModelImportCode = (typeof MODEL_IMPORT_CODES)[number];

export class ModelImportError extends Error {
  override readonly name = 'ModelImportError';

  constructor(
    readonly code: ModelImportCode | 'crashed' | 'closed',
    message: string,
  ) {
    super(message);
  }
}

export const reject = (code: ModelImportCode, message: string): never => {
  throw new ModelImportError(code, message);
};
