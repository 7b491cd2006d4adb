import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { startTestApp, type TestApp } from './support/app.js';
import { addDomain } from './support/domains.js';

// Both published documents, driven with values that they allow and values that nobody should send.
const DOCUMENTS = ['/v1/openapi.json', '/api/v1/openapi.json'];
const RUNS_PER_OPERATION = 150;
// Budgets out of the way: what is tested here is what comes after them.
const TIERS = JSON.stringify({ demo: { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 } });

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string; enum?: unknown[]; pattern?: string; minimum?: number; maximum?: number };
}
interface Operation {
  parameters?: Parameter[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ TIERS });
  for (let index = 0; index < 30; index += 1) await addDomain(test.database, { wayback: index });
});
afterAll(() => test.close());

describe.each(DOCUMENTS)('whatever is sent to the addresses of %s', (address) => {
  it('the answer has a documented status, a valid body, a request id, and is never a 500', async () => {
    const document: Document = (await test.caller().get(address)).body;
    const ajv = addFormats.default(new Ajv2020.default({ strict: false }));
    ajv.addSchema(document, 'document');
    const caller = test.caller();
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const validators = validatorsOf(ajv, operation);
        await fc.assert(
          fc.asyncProperty(anyQuery(operation.parameters ?? []), async (query) => {
            const response = await caller.get(`${path}${query}`);
            const validate = validators.get(String(response.status));
            expect({ method, status: response.status, documented: validate !== undefined }).toMatchObject({
              documented: true,
            });
            expect(response.status).not.toBe(500);
            expect(response.headers['x-request-id']).toBeDefined();
            expect({ valid: validate?.(response.body), errors: validate?.errors }).toEqual({
              valid: true,
              errors: null,
            });
          }),
          { numRuns: RUNS_PER_OPERATION },
        );
      }
    }
  });
});

type Validator = ReturnType<InstanceType<typeof Ajv2020.default>['compile']>;

function validatorsOf(
  ajv: InstanceType<typeof Ajv2020.default>,
  { responses }: Operation,
): Map<string, Validator> {
  return new Map(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      return schema
        ? [[status, ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))]]
        : [];
    }),
  );
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
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
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.stringMatching(/^[a-z0-9-]{2,20}\.(com|net|org|id|asn)\.au$/);
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
  const raw = fc.stringMatching(/^\?[a-z]{1,8}=[%a-fA-F0-9=&+.-]{0,30}$/);
  return fc.oneof({ weight: 9, arbitrary: encoded }, { weight: 1, arbitrary: raw });
}
