import { Module } from '@nestjs/common';
import { FrameMaker } from './frames/frame-maker.js';
import { LivePeers } from './live-peers.js';
import { LiveSessions } from './live-sessions.js';
import { SessionOpener } from './session-opener.js';
import { SessionHosts } from './session-hosts.js';
import { SessionFunds } from './session/session-funds.js';
import { ChargeSessionHandler, LapseSessionHandler } from './session/session-life.handlers.js';
import { SessionStreams } from './session/session-streams.js';

@Module({
  providers: [
    SessionStreams,
    SessionFunds,
    LapseSessionHandler,
    ChargeSessionHandler,
    LivePeers,
    FrameMaker,
    SessionHosts,
    SessionOpener,
    LiveSessions,
  ],
  exports: [LiveSessions],
})
export class LiveModule {}
