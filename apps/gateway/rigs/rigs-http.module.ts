import { Module } from '@nestjs/common';
import { RigsController } from './rigs.controller.js';

@Module({ controllers: [RigsController] })
export class RigsHttpModule {}
