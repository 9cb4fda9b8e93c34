import { Module } from '@nestjs/common';
import { Guards } from './guards.js';
import { HitRecorder } from './hit-recorder.js';
import { GuardWebhooks } from './webhooks/guard-webhooks.js';

@Module({ providers: [HitRecorder, GuardWebhooks, Guards], exports: [Guards] })
export class GuardsModule {}
