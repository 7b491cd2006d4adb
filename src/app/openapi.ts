import type { HttpServer, INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { dump } from 'js-yaml';
import { API_PREFIXES, type ApiPrefix, documentPath, VERSION } from '../config/product.js';
import type { Config } from '../config/config.js';
import { ORDER_SCOPES } from '../access/api-key.js';
import { ORDER_ERROR_CODES } from '../errors/error-codes.js';
import { ErrorBody } from '../errors/api-failures.decorator.js';
import { assertMatches, entityTagOf } from '../errors/conditions.js';
import type { ApiDocuments } from '../mcp/mcp-contract.js';
import { ACCOUNT_EVENT_TYPES } from '../notify/webhooks/account-events.js';
import { toolShapes } from '../mcp/tools.js';
import { tiersOf } from '../access/tiers.module.js';
import { once } from '../validation/caches.js';
import { isObject } from '../validation/unknown-values.js';
import { readAsset } from '../web/layout/layout.js';
import {
  withAnswerExamples,
  withBodyDefaultsInWords,
  mapOperations,
  operationsOf,
  withRequestContent,
} from './operations.js';
import { withKeys, withoutKeys } from './key-security.js';
import { codeSamples } from './code-samples.js';
import { DELIVERY_SHAPES, receiverOperations } from './receivers.js';
import { referencePage, UI_OPTIONS, forTrying } from './reference.js';
import { withResponseHeaders } from './response-headers.js';

/**
 * The OpenAPI 3.1 documents, made from the controllers and DTO classes and cut by prefix. The tool server takes its
 * schemas from the same components.
 */
export function describeApi(app: INestApplication, config: Config): ApiDocuments {
  const { auth, links, webhooks } = config;
  const extraModels = [
    ErrorBody,
    ...toolShapes(config.orders.enabled),
    ...(webhooks.enabled ? DELIVERY_SHAPES : []),
  ];
  const document = SwaggerModule.createDocument(app, describe(links), { extraModels });
  const described = withoutOperations(config.orders.enabled ? document : withoutOrders(document));
  const keyed = auth.enabled ? withKeys(described, tiersOf(config).table) : withoutKeys(described);
  const content = withAnswerExamples(withRequestContent(withResponseHeaders(keyed)));
  const whole = withCodeSamples(withBodyDefaultsInWords(content));
  const published = {
    v1: cut(whole, 'v1'),
    'api/v1': cut(whole, 'api/v1', webhooks.enabled ? receiverOperations(config.orders.enabled) : undefined),
  };
  return { whole, published };
}

const OF_ORDERS = new Set<unknown>([
  ...Object.keys(ORDER_ERROR_CODES),
  ...ORDER_SCOPES,
  ...ACCOUNT_EVENT_TYPES,
]);

/** Without the codes and scopes of orders: where none are taken, none of them exists. */
function withoutOrders(document: OpenAPIObject): OpenAPIObject {
  const keep = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.filter((one) => !OF_ORDERS.has(one)).map(keep);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, keep(value)]));
  };
  return keep(document) as OpenAPIObject;
}

/** What operators do has a document of its own. */
function withoutOperations(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/ops/'));
  return { ...document, paths: Object.fromEntries(paths) };
}

function withCodeSamples(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, (operation, method, path) => ({
    ...operation,
    'x-codeSamples': codeSamples(document, path, method, operation),
  }));
}

/**
 * Serves /{prefix}/openapi.json, /{prefix}/openapi.yaml and Swagger UI at /{prefix}/docs. Each is rendered at the
 * first request, because rendering takes longer than the start of a server.
 */
export function serveDocuments(app: NestExpressApplication, documents: () => ApiDocuments): void {
  for (const prefix of API_PREFIXES) {
    const document = () => documents().published[prefix];
    serveText(app, documentPath(prefix), 'application/json', () => JSON.stringify(document()));
    serveText(app, `/${prefix}/openapi.yaml`, 'application/yaml', () => dump(document(), { noRefs: true }));
    serveText(app, `/${prefix}/docs`, 'html', () => referencePage(prefix));
    // The documents that Swagger's module would serve have no ETag, and a type from before RFC 9512.
    SwaggerModule.setup(`${prefix}/docs`, app, () => forTrying(document()), {
      raw: [],
      swaggerOptions: UI_OPTIONS,
    });
  }
  serveText(app, '/assets/reference.css', 'css', () => readAsset('reference.css'));
  serveText(app, '/assets/reference.js', 'js', () => readAsset('reference.js'));
}

/** Serves what does not change while the service runs. */
function serveText(app: NestExpressApplication, path: string, type: string, write: () => string): void {
  const written = once(() => {
    const text = write();
    return { text, tag: entityTagOf(text) };
  });
  const adapter: HttpServer = app.getHttpAdapter();
  adapter.get(path, ({ headers }: Request, response: Response) => {
    const { text, tag } = written();
    assertMatches(headers['if-match'], tag);
    response.type(type).set('ETag', tag).send(text);
  });
}

function describe({ baseUrl, termsUrl }: Config['links']): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder();
  if (termsUrl !== null) builder.setTermsOfService(termsUrl);
  const document = builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Bowerbird')
    .setDescription(
      'Finds, checks and hands off dropped Australian (.au) domain names. Errors share one body; metered ' +
        'answers say what is left of the budget.',
    )
    .setVersion(VERSION)
    .setLicense('Proprietary', `${baseUrl}/v1/docs`)
    .addServer(baseUrl)
    .setExternalDoc('What there is, its limits and its failures, in one text', `${baseUrl}/llms.txt`)
    .addTag('Dataset', 'What the dataset holds.')
    .addTag('Availability', 'What the registry says now.')
    .addTag('Discovery', 'Finding names.')
    .addTag('Exports', 'The dataset as files.')
    .addTag('Account', 'What your key may still have.')
    .addTag('Webhooks', 'Being told of what drops.')
    .addTag('Orders', 'Registering names from a prepaid balance.')
    .addTag('Watches', 'Names and searches that you are told of, by mail, feed and webhook.')
    .build();
  document.info.contact = { name: 'Bowerbird', url: baseUrl };
  // Demo tier: no key is needed.
  return { ...document, security: [{}] };
}

function cut(whole: OpenAPIObject, prefix: ApiPrefix, webhooks?: OpenAPIObject['webhooks']): OpenAPIObject {
  const paths = Object.fromEntries(
    Object.entries(whole.paths).filter(([path]) => path.startsWith(`/${prefix}/`)),
  );
  const used = new Set(operationsOf(paths).flatMap(({ tags = [] }) => tags));
  const tags = whole.tags?.filter(({ name }) => used.has(name));
  const components = { ...whole.components, ...reachable(whole.components ?? {}, { paths, webhooks }) };
  return { ...whole, tags, paths, ...(webhooks && { webhooks }), components };
}

type Components = Pick<NonNullable<OpenAPIObject['components']>, 'schemas' | 'headers'>;

// A document describes what it uses and nothing else; a schema may be used by another schema only.
function reachable({ schemas = {}, headers = {} }: Components, from: object): Components {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kind, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      if (kind === 'schemas') visit(schemas[name]);
    }
  };
  visit(from);
  const pick = <Part>(kind: keyof Components, parts: Record<string, Part>): Record<string, Part> =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`)));
  return { schemas: pick('schemas', schemas), headers: pick('headers', headers) };
}
