import { type Provider } from '@nestjs/common';
import { PictureDescriber } from '#areas/inference/pictures/picture-describer.port.js';
import { PictureDescriptions } from '#areas/vision/picture-descriptions.js';
import { LiveFrames } from '#areas/vision/ports.js';
import { DetectorDescriber } from './picture-describer.binding.js';

/** No area of this release has live sessions: every id is unknown. */
class NoLiveFrames extends LiveFrames {
  override frameOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

export const bindings: readonly Provider[] = [
  { provide: LiveFrames, useClass: NoLiveFrames },
  {
    provide: PictureDescriber,
    inject: [PictureDescriptions],
    useFactory: (descriptions: PictureDescriptions) => new DetectorDescriber(descriptions),
import { LiveSessions } from '#areas/live/live-sessions.js';
import { LiveFrames } from '#areas/vision/ports.js';
import { SessionFrames } from './live-frames.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: LiveFrames,
    inject: [LiveSessions],
    useFactory: (sessions: LiveSessions) => new SessionFrames(sessions),
  },
];
