import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation } from '@nestjs/swagger';
import { schemaOf } from '../openapi/zod-schema.docs.js';
import { BatchBody, InferBody } from './spiking.body.js';

const EXAMPLE = { model: 'snnlib/hybrid-spiking-cnn', timesteps: 8 };
const TEXT = 'def main(): return 0';

export const InferDocs = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Run a spiking network',
      description:
        'Classifies a text or numbers, and counts each operation meanwhile. The worst case is ' +
        'held before the run; what was counted is charged, by synaptic event and by ' +
        'multiply-accumulate. A run that fails is free. A caller that leaves ' +
        'does not end the run. Energy is modelled from the counts: ' +
        'savings may be negative.',
    }),
    ApiConsumes('application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'),
    ApiBody({ schema: schemaOf(InferBody, { ...EXAMPLE, input_data: TEXT }) }),
  );

export const SubmitBatchDocs = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Run a network on many inputs',
      description:
        'A job: the worst case of all runs is held, and what was counted is charged when it ' +
        'ends. An input that the network rejects is reported in its place and is free. ' +
        '`/jobs` follows and cancels it.',
    }),
    ApiBody({ schema: schemaOf(BatchBody, { ...EXAMPLE, inputs: [TEXT] }) }),
  );
