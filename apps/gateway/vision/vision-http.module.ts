import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { VisionController } from './vision.controller.js';

@Module({ controllers: [VisionController], providers: [ApiGuard] })
export class VisionHttpModule {}
