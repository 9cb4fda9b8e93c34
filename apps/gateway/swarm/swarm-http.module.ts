import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { SwarmController } from './swarm.controller.js';

@Module({ controllers: [SwarmController], providers: [ApiGuard] })
export class SwarmHttpModule {}
