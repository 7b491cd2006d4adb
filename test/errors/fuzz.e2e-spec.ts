import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { ALL_SCOPES } from '../../src/access/api-key.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey } from '../support/accounts.js';
import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { makeFolder } from '../support/processes.js';
import { anyCharacter, runs } from '../support/runs.js';
import { WITH_EVERYTHING } from '../support/switches.js';

// The documents, driven with values that they allow and values that nobody should send.
const DOCUMENTS = ['/v1/openapi.json', '/api/v1/openapi.json'];
const OPERATOR = mintOperatorKey();
const RUNS_PER_OPERATION = runs(25);
// Budgets out of the way: what is tested here is what comes after them.
const BOUNDLESS = { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 };
const TIERS = JSON.stringify({ demo: BOUNDLESS, firehose: BOUNDLESS });

interface Parameter {
  name: string;
  in: string;
  schema: {
    type?: string;
    format?: string;
    enum?: unknown[];
    items?: { enum: string[] };
    pattern?: string;
    minimum?: number;
    maximum?: number;
  };
}
interface Operation {
  parameters?: Parameter[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

interface Sender {
  readonly who: string;
  readonly environment: Record<string, string>;
  readonly documents: string[];
  /** Of the runs. */
  readonly share: number;
}

describe.each<Sender>([
  { who: 'the demo', environment: {}, documents: DOCUMENTS, share: 1 },
  { who: 'a customer', environment: WITH_EVERYTHING, documents: DOCUMENTS, share: 1 },
  {
    who: 'an operator',
    environment: { ...WITH_EVERYTHING, OPERATOR_KEY_HASH: `alice:${OPERATOR.hash}` },
    documents: ['/ops/openapi.json'],
    // Each answer counts whole tables, or asks upstreams.
    share: 0.2,
  },
])('whatever is sent by $who', ({ environment, documents, share }) => {
  let test: TestApp;
  let caller: Client;
  beforeAll(async () => {
    test = await startTestApp({ TIERS, EXPORT_DIR: await makeFolder('exports'), ...environment });
    for (let index = 0; index < 30; index += 1) await addDomain(test.database, { wayback: index });
    caller = test.caller();
    if ('OPERATOR_KEY_HASH' in environment) caller.set('Authorization', `Bearer ${OPERATOR.text}`);
    else if ('AUTH' in environment)
      caller.set(
        'Authorization',
        (await addKey(test.database, { tier: 'firehose', scopes: [...ALL_SCOPES] })).bearer,
      );
  });
  afterAll(() => test.close());

  it.each(documents)(
    'to %s has a documented status, a valid body, a request id, and is never a 500',
    async (address) => {
      const document: Document = (await test.caller().get(address)).body;
      const ajv = addFormats.default(new Ajv2020.default({ strict: false }));
      ajv.addSchema(document, 'document');
      const compile = remembered((schema) => ajv.compile(JSON.parse(schema)));
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const validators = validatorsOf(compile, operation);
          await fc.assert(
            fc.asyncProperty(anyAddress(path, operation.parameters ?? []), async (target) => {
              // Bodies have tests of their own; here it is one that lacks whatever is asked for.
              const request = caller[method as 'get' | 'post' | 'patch' | 'delete'](target);
              const response = await (method === 'get' ? request : request.send({}));
              const validate = validators.get(String(response.status));
              expect({ method, status: response.status, documented: validate !== undefined }).toMatchObject({
                documented: true,
              });
              expect(response.status).not.toBe(500);
              expect(response.headers['x-request-id']).toBeDefined();
              const { status, body } = response;
              expect({ target, status, valid: validate?.(body), errors: validate?.errors }).toEqual({
                ...{ target, status },
                ...{ valid: true, errors: null },
              });
            }),
            { numRuns: Math.ceil(RUNS_PER_OPERATION * share) },
          );
        }
      }
    },
  );
});

type Validator = ReturnType<InstanceType<typeof Ajv2020.default>['compile']>;

function validatorsOf(
  compile: (schema: string) => Validator,
  { responses }: Operation,
): Map<string, Validator> {
  return new Map(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema ?? (content && {});
      return schema ? [[status, compile(JSON.stringify(schema).replaceAll('"#/', '"document#/'))]] : [];
    }),
  );
}

/** The same schemas and patterns stand in most operations. */
function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const made = new Map<string, Result>();
  return (text) => {
    const result = made.get(text) ?? make(text);
    made.set(text, result);
    return result;
  };
}

const matching = remembered((pattern) => fc.stringMatching(new RegExp(pattern)));

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.string({ unit: fc.constantFrom('e\u0301', 'ก็', '👩‍👩‍👧', '🇦🇺', '각', 'ß'), maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '%',
    '%%%',
    'null',
    'NaN',
    '-0',
    '1e309',
    '٣',
    '‮',
    "' OR 1=1--",
    '{}',
    '[]',
    '../..',
    'a'.repeat(4000),
  ),
  fc.webUrl(),
  fc.emailAddress(),
  fc.ipV6(),
);

function valid({ schema }: Parameter): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum }).map(String);
  if (schema.pattern) return matching(schema.pattern);
  if (schema.items) return fc.subarray(schema.items.enum, { minLength: 1 }).map((items) => items.join(','));
  if (schema.format) {
    const length = schema.format === 'date' ? 'yyyy-mm-dd'.length : undefined;
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, length));
  }
  return matching('^[a-z0-9-]{2,20}\\.(com|net|org|id|asn)\\.au$');
}

/** An address: its own parameters and its query valid or hostile. */
function anyAddress(path: string, parameters: Parameter[]): fc.Arbitrary<string> {
  const own = parameters
    .filter((parameter) => parameter.in === 'path')
    .map((parameter) =>
      fc
        .oneof(
          valid(parameter),
          hostile.filter((text) => text !== ''),
        )
        .map((text) => [`{${parameter.name}}`, encodeURIComponent(text)] as const),
    );
  return fc
    .tuple(fc.tuple(...own), anyQuery(parameters))
    .map(
      ([values, query]) =>
        values.reduce((text, [name, value]) => text.replace(name, () => value), path) + query,
    );
}

/** A query string: some parameters valid, some hostile, some twice, some unknown, some not even encoded. */
function anyQuery(parameters: Parameter[]): fc.Arbitrary<string> {
  const known = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => {
      const value = fc.oneof({ weight: 3, arbitrary: valid(parameter) }, { weight: 2, arbitrary: hostile });
      return fc.tuple(fc.constant(parameter.name), value);
    });
  const unknown = fc.tuple(fc.string({ maxLength: 10 }), hostile);
  const pairs = fc.array(
    fc.oneof(...known.map((arbitrary) => ({ weight: 4, arbitrary })), { weight: 1, arbitrary: unknown }),
    {
      maxLength: 5,
    },
  );
  const encoded = pairs.map((list) => `?${new URLSearchParams(list).toString()}`);
  const raw = matching('^\\?[a-z]{1,8}=[%a-fA-F0-9=&+.-]{0,30}$');
  return fc.oneof({ weight: 9, arbitrary: encoded }, { weight: 1, arbitrary: raw });
}
