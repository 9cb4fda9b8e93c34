import {
  DocumentDeleted,
  DocumentIngested,
  DocumentsResealed,
  type SealedBlob,
  VaultErased,
  type VaultEvent,
  VaultKeyRotated,
} from '#events/vaults/vault.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export type VaultContentCommand =
  | {
      readonly type: 'RetainDocuments';
      readonly data: { readonly vaultId: string; readonly documentIds: readonly string[] };
    }
  | {
      readonly type: 'ReleaseDocuments';
      readonly data: { readonly vaultId: string; readonly documents: readonly SealedBlob[] };
    }
  | { readonly type: 'ResealVault'; readonly data: { readonly vaultId: string } }
  | { readonly type: 'DestroyVaultKeys'; readonly data: { readonly vaultId: string } };

type ContentEvent = Exclude<
  VaultEvent,
  {
    readonly type: 'VaultCreated' | 'VaultDescribed' | 'DocumentDescribed' | 'VaultKeysDestroyed';
  }
>;

const sent = (command: VaultContentCommand): SagaAction<VaultContentCommand> => ({
  kind: 'command',
  command,
});

const react = ({ type, data }: ContentEvent): readonly SagaAction<VaultContentCommand>[] => {
  const { vaultId } = data;
  switch (type) {
    case 'DocumentIngested': {
      const documentIds = [data.documentId];
      return [sent({ type: 'RetainDocuments', data: { vaultId, documentIds } })];
    }
    case 'DocumentDeleted': {
      const { documentId, blob, keyGeneration } = data;
      const documents = [{ documentId, blob, keyGeneration }];
      return [sent({ type: 'ReleaseDocuments', data: { vaultId, documents } })];
    }
    case 'VaultKeyRotated':
      return [sent({ type: 'ResealVault', data: { vaultId } })];
    case 'DocumentsResealed': {
      const documentIds = data.documents.map(({ documentId }) => documentId);
      const documents = data.documents.map(({ before }) => before);
      return [
        sent({ type: 'RetainDocuments', data: { vaultId, documentIds } }),
        sent({ type: 'ReleaseDocuments', data: { vaultId, documents } }),
        // The next ones; the old keys are destroyed when there are none.
        sent({ type: 'ResealVault', data: { vaultId } }),
      ];
    }
    case 'VaultErased':
      return [sent({ type: 'DestroyVaultKeys', data: { vaultId } })];
  }
};

/** Keeps the content that the log names, replaces keys step by step, and ends unfinished work. */
export const vaultContentSaga: Saga<ContentEvent, object, VaultContentCommand> = {
  name: 'vault-content',
  on: { DocumentIngested, DocumentDeleted, VaultKeyRotated, DocumentsResealed, VaultErased },
  key: ({ data }) => data.vaultId,
  initialState: {},
  evolve: (state, { type }) => (type === 'VaultErased' ? null : state),
  react,
};
