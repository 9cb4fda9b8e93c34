import type { LlamaGrammar, LlamaJsonSchemaGrammar } from 'node-llama-cpp';
import type {
  GenerationTask,
  JsonObject,
} from '#engines/language-model/language-model.protocol.js';
import { llama } from '#engines/language-model/child/llama-runtime.js';

type GrammarSchema = LlamaJsonSchemaGrammar<never>['schema'];

export interface SchemaGrammar {
  readonly grammar: LlamaGrammar;
  /** Plain texts with which it ends. */
  readonly stopTexts: readonly string[];
}

/** The grammar of the output of a task. */
export interface Grammars {
  /** Of a whole answer. */
  readonly answer?: LlamaGrammar;
  readonly stopTexts: readonly string[];
  /** One of the names of the tools; absent where there are none. */
  readonly names?: LlamaGrammar;
  /** By the name of the tool. */
  readonly arguments: ReadonlyMap<string, SchemaGrammar>;
}

export const grammarsOf = async ({ jsonSchema, tools }: GenerationTask): Promise<Grammars> => {
  const answer = jsonSchema && (await grammarOf(jsonSchema));
  const functions = tools?.functions ?? [];
  const byName = new Map<string, SchemaGrammar>();
  for (const { name, parameters } of functions) byName.set(name, await grammarOf(parameters));
  const alternatives = functions.map(({ name }) => JSON.stringify(name)).join(' | ');
  return {
    ...(answer && { answer: answer.grammar }),
    stopTexts: answer?.stopTexts ?? [],
    ...(tools && {
      names: await (await llama()).createGrammar({ grammar: `root ::= ${alternatives}` }),
    }),
    arguments: byName,
  };
};

const grammarOf = async (schema: JsonObject): Promise<SchemaGrammar> => {
  const grammar = await (await llama()).createGrammarForJsonSchema(schema as GrammarSchema);
  return { grammar, stopTexts: grammar.stopGenerationTriggers.map(String) };
};
