import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { LiveController } from './live.controller.js';
import { Signalling } from './signalling.js';

@Module({ controllers: [LiveController], providers: [ApiGuard, Signalling] })
export class LiveHttpModule {}
