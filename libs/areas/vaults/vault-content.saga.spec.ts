import { describe, it } from '@jest/globals';
import { UserErased } from '#events/identity/user.events.js';
import {
  DocumentDeleted,
  DocumentIngested,
  DocumentsResealed,
  VaultErased,
  VaultKeyRotated,
} from '#events/vaults/vault.events.js';
import { UserId } from '#events/vocabulary.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { accountVaultsSaga } from './account-vaults.saga.js';
import { vaultContentSaga } from './vault-content.saga.js';
import { AT, VAULT as vaultId } from './vaults.fixture.js';

const saga = sagaSpecOf(vaultContentSaga);
const of = { vaultId, accountId: '7' };
const documentId = derivedId('document', vaultId);
const sealed = { documentId, blob: 'a'.repeat(64), keyGeneration: 1 };
const renewed = { documentId, blob: 'b'.repeat(64), keyGeneration: 2 };
const sealedLabel = 'A'.repeat(56);
const ingested = DocumentIngested.of({
  ...{ ...of, ...sealed, sealedLabel, marking: { level: 'OPEN', compartments: [] } },
  ...{
    fileId: null,
    storedBytes: 265,
    headBytes: 9,
    textBytes: 5,
    chunks: 2,
    promptTokens: 3,
    ingestedAt: AT,
  },
});
const reseal = { kind: 'command', command: { type: 'ResealVault', data: { vaultId } } } as const;
const retain = {
  kind: 'command',
  command: { type: 'RetainDocuments', data: { vaultId, documentIds: [documentId] } },
} as const;
const release = {
  kind: 'command',
  command: { type: 'ReleaseDocuments', data: { vaultId, documents: [sealed] } },
} as const;

describe('the content of a vault', () => {
  it('is kept from its ingest until it is deleted', () => {
    saga.given().when(ingested).then(retain);
    const deleted = DocumentDeleted.of({ ...of, ...sealed, deletedAt: AT });
    saga.given(ingested).when(deleted).then(release);
  });

  it('is sealed again step by step, and each step leads to the next', () => {
    const rotated = VaultKeyRotated.of({ ...of, keyGeneration: 2, rotatedAt: AT });
    saga.given(ingested).when(rotated).then(reseal);
    const documents = [{ ...renewed, sealedLabel, before: sealed }];
    const resealed = DocumentsResealed.of({ ...of, keyGeneration: 2, documents, resealedAt: AT });
    saga.given(ingested, rotated).when(resealed).then(retain, release, reseal);
  });

  it('ends with its keys', () => {
    const erased = VaultErased.of({ ...of, reason: 'requested', createdAt: AT, erasedAt: AT });
    const destroy = { type: 'DestroyVaultKeys', data: { vaultId } } as const;
    saga.given(ingested).when(erased).then({ kind: 'command', command: destroy });
  });
});

describe('the vaults of an account', () => {
  it('are erased with its user', () => {
    const hash = 'a'.repeat(64);
    const gone = UserErased.of({
      ...{ userId: UserId.parse(7), usernameHash: hash, emailHash: hash },
      ...{ reason: 'requested', erasedAt: AT },
    });
    const command = { type: 'EraseVaults', data: { accountId: '7' } } as const;
    sagaSpecOf(accountVaultsSaga).given().when(gone).then({ kind: 'command', command });
  });
});
