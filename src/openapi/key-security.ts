import type { OpenAPIObject } from '@nestjs/swagger';
import { tierRows, toMarkdown } from '../tiers/tier-table.js';
import type { TierTable } from '../tiers/tiers.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { KEY_SCHEME } from '../auth/requirements.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Operation['responses'];
type Described = { description: string; content: object };

const KEY = { [KEY_SCHEME]: [] };

/**
 * What keys add to every operation: the scheme, that a key may be shown, and how one that is no good is refused; and what
 * each tier has. An operation that cannot do without a key says so itself (RequiresKey, RequiresTier).
 */
export function withKeys(document: OpenAPIObject, tiers: TierTable): OpenAPIObject {
  const { info } = document;
  return {
    ...document,
    info: { ...info, description: `${info.description}\n\n${toMarkdown(tierRows(tiers))}` },
    security: [{}, KEY],
    paths: mapOperations(document, (operation) => ({
      ...operation,
      // Each of several requirements has named it.
      ...(operation.security && { security: [KEY] }),
      responses: withRefusals(operation.responses),
    })),
    components: {
      ...document.components,
      securitySchemes: {
        [KEY_SCHEME]: {
          type: 'http',
          scheme: 'bearer',
          description:
            "An API key, made at /profile/api-keys. It brings its account's tier: budgets, page sizes, fields. Without one the caller is the demo tier, by address.",
        },
      },
    },
  };
}

/** The demo knows no keys, so no operation can name their scheme. */
export function withoutKeys(document: OpenAPIObject): OpenAPIObject {
  return {
    ...document,
    paths: mapOperations(document, ({ security: _, ...operation }) => operation),
  };
}

function mapOperations(
  { paths }: OpenAPIObject,
  change: (operation: Operation) => Operation,
): OpenAPIObject['paths'] {
  const changed = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => [
        method,
        change(operation),
      ]),
    ),
  ]);
  return Object.fromEntries(changed);
}

/** Where an operation refuses for reasons of its own too, its example stays, and both are described. */
function withRefusals(responses: Responses): Responses {
  const refusals = Object.entries(REFUSALS).map(([status, refusal]) => {
    const own = responses[status];
    if (!own || '$ref' in own) return [status, refusal];
    const described = [...new Set([own.description, refusal.description])].join(' ');
    return [status, { ...refusal, ...own, description: described }];
  });
  return { ...responses, ...Object.fromEntries(refusals) };
}

const REFUSALS = { 401: refusal('key_invalid'), 403: refusal('scope_required') };

function refusal(code: ErrorCode): Described {
  const { meaning } = ERROR_CODES[code];
  const example = { error: { code, message: meaning, request_id: '8b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d' } };
  return {
    description: `\`${code}\`: ${meaning}`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  };
}
