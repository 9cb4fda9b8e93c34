import { Module } from '@nestjs/common';
import {
  DeleteObservationHandler,
  SettleObservationHandler,
} from './change-observation.handlers.js';
import { IngestAdmission } from './ingest-admission.js';
import { IngestObservationHandler } from './ingest-observation.handler.js';
import {
  CollectionHandler,
  CollectionsHandler,
  ObservationContentHandler,
  ObservationHandler,
  ObservationsHandler,
} from './observation.queries.js';
import { RasterReader } from './raster-reader.js';
import { SearchObservationsHandler } from './search-observations.query.js';
import { StoredObservations } from './stored-observations.js';

@Module({
  providers: [
    IngestAdmission,
    RasterReader,
    StoredObservations,
    IngestObservationHandler,
    DeleteObservationHandler,
    SettleObservationHandler,
    ObservationHandler,
    ObservationContentHandler,
    ObservationsHandler,
    CollectionsHandler,
    CollectionHandler,
    SearchObservationsHandler,
  ],
})
export class ObservationModule {}
