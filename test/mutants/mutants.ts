import ts from 'typescript';

/** One change at one place of a source. */
export interface Mutant {
  /** Relative to the root, with slashes. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
  /** Where `before` starts in the source. */
  readonly start: number;
}

/** A replacement of one node, or of a part of it. */
interface Change {
  readonly operator: string;
  readonly node: { getStart(): number; getEnd(): number };
  readonly after: string;
}

const { SyntaxKind } = ts;

/** The replacements of a binary operator. */
const BINARY: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [SyntaxKind.EqualsEqualsToken]: ['!='],
  [SyntaxKind.ExclamationEqualsToken]: ['=='],
  [SyntaxKind.LessThanToken]: ['<=', '>='],
  [SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [SyntaxKind.AmpersandAmpersandToken]: ['||'],
  [SyntaxKind.BarBarToken]: ['&&'],
  [SyntaxKind.PlusToken]: ['-'],
  [SyntaxKind.MinusToken]: ['+'],
  [SyntaxKind.AsteriskToken]: ['/'],
  [SyntaxKind.SlashToken]: ['*'],
  [SyntaxKind.PercentToken]: ['*'],
  [SyntaxKind.PlusEqualsToken]: ['-='],
  [SyntaxKind.MinusEqualsToken]: ['+='],
};

const OPERATOR_NAMES: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.AmpersandAmpersandToken]: 'logic',
  [SyntaxKind.BarBarToken]: 'logic',
  [SyntaxKind.PlusToken]: 'arithmetic',
  [SyntaxKind.MinusToken]: 'arithmetic',
  [SyntaxKind.AsteriskToken]: 'arithmetic',
  [SyntaxKind.SlashToken]: 'arithmetic',
  [SyntaxKind.PercentToken]: 'arithmetic',
  [SyntaxKind.PlusEqualsToken]: 'arithmetic',
  [SyntaxKind.MinusEqualsToken]: 'arithmetic',
};

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function* ofBinary({ operatorToken, left, right }: ts.BinaryExpression): Generator<Change> {
  const { kind } = operatorToken;
  if (kind === SyntaxKind.QuestionQuestionToken) {
    const span = { getStart: () => operatorToken.getStart(), getEnd: () => right.getEnd() };
    yield { operator: 'default', node: span, after: '' };
  }
  // A minus between texts gives NaN, which every spec notices.
  if (kind === SyntaxKind.PlusToken && (isText(left) || isText(right))) return;
  const operator = OPERATOR_NAMES[kind] ?? 'comparison';
  for (const after of BINARY[kind] ?? []) yield { operator, node: operatorToken, after };
}

function* ofLiteral(node: ts.Expression): Generator<Change> {
  if (node.kind === SyntaxKind.TrueKeyword) yield { operator: 'boolean', node, after: 'false' };
  if (node.kind === SyntaxKind.FalseKeyword) yield { operator: 'boolean', node, after: 'true' };
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    for (const after of [value + 1, value - 1])
      yield { operator: 'constant', node, after: `(${after})` };
  }
  if (ts.isBigIntLiteral(node)) {
    const value = BigInt(node.text.slice(0, -1));
    for (const after of [value + 1n, value - 1n])
      yield { operator: 'constant', node, after: `(${after}n)` };
  }
}

function* ofUnary({ operator, operand }: ts.PrefixUnaryExpression): Generator<Change> {
  const isNegation = operator === SyntaxKind.ExclamationToken || operator === SyntaxKind.MinusToken;
  if (!isNegation) return;
  const sign = { getStart: () => operand.getStart() - 1, getEnd: () => operand.getStart() };
  yield { operator: 'negation', node: sign, after: '' };
}

/** A condition that is a bare value: comparisons and logic have operators of their own. */
function* ofCondition(condition: ts.Expression): Generator<Change> {
  const isBare =
    ts.isIdentifier(condition) ||
    ts.isPropertyAccessExpression(condition) ||
    ts.isElementAccessExpression(condition) ||
    ts.isCallExpression(condition) ||
    ts.isAwaitExpression(condition);
  if (isBare) yield { operator: 'condition', node: condition, after: `!(${condition.getText()})` };
}

const LOG_LINE = /\blogger\??\.(trace|debug|info|warn|error|fatal)\(/;

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;

const isEffect = (node: ts.Expression): boolean => {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isEffect(node.expression);
  if (ts.isBinaryExpression(node)) return isAssignment(node.operatorToken.kind);
  if (!ts.isCallExpression(node)) return ts.isDeleteExpression(node);
  return node.expression.kind !== SyntaxKind.SuperKeyword;
};

const isExit = (statement: ts.Statement): boolean => {
  if (ts.isBlock(statement)) return statement.statements.length === 1 && isLastExit(statement);
  return (
    ts.isReturnStatement(statement) ||
    ts.isThrowStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
};

const isLastExit = ({ statements }: ts.Block): boolean => {
  const last = statements.at(-1);
  return last !== undefined && isExit(last);
};

function* ofStatement(node: ts.Statement): Generator<Change> {
  if (ts.isExpressionStatement(node) && isEffect(node.expression)) {
    yield { operator: 'removed statement', node, after: ';' };
  }
  if (ts.isIfStatement(node)) {
    if (!node.elseStatement && isExit(node.thenStatement)) {
      yield { operator: 'removed early exit', node, after: ';' };
    }
    yield* ofCondition(node.expression);
  }
}

function* changesOf(node: ts.Node): Generator<Change> {
  if (ts.isStatement(node)) yield* ofStatement(node);
  else if (ts.isBinaryExpression(node)) yield* ofBinary(node);
  else if (ts.isPrefixUnaryExpression(node)) yield* ofUnary(node);
  else if (ts.isConditionalExpression(node)) yield* ofCondition(node.condition);
  else if (ts.isExpression(node)) yield* ofLiteral(node);
}

/** Nothing within these runs, or a change of it is one of a message or of metadata only. */
const isLeftOut = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isDecorator(node) ||
  (ts.isExpressionStatement(node) && LOG_LINE.test(node.getText()));

/** Every mutant of a source, in the order of its text. */
export const mutantsOf = (file: string, source: string): readonly Mutant[] => {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) return;
    for (const { operator, node: changed, after } of changesOf(node)) {
      const start = changed.getStart();
      const before = source.slice(start, changed.getEnd());
      const line = tree.getLineAndCharacterOfPosition(start).line + 1;
      mutants.push({ file, line, operator, before, after, start });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return mutants.sort((a, b) => a.start - b.start);
};

/** The source with the mutant in it. */
export const mutated = (source: string, { start, before, after }: Mutant): string =>
  source.slice(0, start) + after + source.slice(start + before.length);

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** `file:line operator: before -> after`. */
export const describeMutant = ({ file, line, operator, before, after }: Mutant): string => {
  const result = after === '' || after === ';' ? '(removed)' : oneLine(after);
  return `${file}:${line} ${operator}: ${oneLine(before)} -> ${result}`;
};
