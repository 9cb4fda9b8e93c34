import { Module } from '@nestjs/common';
import { AnswerRunner } from './answer-runner.js';
import { AskRoomHandler } from './ask-room.handler.js';
import { AuditRoomsHandler } from './audit-rooms.query.js';
import { ChangeRoomHandler } from './change-room.handler.js';
import { RoomHandler, RoomsHandler } from './cleanroom.queries.js';
import { CreateRoomHandler } from './create-room.handler.js';
import { EnclaveActions, NoEnclave } from './enclave-actions.port.js';
import { ReleasePrivacyHandler, RetainAnswerHandler } from './end-reservation.handlers.js';
import { DestroyRowsHandler, RetainRowsHandler } from './keep-rows.handlers.js';
import { MaySeeSpendHandler } from './may-see-spend.query.js';
import { QueryAdmission } from './query-admission.js';
import { RoomActionHandler } from './room-action.handler.js';
import { RoomRows } from './room-rows.js';
import { Rooms } from './rooms.js';
import { SpendsHandler } from './spends.query.js';
import { StoredAnswers } from './stored-answers.js';
import { SynthesisChatStrategy } from './synthesis-chat.strategy.js';

@Module({
  providers: [
    Rooms,
    RoomRows,
    StoredAnswers,
    QueryAdmission,
    AnswerRunner,
    AskRoomHandler,
    SynthesisChatStrategy,
    ReleasePrivacyHandler,
    RetainAnswerHandler,
    { provide: EnclaveActions, useClass: NoEnclave },
    CreateRoomHandler,
    ChangeRoomHandler,
    RoomActionHandler,
    RetainRowsHandler,
    DestroyRowsHandler,
    RoomHandler,
    RoomsHandler,
    AuditRoomsHandler,
    MaySeeSpendHandler,
    SpendsHandler,
  ],
})
export class CleanroomsModule {}
