import { DomainError } from '#platform/kernel/domain-error.js';
import { type ErrorMeaning } from '#platform/runtime/areas/failure.js';

export type UploadedModelErrorCode =
  | 'uploaded_model_file_unknown'
  | 'uploaded_model_file_invalid'
  | 'uploaded_model_side_file_invalid'
  | 'uploaded_model_unsupported'
  | 'uploaded_model_too_large'
  | 'uploaded_model_vocabulary_mismatch'
  | 'uploaded_model_storage_full'
  | 'uploaded_model_not_priced';

export const uploadedModelErrors: Readonly<Record<UploadedModelErrorCode, ErrorMeaning>> = {
  uploaded_model_file_unknown: { status: 404, param: 'file' },
  uploaded_model_file_invalid: { status: 422, param: 'file' },
  uploaded_model_side_file_invalid: { status: 422 },
  uploaded_model_unsupported: { status: 422, param: 'file' },
  uploaded_model_too_large: { status: 422, param: 'file' },
  uploaded_model_vocabulary_mismatch: { status: 422, param: 'card.base_tokenizer' },
  uploaded_model_storage_full: { status: 409, param: 'file' },
  uploaded_model_not_priced: { status: 503 },
};

export const reject = (code: UploadedModelErrorCode, detail: string): never => {
  throw new DomainError<UploadedModelErrorCode>(code, detail);
};
