import { RE2JS } from 're2js';
import { type Detector } from './detector.js';

/** Of a pattern as the operator writes it. */
export const PATTERN_UNITS_MAX = 512;
/** Code points that one match may have. */
export const MATCH_POINTS_MAX = 256;
/** Instructions of a compiled pattern: the time of a search is in proportion to them. */
const INSTRUCTIONS_MAX = 2_000;

/** A pattern cannot be a rule; the message says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** An instruction of RE2: its operation, and the next one. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other next one of an alternative; the places of an empty match. */
  readonly arg: number;
}

interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}

/** The operations of RE2's instructions. */
const OP = { alt: 1, altMatch: 2, emptyWidth: 4, fail: 5, match: 6, rune: 8, anyRune: 11 } as const;
/** Begin and end of the text: a stream has neither in its parts. */
const TEXT_EDGES = 4 | 8;

const UNBOUNDED =
  `a match may have ${MATCH_POINTS_MAX} characters at most: ` +
  'write {0,64} for * and {1,64} for +';

/** The fewest and the most code points of a match. */
interface Span {
  readonly least: number;
  readonly most: number;
}

/** Alternatives of a failure and of nothing. */
const NONE: Span = { least: Infinity, most: -Infinity };

/** Walks each instruction once. @throws PatternError for a loop and for an edge of the text */
const spanOf = ({ start, inst }: Program): Span => {
  const known = new Map<number, Span>();
  const open = new Set<number>();
  const visit = (pc: number): Span => {
    const done = known.get(pc);
    if (done) return done;
    if (open.has(pc)) throw new PatternError(UNBOUNDED);
    open.add(pc);
    const span = visitNew(pc);
    open.delete(pc);
    known.set(pc, span);
    return span;
  };
  const visitNew = (pc: number): Span => {
    const instruction = inst[pc];
    if (!instruction) throw new PatternError('an instruction is missing');
    const { op, out, arg } = instruction;
    if (op === OP.match) return { least: 0, most: 0 };
    if (op === OP.fail) return NONE;
    if (op === OP.emptyWidth && (arg & TEXT_EDGES) !== 0) {
      throw new PatternError(String.raw`expected no \A, \z and (?-m): ^ and $ are edges of a line`);
    }
    const next = visit(out);
    if (op === OP.alt || op === OP.altMatch) {
      const other = visit(arg);
      return {
        least: Math.min(next.least, other.least),
        most: Math.max(next.most, other.most),
      };
    }
    const width = op >= OP.rune && op <= OP.anyRune ? 1 : 0;
    return { least: next.least + width, most: next.most + width };
  };
  return visit(start);
};

const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error));
  }
};

/**
 * An expression in the syntax of RE2, whose search takes time in proportion to the text. `^` and
 * `$` are the edges of a line.
 * @throws PatternError
 */
export const patternDetector = (pattern: string): Detector => {
  if (pattern.length > PATTERN_UNITS_MAX) {
    throw new PatternError(`expected ${PATTERN_UNITS_MAX} characters at most`);
  }
  const expression = compiled(pattern);
  const program = expression.re2Input.prog as Program;
  if (program.inst.length > INSTRUCTIONS_MAX) {
    throw new PatternError(`expected a smaller pattern: its repeats make it too large`);
  }
  const { least, most } = spanOf(program);
  if (most > MATCH_POINTS_MAX) throw new PatternError(UNBOUNDED);
  if (least < 1) throw new PatternError('expected a pattern that never matches an empty text');
  return {
    unitsMax: most * 2,
    next: (text, from) => {
      const matcher = expression.matcher(text);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
};
