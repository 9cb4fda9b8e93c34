import { Module } from '@nestjs/common';
import { ObservationController } from './observation.controller.js';
import { StacController } from './stac.controller.js';

@Module({ controllers: [ObservationController, StacController] })
export class ObservationHttpModule {}
