import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  BY_THE_CALL,
  defineTool,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import {
  evaluate,
  EXPRESSION_CHARACTERS_MAX,
  ExpressionError,
  FUNCTION_NAMES,
} from './expression.js';
import { ArithmeticError } from '#platform/kernel/rational.js';

const CalculatorInput = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(EXPRESSION_CHARACTERS_MAX)
    .describe(`Numbers, + - * / % ^, parentheses, pi, e, ${FUNCTION_NAMES.join(', ')}.`),
});
type CalculatorInput = z.infer<typeof CalculatorInput>;

const CalculatorOutput = z.strictObject({
  /** In decimal digits, so that no digit is lost. */
  result: z.string(),
  /** Whether these are all digits of the true result. */
  exact: z.boolean(),
});
type CalculatorOutput = z.infer<typeof CalculatorOutput>;

const SIGNIFICANT_DIGITS = 15;

/** @throws ToolError `invalid_expression`, `not_a_number` */
export const calculated = (expression: string): CalculatorOutput => {
  try {
    const value = evaluate(expression);
    const { text, isExact } = value.toDecimal();
    // A rounded function is computed as a double: digits beyond a double's precision are noise.
    const result = value.isExact
      ? text
      : String(Number(Number(text).toPrecision(SIGNIFICANT_DIGITS)));
    return { result, exact: isExact };
  } catch (error) {
    const param = { param: 'expression' };
    if (error instanceof ExpressionError) {
      throw new ToolError('invalid_expression', error.message, param);
    }
    if (error instanceof ArithmeticError) throw new ToolError('not_a_number', error.message, param);
    throw error;
  }
};

/** It costs by the call, and has no effect. */
@Injectable()
export class Calculator implements ToolRunner<CalculatorInput, CalculatorOutput> {
  estimate(): Promise<ToolEstimate> {
    return Promise.resolve({ lines: [], rateCardVersion: null });
  }

  run({ expression }: CalculatorInput): Promise<ToolOutcome<CalculatorOutput>> {
    return Promise.try(() => ({ output: calculated(expression), used: [], counters: {} }));
  }
}

export const calculatorTool = defineTool({
  name: 'calculator',
  description: 'Calculates an arithmetic expression, exactly where that is possible.',
  input: CalculatorInput,
  output: CalculatorOutput,
  meters: BY_THE_CALL,
  runner: Calculator,
});
