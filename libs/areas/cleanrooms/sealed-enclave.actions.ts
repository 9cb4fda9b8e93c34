import { Injectable } from '@nestjs/common';
import { RoomAttestation } from './attestation/room-attestation.js';
import { SealedDeposits } from './deposits/sealed-deposits.js';
import { RoomTurns } from './enclave/room-turns.js';
import { EnclaveActions, type EnclaveStatus, type RoomAction } from './enclave-actions.port.js';

/** The actions of rooms by the enclave process of this gateway. */
@Injectable()
export class SealedEnclaveActions extends EnclaveActions {
  constructor(
    private readonly attestation: RoomAttestation,
    private readonly deposits: SealedDeposits,
    private readonly turns: RoomTurns,
  ) {
    super();
  }

  override status(): Promise<EnclaveStatus> {
    return Promise.resolve(this.attestation.status);
  }

  override attest({ room, accountId, fields }: RoomAction) {
    return this.turns.run(accountId, () => this.attestation.attest(room, fields['nonce']));
  }

  override deposit(action: RoomAction) {
    return this.turns.run(action.accountId, () => this.deposits.deposit(action));
  }
}
