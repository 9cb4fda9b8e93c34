import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { SwarmController } from './swarm.controller.js';
import { SwarmSettler } from './swarm.settler.js';

@Module({ controllers: [SwarmController], providers: [ApiGuard, SwarmSettler] })
export class SwarmHttpModule {}
