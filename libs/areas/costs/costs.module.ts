import { Module } from '@nestjs/common';
import { AttemptRecorder } from './attempt-recorder.js';
import { MarginHandler } from './margin.handler.js';

@Module({ providers: [AttemptRecorder, MarginHandler], exports: [AttemptRecorder] })
export class CostsModule {}
