import { Map as ImmutableMap } from 'immutable';
import {
  DocumentDeleted,
  DocumentDescribed,
  DocumentIngested,
  DocumentsResealed,
  type Marking,
  VaultCreated,
  VaultDescribed,
  VaultErased,
  type VaultEvent,
  VaultKeyRotated,
  VaultKeysDestroyed,
} from '#events/vaults/vault.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type MarkingWords, reaches } from './marking.js';
import { documentNotFound, reject, vaultNotFound } from './vaults.errors.js';

/** The reach of a caller. The limits count nothing above it, so that they say nothing about it. */
export interface Sight {
  readonly clearance: Marking;
  readonly words: MarkingWords;
}

export interface VaultLimits {
  readonly documentsMax: number;
  readonly chunksMax: number;
}

type OfDocument = Omit<DocumentIngested['data'], 'vaultId' | 'accountId'>;

export type VaultCommand =
  | { readonly type: 'CreateVault'; readonly data: VaultCreated['data'] }
  | {
      readonly type: 'IngestDocument';
      readonly data: OfDocument & { readonly sight: Sight; readonly limits: VaultLimits };
    }
  | {
      readonly type: 'DescribeDocument';
      readonly data: Omit<DocumentDescribed['data'], 'vaultId' | 'accountId'> & {
        readonly sight: Sight;
      };
    }
  | {
      readonly type: 'DeleteDocument';
      readonly data: {
        readonly documentId: string;
        readonly sight: Sight;
        readonly deletedAt: string;
      };
    }
  | {
      readonly type: 'DescribeVault';
      readonly data: Pick<VaultDescribed['data'], 'sealedLabel' | 'describedAt'>;
    }
  | { readonly type: 'RotateKey'; readonly data: { readonly rotatedAt: string } }
  | {
      readonly type: 'ResealDocuments';
      readonly data: Pick<DocumentsResealed['data'], 'keyGeneration' | 'documents' | 'resealedAt'>;
    }
  | { readonly type: 'DestroyOldKeys'; readonly data: { readonly destroyedAt: string } }
  | {
      readonly type: 'EraseVault';
      readonly data: Pick<VaultErased['data'], 'reason' | 'erasedAt'>;
    };

export type VaultDocument = OfDocument;

export interface OpenVault {
  readonly status: 'open' | 'erased';
  readonly vault: VaultCreated['data'];
  /** The newest key; older ones are being replaced where `keysDestroyed` is not the one before. */
  readonly keyGeneration: number;
  readonly keysDestroyed: number;
  /** Of an erased vault too, so that their blobs can be released. */
  readonly documents: ImmutableMap<string, VaultDocument>;
}

export type VaultState = { readonly status: 'absent' } | OpenVault;

/** The documents that a caller may see, in the order of their ingest. */
export const visibleIn = ({ documents }: OpenVault, sight: Sight): readonly VaultDocument[] =>
  [...documents.values()]
    .filter(({ marking }) => reaches(sight.clearance, marking, sight.words))
    .sort((one, other) => compare(one, other));

const compare = (one: VaultDocument, other: VaultDocument): number => {
  const [first, second] = [one.ingestedAt + one.documentId, other.ingestedAt + other.documentId];
  return first < second ? -1 : 1;
};

export const isRotating = ({ keyGeneration, keysDestroyed }: OpenVault): boolean =>
  keysDestroyed < keyGeneration - 1;

/** @throws DomainError `vault_full`; hidden documents do not count */
export const demandRoom = (
  state: OpenVault,
  chunks: number,
  sight: Sight,
  { documentsMax, chunksMax }: VaultLimits,
): void => {
  const visible = visibleIn(state, sight);
  if (visible.length >= documentsMax) {
    reject('vault_full', `the vault has ${documentsMax} documents; delete some first`);
  }
  const has = visible.reduce((sum, document) => sum + document.chunks, 0);
  if (has + chunks > chunksMax) {
    reject('vault_full', `the vault may have ${chunksMax} chunks; delete documents first`);
  }
};

/** @throws DomainError `vault_file_exists`; a hidden document of the file is none */
export const demandNewFile = (state: OpenVault, fileId: string | null, sight: Sight): void => {
  if (fileId === null || !visibleIn(state, sight).some((one) => one.fileId === fileId)) return;
  reject('vault_file_exists', `file_id: ${fileId} is in the vault; delete it there first`);
};

/** @throws DomainError `vault_document_not_found`, also for a hidden one */
const demandDocument = (
  { documents }: OpenVault,
  documentId: string,
  { clearance, words }: Sight,
): VaultDocument => {
  const document = documents.get(documentId);
  return document && reaches(clearance, document.marking, words) ? document : documentNotFound();
};

const rotatedMeanwhile = (): never =>
  reject('vault_key_changed', 'the key of the vault was rotated meanwhile; try again');

const decideOn = (
  { type, data }: Exclude<VaultCommand, { readonly type: 'CreateVault' }>,
  state: OpenVault,
): readonly VaultEvent[] => {
  const { vaultId, accountId, createdAt } = state.vault;
  switch (type) {
    case 'IngestDocument': {
      const { sight, limits, ...document } = data;
      if (state.documents.has(document.documentId)) return [];
      demandNewFile(state, document.fileId, sight);
      demandRoom(state, document.chunks, sight, limits);
      if (document.keyGeneration !== state.keyGeneration) {
        return rotatedMeanwhile();
      }
      return [DocumentIngested.of({ vaultId, accountId, ...document })];
    }
    case 'DescribeDocument': {
      const { sight, ...description } = data;
      demandDocument(state, description.documentId, sight);
      // A rotation that is under way has read the label before, and would put it back.
      if (isRotating(state) || description.keyGeneration !== state.keyGeneration) {
        return rotatedMeanwhile();
      }
      return [DocumentDescribed.of({ vaultId, accountId, ...description })];
    }
    case 'DeleteDocument': {
      const { documentId, sight, deletedAt } = data;
      const { blob, keyGeneration } = demandDocument(state, documentId, sight);
      const sealed = { documentId, blob, keyGeneration };
      return [DocumentDeleted.of({ vaultId, accountId, ...sealed, deletedAt })];
    }
    case 'DescribeVault':
      return [VaultDescribed.of({ vaultId, accountId, createdAt, ...data })];
    case 'RotateKey': {
      if (isRotating(state)) {
        return reject('vault_rotation_under_way', 'the last rotation is still under way');
      }
      const keyGeneration = state.keyGeneration + 1;
      return [VaultKeyRotated.of({ vaultId, accountId, keyGeneration, ...data })];
    }
    case 'ResealDocuments': {
      const { keyGeneration, resealedAt } = data;
      if (keyGeneration !== state.keyGeneration) return [];
      const documents = data.documents.filter(({ documentId }) => {
        return (state.documents.get(documentId)?.keyGeneration ?? keyGeneration) < keyGeneration;
      });
      if (documents.length === 0) return [];
      return [DocumentsResealed.of({ vaultId, accountId, keyGeneration, documents, resealedAt })];
    }
    case 'DestroyOldKeys': {
      const keyGeneration = state.keyGeneration - 1;
      const isUsed = state.documents.some((document) => document.keyGeneration <= keyGeneration);
      if (isUsed || !isRotating(state)) return [];
      return [VaultKeysDestroyed.of({ vaultId, accountId, keyGeneration, ...data })];
    }
    case 'EraseVault':
      return [VaultErased.of({ vaultId, accountId, createdAt, ...data })];
  }
};

const decide = (command: VaultCommand, state: VaultState): readonly VaultEvent[] => {
  if (command.type === 'CreateVault') {
    return state.status === 'absent' ? [VaultCreated.of(command.data)] : [];
  }
  if (state.status === 'open') return decideOn(command, state);
  // The sagas repeat their commands, and a vault may be erased meanwhile.
  const isOfSaga = command.type === 'ResealDocuments' || command.type === 'DestroyOldKeys';
  return isOfSaga || command.type === 'EraseVault' ? [] : vaultNotFound();
};

const resealed = (
  documents: OpenVault['documents'],
  { documents: changed }: DocumentsResealed['data'],
): OpenVault['documents'] =>
  documents.withMutations((all) => {
    for (const { before: _, ...content } of changed) {
      const known = all.get(content.documentId);
      if (known) all.set(content.documentId, { ...known, ...content });
    }
  });

const evolve = (state: VaultState, { type, data }: VaultEvent): VaultState => {
  if (type === 'VaultCreated') {
    const documents: OpenVault['documents'] = ImmutableMap();
    return { status: 'open', vault: data, keyGeneration: 1, keysDestroyed: 0, documents };
  }
  if (state.status === 'absent') return state;
  switch (type) {
    case 'DocumentIngested': {
      const { vaultId: _vaultId, accountId: _accountId, ...document } = data;
      return { ...state, documents: state.documents.set(document.documentId, document) };
    }
    case 'DocumentDescribed': {
      const { documentId, sealedLabel, keyGeneration } = data;
      const document = state.documents.get(documentId);
      if (document?.keyGeneration !== keyGeneration) return state;
      return { ...state, documents: state.documents.set(documentId, { ...document, sealedLabel }) };
    }
    case 'VaultDescribed':
      return { ...state, vault: { ...state.vault, sealedLabel: data.sealedLabel } };
    case 'DocumentDeleted':
      return { ...state, documents: state.documents.delete(data.documentId) };
    case 'VaultKeyRotated':
      return { ...state, keyGeneration: data.keyGeneration };
    case 'DocumentsResealed':
      return { ...state, documents: resealed(state.documents, data) };
    case 'VaultKeysDestroyed':
      return { ...state, keysDestroyed: data.keyGeneration };
    case 'VaultErased':
      return { ...state, status: 'erased' };
  }
};

export const vaultDecider: Decider<VaultCommand, VaultState, VaultEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
