import { Module } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CertificationRunner, STOPWATCH } from './certification-runner.js';
import { CertificationOutcomeHandler, RigStandingsHandler } from './certifications.queries.js';
import { CertifyMeasuredRigHandler } from './certify-measured-rig.handler.js';
import { SubmitCertificationHandler } from './submit-certification.handler.js';

const stopwatch: Clock = { now: () => performance.now() };

@Module({
  providers: [
    { provide: STOPWATCH, useValue: stopwatch },
    CertificationRunner,
    SubmitCertificationHandler,
    CertifyMeasuredRigHandler,
    RigStandingsHandler,
    CertificationOutcomeHandler,
  ],
  exports: [CertificationRunner],
})
export class RigsModule {}
