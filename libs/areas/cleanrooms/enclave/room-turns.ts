import { Injectable } from '@nestjs/common';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { CleanroomFailure } from '../cleanrooms.failures.js';

/** Attestations, deposits and evaluations at once, of all accounts and of one. */
export const TURNS = {
  total: 8,
  perAccount: 2,
  reserve: 4,
  waitingMax: 16,
  waitMsMax: 10_000,
};

/** Divides the work of clean rooms in this process among accounts. */
@Injectable()
export class RoomTurns extends AccountTurns {
  constructor() {
    super(
      TURNS,
      (options) => new CleanroomFailure('busy', 'too many requests wait; try again', options),
    );
  }
}
