import { Module } from '@nestjs/common';
import { RigViews } from './rig-views.js';
import { RoutingController } from './routing.controller.js';
import { RigsController } from './rigs.controller.js';

@Module({ controllers: [RigsController, RoutingController], providers: [RigViews] })
export class RigsHttpModule {}
