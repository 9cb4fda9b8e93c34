import {
  LlamaGrammarEvaluationState,
  type LlamaContextSequence,
  type LlamaGrammar,
  type Token,
} from 'node-llama-cpp';
import type {
  FinishReason,
  GenerationTask,
  RatedToken,
} from '#engines/language-model/language-model.protocol.js';
import { type CallSyntax } from '#engines/language-model/child/call-syntax.js';
import { type Grammars } from '#engines/language-model/child/grammars.js';
import { type Job } from '#engines/language-model/child/job.js';
import { TokenDraw } from '#engines/language-model/child/native-calls.js';
import { type Prompt } from '#engines/language-model/child/prompt.js';
import { CharacterAssembler, TokenRatings } from '#engines/language-model/child/token-text.js';
import { stopStrings, type StopStrings } from '#engines/language-model/stop-strings.js';

/** The shared state of the choices of one generation. */
export interface Writing {
  readonly job: Job;
  readonly task: GenerationTask;
  readonly prompt: Prompt;
  readonly grammars: Grammars;
  /** Absent without tools. */
  readonly calls?: CallSyntax;
}

/** The source of the tokens of one choice. */
export type Draw = Pick<TokenDraw, 'follow' | 'next' | 'dispose'>;

const drawOf = ({ task }: Writing, choice: number, { model }: LlamaContextSequence): Draw => {
  const { temperature, topP, seed, topLogprobs } = task;
  return new TokenDraw(model, { temperature, topP, seed: seed + choice }, topLogprobs);
};

/** Writes one choice in a sequence that has read the prompt up to its last token. */
export class AnswerWriter {
  private readonly writing: Writing;
  private readonly choice: number;
  private readonly sequence: LlamaContextSequence;
  private readonly draw: Draw;
  private readonly ratings: TokenRatings;
  private characters: CharacterAssembler;
  /** Tokens that the sequence has yet to read. */
  private unread: Token[];
  private drawn: Token[] = [];
  private completionTokens = 0;
  private rated: RatedToken[] = [];

  constructor(
    writing: Writing,
    choice: number,
    sequence: LlamaContextSequence,
    draw: Draw = drawOf(writing, choice, sequence),
  ) {
    this.writing = writing;
    this.choice = choice;
    this.sequence = sequence;
    this.draw = draw;
    this.unread = writing.prompt.ids.slice(-1);
    this.ratings = new TokenRatings(sequence.model, this.unread);
    this.characters = new CharacterAssembler(sequence.model);
  }

  async write(): Promise<void> {
    const { job, task } = this.writing;
    try {
      const finishReason =
        task.tools?.choice === 'required' ? await this.writeCall() : await this.writeText();
      job.ended(this.choice, this.completionTokens, finishReason);
    } finally {
      this.draw.dispose();
    }
  }

  private async writeText(): Promise<FinishReason> {
    const { calls, grammars } = this.writing;
    const trigger = calls?.trigger;
    const held = stopStrings(trigger !== undefined && 'text' in trigger ? [trigger.text] : []);
    this.follow(grammars.answer);
    for (;;) {
      const drawn = await this.drawOne();
      if (typeof drawn === 'string') {
        await this.deliver(held.push(this.characters.flush()).text + held.flush());
        return drawn;
      }
      if (trigger !== undefined && 'token' in trigger && drawn === trigger.token) {
        return this.callInstead(held, 1);
      }
      const { text, stopped } = held.push(this.characters.push(drawn));
      await this.deliver(text);
      if (stopped && trigger !== undefined && 'text' in trigger) {
        return this.callInstead(held, this.tokensOf(trigger.text));
      }
    }
  }

  /** How many of the last tokens the trigger is in. */
  private tokensOf(trigger: string): number {
    const { model } = this.sequence;
    let count = 1;
    while (count < this.drawn.length) {
      if (model.detokenize(this.drawn.slice(-count)).includes(trigger)) break;
      count += 1;
    }
    return count;
  }

  /** The model has begun to call a tool: its beginning is replaced by the template's own. */
  private async callInstead(held: StopStrings, begun: number): Promise<FinishReason> {
    await this.deliver(held.flush());
    const start = this.sequence.nextTokenIndex - (begun - 1);
    const end = this.sequence.nextTokenIndex;
    if (start < end) await this.sequence.eraseContextTokenRanges([{ start, end }]);
    this.unread = [];
    return this.writeCall();
  }

  private async writeCall(): Promise<FinishReason> {
    const { calls, grammars } = this.writing;
    if (calls === undefined) throw new Error('a call without tools');
    this.unread.push(...calls.opening);
    this.rated = [];
    const name = await this.drawName(calls);
    if (name === null) return 'length';
    await this.deliver('', { name });
    this.unread.push(...calls.betweenNameAndArguments(name));
    this.characters = new CharacterAssembler(this.sequence.model);
    const schema = grammars.arguments.get(name);
    this.follow(schema?.grammar);
    const held = stopStrings(schema?.stopTexts ?? []);
    for (;;) {
      const drawn = await this.drawOne();
      if (typeof drawn === 'string') {
        await this.deliver(held.push(this.characters.flush()).text + held.flush(), {});
        return drawn === 'length' ? 'length' : 'tool_calls';
      }
      const { text, stopped } = held.push(this.characters.push(drawn));
      await this.deliver(text, {});
      if (stopped) return 'tool_calls';
    }
  }

  /** Null where there is no room for it. */
  private async drawName(calls: CallSyntax): Promise<string | null> {
    const { grammars } = this.writing;
    const [only, ...others] = grammars.arguments.keys();
    if (only !== undefined && others.length === 0) {
      this.unread.push(...calls.nameTokens(only));
      return only;
    }
    this.follow(grammars.names);
    this.drawn = [];
    for (;;) {
      const drawn = await this.drawOne();
      if (drawn === 'length') return null;
      if (typeof drawn === 'string') return this.sequence.model.detokenize(this.drawn);
    }
  }

  private follow(grammar: LlamaGrammar | undefined): void {
    const { model } = this.sequence;
    this.draw.follow(grammar && new LlamaGrammarEvaluationState({ model, grammar }));
  }

  /** Reads what is unread and draws a token behind it, unless the choice ends here. */
  private async drawOne(): Promise<Token | FinishReason> {
    const { job, task, prompt } = this.writing;
    const { sequence, unread } = this;
    if (job.isOver(this.choice)) return 'stop';
    const isFull = sequence.nextTokenIndex + unread.length >= sequence.contextSize;
    if (isFull || this.completionTokens >= task.maxTokens) return 'length';
    const drawn = await this.draw.next(sequence, unread);
    const { token } = drawn;
    const isEnd = prompt.stopTokens.has(token) || sequence.model.isEogToken(token);
    this.unread = isEnd ? [] : [token];
    if (isEnd) return 'stop';
    this.drawn.push(token);
    this.completionTokens += 1;
    if (task.topLogprobs !== undefined) this.rated.push(this.ratings.rate(drawn));
    return token;
  }

  /** @param call the text is of its arguments; such text is not rated */
  private async deliver(text: string, call?: { readonly name?: string }): Promise<void> {
    const { job, task } = this.writing;
    const logprobs = call === undefined ? this.rated : [];
    if (text === '' && logprobs.length === 0 && call?.name === undefined) return;
    this.rated = [];
    await job.deliver({
      choice: this.choice,
      text,
      completionTokens: this.completionTokens,
      ...(call && { call }),
      ...(task.topLogprobs !== undefined && call === undefined && { logprobs }),
    });
  }
}
