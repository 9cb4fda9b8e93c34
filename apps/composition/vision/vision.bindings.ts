import { type Provider } from '@nestjs/common';
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
