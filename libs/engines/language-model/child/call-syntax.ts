import {
  type ChatWrapper,
  LlamaText,
  type LlamaModel,
  SpecialTokensText,
  type Token,
} from 'node-llama-cpp';

/** How a model's chat template writes the call of a tool. */
export interface CallSyntax {
  /** Everything before the name of the tool. */
  readonly opening: Token[];
  /** The start of a tool call in the output of a model: a control token, or a text. */
  readonly trigger: { readonly token: Token } | { readonly text: string };
  /** From behind the name to the arguments. */
  betweenNameAndArguments(name: string): Token[];
  nameTokens(name: string): Token[];
}

export const callSyntaxOf = (model: LlamaModel, { settings }: ChatWrapper): CallSyntax => {
  const { call, parallelism } = settings.functions;
  const opening = LlamaText([parallelism?.call.sectionPrefix ?? '', call.prefix]);
  const tokens = (text: LlamaText): Token[] => text.tokenize(model.tokenizer);
  return {
    opening: tokens(opening),
    trigger: triggerOf(model, opening),
    betweenNameAndArguments: (name) => tokens(withName(LlamaText(call.paramsPrefix), name)),
    nameTokens: (name) => model.tokenize(name),
  };
};

const triggerOf = (model: LlamaModel, opening: LlamaText): CallSyntax['trigger'] => {
  const [first] = opening.trimStart().values;
  if (first instanceof SpecialTokensText) {
    const [token, ...others] = model.tokenize(first.value.trim(), true);
    if (token !== undefined && others.length === 0) return { token };
  }
  return { text: (first === undefined ? opening : LlamaText([first])).toString().trim() };
};

const withName = (text: LlamaText, name: string): LlamaText =>
  text.mapValues((value) =>
    typeof value === 'string' ? value.replaceAll('{{functionName}}', name) : value,
  );
