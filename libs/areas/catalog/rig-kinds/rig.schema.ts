import { z } from 'zod';
import { AnthropicRig } from './anthropic.schema.js';
import { AzureOpenAiRig } from './azure-openai.schema.js';
import { EmbeddedRig } from './embedded.schema.js';
import { OpenAiRig } from './openai.schema.js';

/** A rig of the catalog file, by its kind. */
export const RigSchema = z.discriminatedUnion('kind', [
  OpenAiRig,
  AnthropicRig,
  AzureOpenAiRig,
  EmbeddedRig,
]);
