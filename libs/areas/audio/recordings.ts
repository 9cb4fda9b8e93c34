import { Injectable } from '@nestjs/common';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { type AudioErrorCode, AudioRunError, reject } from './audio.errors.js';
import {
  AudioError,
  type AudioFault,
  type DecodedAudio,
  decodeRecording,
} from './speech-recognition.engine.js';

/** Decoders of the process at the same time. */
const DECODERS = { total: 4, perAccount: 2, reserve: 0, waitingMax: 16 };

const CODES: Readonly<Record<Exclude<AudioFault, 'decoder_failed'>, AudioErrorCode>> = {
  audio_invalid: 'audio_invalid',
  audio_too_long: 'audio_too_long',
  program_missing: 'audio_program_missing',
};

/** Decodes recordings and runs the programs around them. Accounts take turns. */
@Injectable()
export class Recordings {
  readonly #turns = new AccountTurns(DECODERS, () => tooMany());

  /** @throws DomainError, AudioRunError; the reason of the signal */
  decode(
    accountId: string,
    file: Buffer,
    secondsMax: number,
    signal: AbortSignal,
  ): Promise<DecodedAudio> {
    return this.inTurn(accountId, signal, () => decodeRecording(file, secondsMax, signal));
  }

  /** @throws as `decode` */
  inTurn<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, () => work().catch(rethrow), signal);
  }
}

const tooMany = (): AudioRunError =>
  new AudioRunError('busy', 'too many recordings of this account wait; try again');

const rethrow = (error: unknown): never => {
  if (!(error instanceof AudioError)) throw error;
  if (error.fault !== 'decoder_failed') return reject(CODES[error.fault], error.message);
  throw new AudioRunError('failed', error.message, { cause: error });
};
