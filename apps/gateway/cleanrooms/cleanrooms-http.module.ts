import { Module } from '@nestjs/common';
import { AttestationKeyController } from './attestation-key.controller.js';
import { CleanroomsController } from './cleanrooms.controller.js';
import { QueriesController } from './queries.controller.js';
import { RoomActionsController } from './room-actions.controller.js';

@Module({
  controllers: [
    RoomActionsController,
    CleanroomsController,
    QueriesController,
    AttestationKeyController,
  ],
})
export class CleanroomsHttpModule {}
