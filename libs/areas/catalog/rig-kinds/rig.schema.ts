import { z } from 'zod';
import { AnthropicRig } from './anthropic.schema.js';
import { AzureOpenAiRig } from './azure-openai.schema.js';
import { BedrockRig } from './bedrock.schema.js';
import { EmbeddedRig } from './embedded.schema.js';
import { GeminiRig } from './gemini.schema.js';
import { OpenAiRig } from './openai.schema.js';
import { VertexRig } from './vertex.schema.js';

/** A rig of the catalog file, by its kind. */
export const RigSchema = z.discriminatedUnion('kind', [
  OpenAiRig,
  AnthropicRig,
  AzureOpenAiRig,
  GeminiRig,
  VertexRig,
  BedrockRig,
  EmbeddedRig,
]);
