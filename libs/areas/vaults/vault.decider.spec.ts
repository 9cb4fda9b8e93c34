import { describe, it } from '@jest/globals';
import {
  DocumentDeleted,
  DocumentDescribed,
  DocumentIngested,
  DocumentsResealed,
  type Marking,
  VaultCreated,
  VaultErased,
  VaultKeyRotated,
  VaultKeysDestroyed,
} from '#events/vaults/vault.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type Sight, vaultDecider } from './vault.decider.js';
import { AT, SETTINGS, VAULT as vaultId } from './vaults.fixture.js';

const vault = deciderSpecOf(vaultDecider);
const of = { vaultId, accountId: '7' };
const { words } = SETTINGS;
const OPEN: Marking = { level: 'OPEN', compartments: [] };
const SECRET = { level: 'SECRET', compartments: ['A'] };
const sightOf = (clearance: Sight['clearance']): Sight => ({ clearance, words });
const limits = { documentsMax: 2, chunksMax: 5 };

const data = {
  ...of,
  ...{ userId: UserId.parse(7), sealedLabel: 'A'.repeat(56), model: 'words', dimensions: 32 },
  createdAt: AT,
};
const created = VaultCreated.of(data);
const documentOf = (n: number, more: object = {}) => ({
  ...{ documentId: derivedId(String(n), vaultId), blob: 'a'.repeat(64), keyGeneration: 1 },
  ...{ sealedLabel: 'A'.repeat(56), marking: OPEN, headBytes: 9, textBytes: 5, chunks: 2 },
  ...{ fileId: null, storedBytes: 265, promptTokens: 3, ingestedAt: AT, ...more },
});
const ingested = (n: number, more: object = {}) =>
  DocumentIngested.of({ ...of, ...documentOf(n, more) });
const ingest = (n: number, more: object = {}, clearance = OPEN) =>
  ({
    type: 'IngestDocument',
    data: { ...documentOf(n, more), sight: sightOf(clearance), limits },
  }) as const;
const sealedOf = (n: number, keyGeneration = 1) => {
  const { documentId, blob } = documentOf(n);
  return { documentId, blob, keyGeneration };
};
const remove = (n: number, clearance = OPEN) =>
  ({
    type: 'DeleteDocument',
    data: { documentId: sealedOf(n).documentId, sight: sightOf(clearance), deletedAt: AT },
  }) as const;
const described = (n: number, keyGeneration = 1) => ({
  ...{ documentId: sealedOf(n).documentId, sealedLabel: 'C'.repeat(56) },
  ...{ keyGeneration, describedAt: AT },
});
const describeDocument = (n: number, clearance: Marking, keyGeneration = 1) =>
  ({
    type: 'DescribeDocument',
    data: { ...described(n, keyGeneration), sight: sightOf(clearance) },
  }) as const;
const rotate = { type: 'RotateKey', data: { rotatedAt: AT } } as const;
const rotated = (keyGeneration: number) =>
  VaultKeyRotated.of({ ...of, keyGeneration, rotatedAt: AT });
const destroy = { type: 'DestroyOldKeys', data: { destroyedAt: AT } } as const;
const destroyed = (keyGeneration: number) =>
  VaultKeysDestroyed.of({ ...of, keyGeneration, destroyedAt: AT });
const resealedOf = (n: number) => ({
  ...{ ...sealedOf(n, 2), sealedLabel: 'B'.repeat(56), before: sealedOf(n) },
});
const reseal = (...ns: number[]) =>
  ({
    type: 'ResealDocuments',
    data: { keyGeneration: 2, documents: ns.map(resealedOf), resealedAt: AT },
  }) as const;
const resealed = (...ns: number[]) => DocumentsResealed.of({ ...of, ...reseal(...ns).data });
const erase = { type: 'EraseVault', data: { reason: 'requested', erasedAt: AT } } as const;
const erased = VaultErased.of({ ...of, createdAt: AT, ...erase.data });

describe('a vault', () => {
  it('is created once', () => {
    const create = { type: 'CreateVault', data } as const;
    vault.given().when(create).then(created);
    vault.given(created).when(create).then();
  });

  it('takes nothing before it is created, and nothing once it is erased', () => {
    for (const command of [ingest(1), remove(1), rotate]) {
      vault.given().when(command).thenThrows('vault_not_found');
      vault.given(created, erased).when(command).thenThrows('vault_not_found');
    }
  });

  it('is erased once', () => {
    vault.given(created).when(erase).then(erased);
    vault.given(created, erased).when(erase).then();
  });
});

describe('a document', () => {
  it('is ingested once', () => {
    vault.given(created).when(ingest(1)).then(ingested(1));
    vault.given(created, ingested(1)).when(ingest(1)).then();
  });

  it('is rejected when the caller sees a full vault', () => {
    vault.given(created, ingested(1), ingested(2)).when(ingest(3)).thenThrows('vault_full');
    const large = ingested(1, { chunks: 4 });
    vault.given(created, large).when(ingest(2)).thenThrows('vault_full');
    vault
      .given(created, large)
      .when(ingest(2, { chunks: 1 }))
      .then(ingested(2, { chunks: 1 }));
  });

  it('is not rejected for documents that the caller does not see', () => {
    const hidden = [1, 2, 3].map((n) => ingested(n, { marking: SECRET, chunks: 5 }));
    vault
      .given(created, ...hidden)
      .when(ingest(4))
      .then(ingested(4));
    vault
      .given(created, ...hidden)
      .when(ingest(4, {}, SECRET))
      .thenThrows('vault_full');
  });

  it('is deleted by a caller that sees it, and not found by another', () => {
    const hidden = ingested(1, { marking: SECRET });
    const gone = DocumentDeleted.of({ ...of, ...sealedOf(1), deletedAt: AT });
    vault.given(created, hidden).when(remove(1, SECRET)).then(gone);
    vault.given(created, hidden).when(remove(1)).thenThrows('vault_document_not_found');
    vault.given(created).when(remove(1)).thenThrows('vault_document_not_found');
    vault
      .given(created, hidden, gone)
      .when(remove(1, SECRET))
      .thenThrows('vault_document_not_found');
  });

  it('gets other words from a caller that sees it', () => {
    const hidden = ingested(1, { marking: SECRET });
    const other = DocumentDescribed.of({ ...of, ...described(1) });
    vault.given(created, hidden).when(describeDocument(1, SECRET)).then(other);
    vault
      .given(created, hidden)
      .when(describeDocument(1, OPEN))
      .thenThrows('vault_document_not_found');
    vault.given(created).when(describeDocument(1, SECRET)).thenThrows('vault_document_not_found');
  });

  it('keeps its words while its key is rotated, or the rotation would put them back', () => {
    const before = [created, ingested(1), rotated(2)];
    vault
      .given(...before)
      .when(describeDocument(1, OPEN))
      .thenThrows('vault_key_changed');
    vault
      .given(...before, resealed(1))
      .when(describeDocument(1, OPEN, 2))
      .thenThrows('vault_key_changed');
    const done = [...before, resealed(1), destroyed(1)];
    vault
      .given(...done)
      .when(describeDocument(1, OPEN))
      .thenThrows('vault_key_changed');
    const other = DocumentDescribed.of({ ...of, ...described(1, 2) });
    vault
      .given(...done)
      .when(describeDocument(1, OPEN, 2))
      .then(other);
  });
});

describe('the key of a vault', () => {
  it('is rotated when the rotation before has ended', () => {
    vault.given(created).when(rotate).then(rotated(2));
    vault.given(created, rotated(2)).when(rotate).thenThrows('vault_rotation_under_way');
    vault.given(created, rotated(2), destroyed(1)).when(rotate).then(rotated(3));
  });

  it('seals new documents at once', () => {
    vault.given(created, rotated(2)).when(ingest(1)).thenThrows('vault_key_changed');
    const own = { keyGeneration: 2 };
    vault.given(created, rotated(2)).when(ingest(1, own)).then(ingested(1, own));
  });

  it('seals older documents once each, unless they were deleted', () => {
    const before = [created, ingested(1), ingested(2), rotated(2)];
    vault
      .given(...before)
      .when(reseal(1, 2))
      .then(resealed(1, 2));
    vault
      .given(...before, resealed(1))
      .when(reseal(1, 2))
      .then(resealed(2));
    vault
      .given(...before, resealed(1, 2))
      .when(reseal(1, 2))
      .then();
    vault.given(created, rotated(2)).when(reseal(1)).then();
  });

  it('is destroyed when nothing is sealed with it, once', () => {
    const before = [created, ingested(1), rotated(2)];
    vault
      .given(...before)
      .when(destroy)
      .then();
    vault
      .given(...before, resealed(1))
      .when(destroy)
      .then(destroyed(1));
    vault
      .given(...before, resealed(1), destroyed(1))
      .when(destroy)
      .then();
    vault.given(created).when(destroy).then();
    vault.given(created, erased).when(destroy).then();
    vault.given(created, erased).when(reseal(1)).then();
  });
});
