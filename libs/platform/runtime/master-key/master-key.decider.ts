import {
  MasterKeyAdopted,
  type MasterKeyEvent,
  MasterKeyRotated,
  SubjectKeysClaimed,
} from '#events/platform/master-key.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

export type MasterKeyCommand =
  | { readonly type: 'AdoptMasterKey'; readonly data: MasterKeyAdopted['data'] }
  | { readonly type: 'RotateMasterKey'; readonly data: MasterKeyRotated['data'] }
  | { readonly type: 'ClaimSubjectKeys'; readonly data: SubjectKeysClaimed['data'] };

export type MasterKeyErrorCode = 'master_key_changed' | 'subject_keys_changed';

/** The secrets of the installation as the log names them; null before the first start. */
export interface MasterKeyState {
  readonly key: Pick<MasterKeyAdopted['data'], 'keyId' | 'sealedKey'> | null;
  readonly keySetId: string | null;
}

/** Of several first starts, one chooses the key of the installation, and one the subject keys. */
const decide = (command: MasterKeyCommand, state: MasterKeyState): readonly MasterKeyEvent[] => {
  switch (command.type) {
    case 'AdoptMasterKey':
      return state.key === null ? [MasterKeyAdopted.of(command.data)] : [];
    case 'RotateMasterKey': {
      const { keyId, previousKeyId } = command.data;
      if (state.key?.keyId === keyId) return [];
      if (state.key?.keyId === previousKeyId) return [MasterKeyRotated.of(command.data)];
      throw new DomainError<MasterKeyErrorCode>(
        'master_key_changed',
        `the log was written with the master key ${state.key?.keyId ?? 'of no id'}`,
      );
    }
    case 'ClaimSubjectKeys': {
      const { setId, previousSetId, reason } = command.data;
      if (state.keySetId === setId || (state.keySetId !== null && reason === null)) return [];
      if (state.keySetId === previousSetId) return [SubjectKeysClaimed.of(command.data)];
      throw new DomainError<MasterKeyErrorCode>(
        'subject_keys_changed',
        `the log was written with the subject keys ${state.keySetId ?? 'of no id'}`,
      );
    }
  }
};

const evolve = (state: MasterKeyState, { type, data }: MasterKeyEvent): MasterKeyState => {
  if (type === 'SubjectKeysClaimed') return { ...state, keySetId: data.setId };
  return { ...state, key: { keyId: data.keyId, sealedKey: data.sealedKey } };
};

export const masterKeyDecider: Decider<MasterKeyCommand, MasterKeyState, MasterKeyEvent> = {
  initialState: { key: null, keySetId: null },
  decide,
  evolve,
};
