import tseslint from 'typescript-eslint';

const ENVIRONMENT = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Read the environment in src/config/config.ts only.',
};
const EXPORT_DEFAULT = { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' };

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'scripts/',
      'test/contract/',
      'test/prism/',
      'test/mutation/',
      '.stryker-tmp/',
      '.bowerbird/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // A number reads the same in a template as anywhere; what has no text of its own is still refused.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: true }],
      // `() => stop()`, and `return response.end()` where a function gives nothing anyway, are the usual shapes.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // What implements an asynchronous interface may have nothing to wait for; `async` makes what it throws a rejection.
      '@typescript-eslint/require-await': 'off',
      // Values that are made of functions are taken apart; methods of classes are not, and the tests would notice.
      '@typescript-eslint/unbound-method': 'off',
      // DTO classes describe shapes for validation and the documents; answers are plain objects of such a shape, as Nest
      // serialises them, and none has a prototype to lose.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // Nest's modules are classes that carry a decorator and nothing else, and a DTO without a field says that none is taken.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      'no-restricted-syntax': [
        'error',
        ENVIRONMENT,
        EXPORT_DEFAULT,
        {
          selector:
            ":matches(NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.object.name='Date'][callee.property.name='now'])",
          message: 'Two instances agree on the clock of PostgreSQL alone: Clock or timeOfDatabase().',
        },
      ],
    },
  },
  {
    // Where that clock is read, and where there is none: on an operator's screen and in the demo.
    files: [
      'src/db/**/*.ts',
      'src/demo*.ts',
      'src/demo/**/*.ts',
      'src/ops/local/*.ts',
      'src/ops/printing.ts',
      'src/**/*.spec.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ENVIRONMENT, EXPORT_DEFAULT] },
  },
  {
    files: ['src/config/*.ts', 'test/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // supertest's bodies and the documents that tests read are any JSON; each is compared with literals, not built upon.
    files: ['test/**/*.ts', 'src/**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      // Tests say what shape a failure has, and fail where it has another.
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
      '@typescript-eslint/await-thenable': 'off',
      // A flag that another task of the test sets meanwhile looks constant to the compiler.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    // The official suite asks for what the newest revision deprecates.
    files: ['test/conformance/**/*.ts'],
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
);
