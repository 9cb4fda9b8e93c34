import { type Provider } from '@nestjs/common';
import { FileStore } from '#areas/files/file-store.js';
import { ResidentModels } from '#areas/training/resident-models.port.js';
import { type TrainingErrorCode } from '#areas/training/training.decider.js';
import { TrainingFiles } from '#areas/training/training-files.port.js';
import { bindFiledModels } from '../filed-models.js';
import { TrainableModels } from './trainable-models.binding.js';
import { StoredTrainingFiles } from './training-files.binding.js';

export const bindings: readonly Provider[] = [
  bindFiledModels<ResidentModels, TrainingErrorCode>(
    ResidentModels,
    { unknown: 'training_model_unknown', unsuitable: 'training_model_unsuitable' },
    (models) => new TrainableModels(models),
  ),
  {
    provide: TrainingFiles,
    inject: [{ token: FileStore, optional: true }],
    useFactory: (files?: FileStore) => new StoredTrainingFiles(files),
  },
];
