import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { tierRows, type TierTable } from '../config/tiers.js';
import { toMarkdown } from '../validation/formats.js';
import { errorExamples, ErrorBody } from '../errors/api-failures.decorator.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { KEY_SCHEME } from '../access/requirements.js';
import type { Scope } from '../access/api-key.js';
import { mapOperations, type Operation } from './operations.js';

type Responses = Operation['responses'];
type SecurityRequirementObject = NonNullable<Operation['security']>[number];
type Content = NonNullable<Extract<Responses[string], { content?: unknown }>['content']>;
type Described = { description: string; content: Content };

const JSON_TYPE = 'application/json';

/** The scope that a key needs where an operation names none. */
const USUAL: Scope = 'read';

/**
 * What keys add to every operation: the scheme, that a key may be shown, and how one that is no good is refused;
 * and what each tier has. An operation that cannot do without a key says so itself (RequiresScope, RequiresTier).
 */
export function withKeys(document: OpenAPIObject, tiers: TierTable): OpenAPIObject {
  const { info } = document;
  const keyed = mapOperations(document, (operation) => ({
    ...operation,
    security: securityOf(operation),
    responses: withRefusals(operation.responses),
  }));
  return {
    ...keyed,
    info: { ...info, description: `${info.description}\n\n${toMarkdown(tierRows(tiers))}` },
    security: [{}, keyWith([USUAL])],
    components: {
      ...document.components,
      securitySchemes: {
        [KEY_SCHEME]: {
          type: 'http',
          scheme: 'bearer',
          description:
            "An API key, made at /profile/api-keys. It brings its account's tier: budgets, page sizes, fields. " +
            'Without one the caller is the demo tier, by address. Each operation names the scope that a key ' +
            'needs for it; an empty list means any.',
        },
      },
    },
  };
}

/** The demo knows no keys, so no operation can name their scheme. */
export function withoutKeys(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, ({ security: _, ...operation }) => operation);
}

/**
 * That a key is needed where the operation says so, and with which scope, which it says as well unless it is the
 * usual one.
 */
function securityOf({ security }: Operation): SecurityRequirementObject[] {
  const named = security?.flatMap((requirement) => requirement[KEY_SCHEME] ?? []) ?? [];
  if (named.includes('any')) return [keyWith([])];
  return [...(security ? [] : [{}]), keyWith(named.length > 0 ? named : [USUAL])];
}

const keyWith = (scopes: string[]): SecurityRequirementObject => ({ [KEY_SCHEME]: scopes });

/** Where an operation refuses for reasons of its own too, both are described and shown. */
function withRefusals(responses: Responses): Responses {
  const refusals = Object.entries(REFUSALS).flatMap(([status, refusal]) => {
    const own = responses[status];
    // One that speaks of keys itself, and not of scopes, takes keys of any.
    if (!own && '401' in responses) return [];
    if (!own || '$ref' in own) return [[status, refusal]];
    const said = own.description.includes(refusal.description) ? [] : [refusal.description];
    const described = [own.description, ...said].join(' ');
    return [[status, { ...refusal, ...own, description: described, content: bothShown(own, refusal) }]];
  });
  return { ...responses, ...(Object.fromEntries(refusals) as Responses) };
}

function bothShown(own: { content?: Content }, { content }: Described): Content {
  const shown = { ...own.content?.[JSON_TYPE]?.examples, ...content[JSON_TYPE]?.examples };
  return {
    ...own.content,
    [JSON_TYPE]: { ...content[JSON_TYPE], ...own.content?.[JSON_TYPE], examples: shown },
  };
}

const REFUSALS = { 401: refusal('key_invalid'), 403: refusal('scope_required') };

function refusal(code: ErrorCode): Described {
  const schema = { $ref: getSchemaPath(ErrorBody) };
  return {
    description: `\`${code}\`: ${ERROR_CODES[code].meaning}`,
    content: { [JSON_TYPE]: { schema, examples: errorExamples([code]) } },
  };
}
