import { Module } from '@nestjs/common';
import { MarginController } from './margin.controller.js';

@Module({ controllers: [MarginController] })
export class CostsHttpModule {}
