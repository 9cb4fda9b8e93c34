import { Module } from '@nestjs/common';
import { NodeThermals } from '#areas/investors/node-thermals.js';
import { InvestorsController } from './investors.controller.js';

/** Heartbeats are heard where temperatures are shown. */
@Module({ controllers: [InvestorsController], providers: [NodeThermals] })
export class InvestorsHttpModule {}
