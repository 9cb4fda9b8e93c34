import { Module } from '@nestjs/common';
import { ChangeRoomHandler } from './change-room.handler.js';
import { RoomHandler, RoomsHandler } from './cleanroom.queries.js';
import { CreateRoomHandler } from './create-room.handler.js';
import { EnclaveActions, NoEnclave } from './enclave-actions.port.js';
import { DestroyRowsHandler, RetainRowsHandler } from './keep-rows.handlers.js';
import { RoomActionHandler } from './room-action.handler.js';
import { RoomRows } from './room-rows.js';
import { Rooms } from './rooms.js';

@Module({
  providers: [
    Rooms,
    RoomRows,
    { provide: EnclaveActions, useClass: NoEnclave },
    CreateRoomHandler,
    ChangeRoomHandler,
    RoomActionHandler,
    RetainRowsHandler,
    DestroyRowsHandler,
    RoomHandler,
    RoomsHandler,
  ],
})
export class CleanroomsModule {}
