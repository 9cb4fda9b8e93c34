import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { schemaOf } from '../openapi/zod-schema.docs.js';
import { ConsensusBody, SpeculativeBody } from './swarm.body.js';

const MESSAGES = [{ role: 'user', content: 'What is a quipu?' }];

export const SpeculativeDocs = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Answer with a target and a draft',
      description:
        'The draft proposes tokens, and the target verifies them by exact rejection sampling: ' +
        'the answer has the distribution of the target alone, and costs as much. ' +
        '`speedup_ratio` is measured and may be below 1.',
    }),
    ApiBody({
      schema: schemaOf(SpeculativeBody, {
        model: 'quipu/mini',
        messages: MESSAGES,
        speculative_steps: 5,
      }),
    }),
  );

export const ConsensusDocs = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Answer with several models',
      description:
        'Members propose answers at the same time, and one model merges them. The worst case of ' +
        'all steps is held once and charged once, with a line for each step: the header ' +
        '`X-Quipu-Cost-Tree` has `step;model;input_tokens;output_tokens;usd` of each, separated ' +
        'by commas. A member that fails lowers the fan-out; if all fail, nothing is charged.',
    }),
    ApiBody({ schema: schemaOf(ConsensusBody, { messages: MESSAGES, fanout_nodes: 3 }) }),
  );
