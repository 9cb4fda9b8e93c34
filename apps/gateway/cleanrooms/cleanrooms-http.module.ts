import { Module } from '@nestjs/common';
import { CleanroomsController } from './cleanrooms.controller.js';
import { QueriesController } from './queries.controller.js';
import { RoomActionsController } from './room-actions.controller.js';

@Module({ controllers: [RoomActionsController, CleanroomsController, QueriesController] })
export class CleanroomsHttpModule {}
