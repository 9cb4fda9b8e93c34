import { readGgufHeader } from '#engines/language-model/gguf.header.js';
import {
  CHAT_KIND,
  type LocalModelKind,
  LocalModelKinds,
} from '#areas/catalog/local-model-kinds.port.js';

/** Architectures of llama.cpp that only encode: they have no next token. */
const ENCODERS: ReadonlySet<string> = new Set([
  'bert',
  'modern-bert',
  'nomic-bert',
  'nomic-bert-moe',
  'neo-bert',
  'eurobert',
  'jina-bert-v2',
  'jina-bert-v3',
  'gemma-embedding',
  't5encoder',
]);
/** llama.cpp's numbers in `<architecture>.pooling_type`; 0 is none. */
const POOLS: ReadonlySet<unknown> = new Set([1, 2, 3]);
const RANKS = 4;

/** The kind of a model by the header of its GGUF file. */
export class GgufModelKinds extends LocalModelKinds {
  override async kindOf(modelFile: string): Promise<LocalModelKind> {
    try {
      return kindIn((await readGgufHeader(modelFile)).metadata);
    } catch {
      // A file that is half copied, or no GGUF file: its first request says what is wrong.
      return CHAT_KIND;
    }
  }
}

export const kindIn = (metadata: ReadonlyMap<string, unknown>): LocalModelKind => {
  const architecture = String(metadata.get('general.architecture'));
  const pooling = metadata.get(`${architecture}.pooling_type`);
  if (pooling === RANKS)
    return { kind: 'unserved', reason: 'it ranks texts, which no route asks for' };
  if (!ENCODERS.has(architecture) && !POOLS.has(pooling)) return CHAT_KIND;
  const width = metadata.get(`${architecture}.embedding_length`);
  return { kind: 'embedding', dimensions: typeof width === 'number' ? width : null };
};
