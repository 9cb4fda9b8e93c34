import {
  MasterKeyAdopted,
  type MasterKeyEvent,
  MasterKeyRotated,
} from '#events/platform/master-key.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

export type MasterKeyCommand =
  | { readonly type: 'AdoptMasterKey'; readonly data: MasterKeyAdopted['data'] }
  | { readonly type: 'RotateMasterKey'; readonly data: MasterKeyRotated['data'] };

export type MasterKeyErrorCode = 'master_key_changed';

/** The installation's key as the log has it; null before the first start. */
export type MasterKeyState = Pick<MasterKeyAdopted['data'], 'keyId' | 'sealedKey'> | null;

/** Of several first starts, one chooses the key of the installation. */
const decide = (command: MasterKeyCommand, state: MasterKeyState): readonly MasterKeyEvent[] => {
  switch (command.type) {
    case 'AdoptMasterKey':
      return state === null ? [MasterKeyAdopted.of(command.data)] : [];
    case 'RotateMasterKey': {
      const { keyId, previousKeyId } = command.data;
      if (state?.keyId === keyId) return [];
      if (state?.keyId === previousKeyId) return [MasterKeyRotated.of(command.data)];
      throw new DomainError<MasterKeyErrorCode>(
        'master_key_changed',
        `the log was written with the master key ${state?.keyId ?? 'of no id'}`,
      );
    }
  }
};

const evolve = (_: MasterKeyState, { data }: MasterKeyEvent): MasterKeyState => ({
  keyId: data.keyId,
  sealedKey: data.sealedKey,
});

export const masterKeyDecider: Decider<MasterKeyCommand, MasterKeyState, MasterKeyEvent> = {
  initialState: null,
  decide,
  evolve,
};
