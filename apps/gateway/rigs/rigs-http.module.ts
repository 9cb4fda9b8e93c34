import { Module } from '@nestjs/common';
import { RigViews } from './rig-views.js';
import { RigsController } from './rigs.controller.js';

@Module({ controllers: [RigsController], providers: [RigViews] })
export class RigsHttpModule {}
