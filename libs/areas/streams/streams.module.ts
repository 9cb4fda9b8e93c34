import { Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { type KeptStreamTimes } from '#platform/kept-streams/kept-stream.times.js';
import { KeptStreams } from '#platform/kept-streams/kept-streams.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { CLOCK, LOGGER, READ_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { StreamSweeper } from './stream-sweeper.js';
import { STREAM_TIMES } from './streams.settings.js';

const keptStreams = {
  provide: KeptStreams,
  inject: [READ_STORE, SECRETS, CLOCK, LOGGER, STREAM_TIMES],
  useFactory: (
    readStore: ReadStore,
    { subjects }: Secrets,
    clock: Clock,
    logger: Logger,
    times: KeptStreamTimes,
  ) => new KeptStreams({ readStore, subjects, clock, logger, times }),
};

@Module({ providers: [keptStreams, StreamSweeper], exports: [KeptStreams] })
export class StreamsModule {}
