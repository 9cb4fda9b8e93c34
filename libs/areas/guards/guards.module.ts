import { Module } from '@nestjs/common';
import { Guards } from './guards.js';
import { HitRecorder } from './hit-recorder.js';

@Module({ providers: [HitRecorder, Guards], exports: [Guards] })
export class GuardsModule {}
