import { Module } from '@nestjs/common';
import { PassesController } from './passes.controller.js';
import { StationsController } from './stations.controller.js';

@Module({ controllers: [PassesController, StationsController] })
export class OrbitHttpModule {}
