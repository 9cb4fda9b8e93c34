import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { StreamEnds } from '../sse/stream-ends.js';
import { QuantizationController } from './quantization.controller.js';

@Module({ controllers: [QuantizationController], providers: [ApiGuard, StreamEnds] })
export class QuantizationHttpModule {}
