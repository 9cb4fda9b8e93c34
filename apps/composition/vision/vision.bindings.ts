import { type Provider } from '@nestjs/common';
import { PictureDescriber } from '#areas/inference/pictures/picture-describer.port.js';
import { LiveSessions } from '#areas/live/live-sessions.js';
import { PictureDescriptions } from '#areas/vision/picture-descriptions.js';
import { LiveFrames } from '#areas/vision/ports.js';
import { SessionFrames } from './live-frames.binding.js';
import { DetectorDescriber } from './picture-describer.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: LiveFrames,
    inject: [LiveSessions],
    useFactory: (sessions: LiveSessions) => new SessionFrames(sessions),
  },
  {
    provide: PictureDescriber,
    inject: [PictureDescriptions],
    useFactory: (descriptions: PictureDescriptions) => new DetectorDescriber(descriptions),
  },
];
