import { type ErrorMeaning } from '#platform/runtime/areas/failure.js';
import { type TrainingErrorCode } from './training.decider.js';

export const trainingErrors: Readonly<Record<TrainingErrorCode, ErrorMeaning>> = {
  training_name_used: { status: 409, param: 'job_name' },
  training_model_unknown: { status: 404, param: 'model' },
  training_model_unsuitable: { status: 422, param: 'model' },
  training_vocabulary_mismatch: { status: 422, param: 'teacher_model' },
  training_text_unknown: { status: 404, param: 'training_file' },
  training_text_invalid: { status: 422, param: 'training_file' },
  training_field_invalid: { status: 400 },
  training_not_priced: { status: 503 },
  training_not_found: { status: 404, param: 'id' },
};
