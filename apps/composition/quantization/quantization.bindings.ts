import { QuantizableModels } from '#areas/quantization/quantizable-models.port.js';
import { type QuantizationErrorCode } from '#areas/quantization/quantization.errors.js';
import { bindFiledModels } from '../filed-models.js';

export const bindings = [
  bindFiledModels<QuantizableModels, QuantizationErrorCode>(
    QuantizableModels,
    { unknown: 'quantization_model_unknown', unsuitable: 'quantization_model_unsuitable' },
    (models) => models,
  ),
];
