import { Module } from '@nestjs/common';
import { QuantizationResultHandler } from './quantization.query.js';
import { QuantizationRunner } from './quantization-runner.js';
import { QuantizationTexts } from './quantization-texts.js';
import { QuantizeModelHandler } from './quantize-model.handler.js';

@Module({
  providers: [
    QuantizationTexts,
    QuantizationRunner,
    QuantizeModelHandler,
    QuantizationResultHandler,
  ],
})
export class QuantizationModule {}
