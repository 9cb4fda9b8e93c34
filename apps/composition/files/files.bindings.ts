import { type Provider } from '@nestjs/common';
import { FurtherStorage } from '#areas/files/further-storage.port.js';
import { OwnModels } from '#platform/own-models/own-models.js';

export const bindings: readonly Provider[] = [
  {
    provide: FurtherStorage,
    inject: [{ token: OwnModels, optional: true }],
    useFactory: (own?: OwnModels): FurtherStorage => ({
      bytesOf: (accountId) => own?.bytesOf(accountId) ?? 0,
    }),
  },
];
