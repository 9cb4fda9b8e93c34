import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/', 'bundle/', 'coverage/', '**/node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Naming a field beside `...rest` is how it is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // A DTO class describes a shape for validation and OpenAPI; what a controller returns is a
      // literal of that shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Nest modules are classes that only carry a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Numbers and bigints read well in messages; objects do not, and stay forbidden.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      // `== null` is the one way to say "null or undefined".
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['**/*.controller.ts', '**/*.dto.ts', '**/*.handler.ts', '**/*.module.ts'],
    rules: {
      // Nest reads constructor and parameter types at run time: `import type` would erase them.
      '@typescript-eslint/consistent-type-imports': 'off',
    },
  },
  {
    // Patterns that read a caller's text more than once are quadratic or worse.
    files: ['apps/**/*.ts', 'libs/**/*.ts', 'events/**/*.ts', 'projections/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts', '**/*.fake.ts', '**/*.contract.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.name='mkdir'] Property[key.name='recursive']",
          message: 'It never ends below /proc: use createFolder.',
        },
      ],
    },
  },
  {
    // A decision that reads a clock or draws a number cannot be replayed.
    files: ['events/**/*.ts', 'projections/**/*.ts', '**/*.decider.ts', '**/*.saga.ts'],
    rules: {
      'no-restricted-globals': ['error', 'Date', 'setTimeout', 'setInterval', 'process', 'fetch'],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.contract.ts', 'test/**/*.ts'],
    rules: {
      // A `describe` block is a table of contents, not a function.
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // The output of a command is its result.
    files: ['apps/cli/**/*.ts', 'test/bench/**/*.ts', 'tools/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
