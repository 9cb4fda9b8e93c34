import { Module } from '@nestjs/common';
import { elementsEvents, stationEvents } from '#events/orbit/orbit.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  RegisterStationHandler,
  RetireStationHandler,
  STATION_RUNNER,
  type StationRunner,
} from './change-stations.handlers.js';
import { elementsDecider } from './elements.decider.js';
import {
  ELEMENTS_RUNNER,
  type ElementsRunner,
  ImportElementsHandler,
} from './import-elements.handler.js';
import { SatellitesHandler, StationsHandler } from './list.queries.js';
import { OrbitBook } from './orbit-book.js';
import { OrbitRunner } from './orbit-runner.js';
import { PassesHandler } from './passes.query.js';
import { GroundTrackHandler, SkyPathHandler } from './path.queries.js';
import { stationDecider } from './station.decider.js';

const stationRunner = {
  provide: STATION_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): StationRunner =>
    new CommandRunner({ decider: stationDecider, eventStore, codec: codec.for(stationEvents) }),
};

const elementsRunner = {
  provide: ELEMENTS_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): ElementsRunner =>
    new CommandRunner({ decider: elementsDecider, eventStore, codec: codec.for(elementsEvents) }),
};

@Module({
  providers: [
    stationRunner,
    elementsRunner,
    OrbitBook,
    OrbitRunner,
    RegisterStationHandler,
    RetireStationHandler,
    ImportElementsHandler,
    StationsHandler,
    SatellitesHandler,
    PassesHandler,
    GroundTrackHandler,
    SkyPathHandler,
  ],
})
export class OrbitModule {}
