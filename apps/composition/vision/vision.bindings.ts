import { type Provider } from '@nestjs/common';
import { LiveFrames } from '#areas/vision/ports.js';

/** No area of this release has live sessions: every id is unknown. */
class NoLiveFrames extends LiveFrames {
  override frameOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

export const bindings: readonly Provider[] = [{ provide: LiveFrames, useClass: NoLiveFrames }];
