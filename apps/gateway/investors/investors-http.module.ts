import { Module } from '@nestjs/common';
import { RigThermals } from '#areas/investors/rig-thermals.js';
import { InvestorsController } from './investors.controller.js';

/** Heartbeats are heard where temperatures are shown. */
@Module({ controllers: [InvestorsController], providers: [RigThermals] })
export class InvestorsHttpModule {}
