import { approximately, type Rational, rational } from '#platform/kernel/rational.js';

/**
 * Arithmetic, exact where it is rational: 0.1 + 0.2 is 0.3. It has numbers, operators, parentheses,
 * a few constants and functions, and nothing else of any language.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

export const EXPRESSION_CHARACTERS_MAX = 1_000;
const DEPTH_MAX = 64;

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

type Apply = (values: readonly Rational[]) => Rational;

const ofDoubles =
  (apply: (value: number) => number): Apply =>
  ([value]) =>
    approximately(apply(value?.toNumber() ?? NaN));

const only =
  (apply: (value: Rational) => Rational): Apply =>
  ([value]) =>
    apply(value ?? rational(0n));

/** The functions, with the number of their arguments; null: one or more. */
const FUNCTIONS: Readonly<Record<string, readonly [arity: number | null, apply: Apply]>> = {
  abs: [1, only((value) => value.abs())],
  floor: [1, only((value) => value.floor())],
  ceil: [1, only((value) => value.negated().floor().negated())],
  round: [1, only((value) => value.rounded())],
  min: [null, (values) => values.reduce((least, one) => (one.compare(least) < 0 ? one : least))],
  max: [null, (values) => values.reduce((most, one) => (one.compare(most) > 0 ? one : most))],
  sqrt: [1, ofDoubles(Math.sqrt)],
  ln: [1, ofDoubles(Math.log)],
  log10: [1, ofDoubles(Math.log10)],
  log2: [1, ofDoubles(Math.log2)],
  exp: [1, ofDoubles(Math.exp)],
  sin: [1, ofDoubles(Math.sin)],
  cos: [1, ofDoubles(Math.cos)],
  tan: [1, ofDoubles(Math.tan)],
};

export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS);

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,3}))?|([a-z][a-z0-9]*)|(\*\*|[-+*/%^(),]))/y;

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly value: Rational | null;
  /** Counted from 1. */
  readonly at: number;
}

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new ExpressionError(`cannot read character ${from + 1}`);
    const [whole, digits, exponent = '0', name, sign] = found;
    const at = from + whole.length - whole.trimStart().length + 1;
    if (digits !== undefined) {
      const value = rational.parse(digits, Number(exponent));
      tokens.push({ kind: 'number', text: digits, value, at });
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, value: null, at });
    else tokens.push({ kind: 'sign', text: sign === '**' ? '^' : (sign ?? ''), value: null, at });
  }
  return [...tokens, { kind: 'end', text: '', value: null, at: end + 1 }];
};

/** Higher binds tighter; `^` groups to the right. */
const BINDS: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4 };
const UNARY_BINDS = 3;

class Parser {
  #next = 0;
  #depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Rational {
    const value = this.#expression(0);
    this.#demand('end', '');
    return value;
  }

  get #token(): Token {
    const token = this.tokens[this.#next] ?? this.tokens.at(-1);
    if (!token) throw new ExpressionError('the expression is empty');
    return token;
  }

  #take(): Token {
    const token = this.#token;
    this.#next += 1;
    return token;
  }

  #demand(kind: Token['kind'], text: string): void {
    const token = this.#take();
    if (token.kind === kind && token.text === text) return;
    const found = token.kind === 'end' ? 'the end' : `"${token.text}"`;
    const wanted = kind === 'end' ? 'an operator' : `"${text}"`;
    throw new ExpressionError(`expected ${wanted} instead of ${found} at character ${token.at}`);
  }

  #expression(bindsAtLeast: number): Rational {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new ExpressionError(`nested deeper than ${DEPTH_MAX}`);
    let left = this.#operand();
    for (;;) {
      const { kind, text } = this.#token;
      const binds = kind === 'sign' ? BINDS[text] : undefined;
      if (binds === undefined || binds < bindsAtLeast) break;
      this.#take();
      const right = this.#expression(text === '^' ? binds : binds + 1);
      left = calculate(left, text, right);
    }
    this.#depth -= 1;
    return left;
  }

  #operand(): Rational {
    const token = this.#take();
    if (token.value) return token.value;
    if (token.kind === 'name') return this.#named(token);
    switch (token.text) {
      case '-':
        return this.#expression(UNARY_BINDS).negated();
      case '+':
        return this.#expression(UNARY_BINDS);
      case '(': {
        const value = this.#expression(0);
        this.#demand('sign', ')');
        return value;
      }
      default: {
        const found = token.kind === 'end' ? 'the end' : `"${token.text}"`;
        throw new ExpressionError(`expected a number instead of ${found} at ${token.at}`);
      }
    }
  }

  #named({ text: name, at }: Token): Rational {
    const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
    if (constant !== undefined) return approximately(constant);
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!known) throw new ExpressionError(`there is no ${name}, at character ${at}`);
    const [arity, apply] = known;
    this.#demand('sign', '(');
    const values = [this.#expression(0)];
    while (this.#token.text === ',') {
      this.#take();
      values.push(this.#expression(0));
    }
    this.#demand('sign', ')');
    if (arity !== null && values.length !== arity) {
      throw new ExpressionError(`${name} takes ${arity} argument, not ${values.length}`);
    }
    return apply(values);
  }
}

const calculate = (left: Rational, sign: string, right: Rational): Rational => {
  switch (sign) {
    case '+':
      return left.plus(right);
    case '-':
      return left.plus(right.negated());
    case '*':
      return left.times(right);
    case '/':
      return left.over(right);
    case '%':
      return left.modulo(right);
    default:
      return left.toThe(right);
  }
};

/** @throws ExpressionError which says what is wrong, and where */
export const evaluate = (expression: string): Rational => {
  if (expression.length > EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`longer than ${EXPRESSION_CHARACTERS_MAX} characters`);
  }
  return new Parser(tokensOf(expression)).whole();
};
