import { ModelFileInvalidError } from '../../language-model/language-model.engine.errors.js';
import { ChatPrompt } from '../text/chat-prompt.js';
import { GgufTokenizer } from '../text/tokenizer.js';
import { type LlamaHeader, readLlamaHeader } from '../model/llama.header.js';

/** The part of a model that the head of a run needs: no weights. */
export interface LayeredModel {
  readonly modelFile: string;
  readonly header: LlamaHeader;
  readonly tokenizer: GgufTokenizer;
  readonly prompt: ChatPrompt;
}

/** @throws ModelFileMissingError, ModelFileInvalidError; LayersError `model_unsupported` */
export const readLayeredModel = async (modelFile: string): Promise<LayeredModel> => {
  const header = await readLlamaHeader(modelFile);
  const tokenizer = new GgufTokenizer(header);
  if (tokenizer.endIds.size === 0) {
    throw new ModelFileInvalidError(modelFile, 'it names no token that ends an answer');
  }
  return { modelFile, header, tokenizer, prompt: new ChatPrompt(header) };
};
