import { Module } from '@nestjs/common';
import { AnswerRunner } from './answer-runner.js';
import { AskRoomHandler } from './ask-room.handler.js';
import { AuditRoomsHandler } from './audit-rooms.query.js';
import { ChangeRoomHandler } from './change-room.handler.js';
import { RoomHandler, RoomsHandler } from './cleanroom.queries.js';
import { CreateRoomHandler } from './create-room.handler.js';
import { ReceiptKeyHandler, ReceiptSigner } from './attestation/receipt-signer.js';
import { RoomAttestation } from './attestation/room-attestation.js';
import { SealedDeposits } from './deposits/sealed-deposits.js';
import { EnclaveActions } from './enclave-actions.port.js';
import { EnclaveChatStrategy } from './enclave/enclave-chat.strategy.js';
import { EnclaveChats } from './enclave/enclave-chats.js';
import { EnclaveHost } from './enclave/enclave-host.js';
import { RoomTurns } from './enclave/room-turns.js';
import { HomomorphicChatStrategy } from './homomorphic/homomorphic-chat.strategy.js';
import { HomomorphicChats } from './homomorphic/homomorphic-chats.js';
import { HomomorphicEngine } from './homomorphic/homomorphic.engine.js';
import { ReleasePrivacyHandler, RetainAnswerHandler } from './end-reservation.handlers.js';
import { DestroyRowsHandler, RetainRowsHandler } from './keep-rows.handlers.js';
import { MaySeeSpendHandler } from './may-see-spend.query.js';
import { QueryAdmission } from './query-admission.js';
import { RoomActionHandler } from './room-action.handler.js';
import { RoomRows } from './room-rows.js';
import { Rooms } from './rooms.js';
import { SealedEnclaveActions } from './sealed-enclave.actions.js';
import { SpendsHandler } from './spends.query.js';
import { StoredAnswers } from './stored-answers.js';
import { SynthesisChatStrategy } from './synthesis-chat.strategy.js';

@Module({
  providers: [
    Rooms,
    RoomRows,
    RoomTurns,
    EnclaveHost,
    ReceiptSigner,
    ReceiptKeyHandler,
    RoomAttestation,
    SealedDeposits,
    { provide: EnclaveActions, useClass: SealedEnclaveActions },
    EnclaveChats,
    EnclaveChatStrategy,
    { provide: HomomorphicEngine, useFactory: () => new HomomorphicEngine() },
    HomomorphicChats,
    HomomorphicChatStrategy,
    StoredAnswers,
    QueryAdmission,
    AnswerRunner,
    AskRoomHandler,
    SynthesisChatStrategy,
    ReleasePrivacyHandler,
    RetainAnswerHandler,
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
