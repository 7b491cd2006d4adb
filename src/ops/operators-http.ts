import {
  applyDecorators,
  Controller,
  Get,
  HttpCode,
  Module,
  Post,
  Req,
  StreamableFile,
  UseGuards,
  type HttpServer,
  type INestApplication,
} from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  ApiBody,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { ApiIdempotencyKey, LOCATION_HEADER } from '../access/idempotent-requests.js';
import type { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import { ApiFailures, ErrorBody } from '../errors/api-failures.decorator.js';
import { JsonBodyGuard } from '../errors/validation.pipe.js';
import { AuditModule } from '../observe/audit.repository.js';
import { isObject } from '../validation/unknown-values.js';
import { ANSWERS } from './answers.js';
import type { CsvText, ServiceCommand } from './command.js';
import { ForOperators, OPERATOR_SCHEME, OperatorAttempts, OperatorKeys } from './operator-access.js';
import { OperatorServices, OperatorsModule } from './operators.module.js';
import { argumentsOf, perform, SERVED } from './perform.js';
import { once } from '../validation/caches.js';

const TAGS = {
  'Status and records': 'The state of the service, and its records.',
  Jobs: 'Jobs that keep the dataset up to date.',
  Imports: 'Lists that are uploaded.',
  Dataset: 'Single names, and the writing of answers.',
  Accounts: 'Accounts and their keys.',
  Incidents: 'What the status page tells of what went wrong.',
  Orders: 'Orders of names, and their money.',
  Networks: 'Who takes most; networks that are blocked or allowed.',
  Usage: 'What was charged.',
};
const TAG_OF: Readonly<Record<string, keyof typeof TAGS>> = {
  ...{ jobs: 'Jobs', imports: 'Imports', fetches: 'Imports', dataset: 'Dataset', circuit: 'Dataset' },
  ...{
    accounts: 'Accounts',
    keys: 'Accounts',
    incidents: 'Incidents',
    networks: 'Networks',
    orders: 'Orders',
    subscriptions: 'Accounts',
    usage: 'Usage',
    'usage.csv': 'Usage',
  },
};
const SCOPE = ['scope_required'] as const;
const MADE = ['idempotency_conflict'] as const;
const CSV = { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } };
const tagOf = (path: string) => TAG_OF[path.split('/')[0] ?? ''] ?? 'Status and records';

/** /ops/v1, from the table of commands: one method a command. Without OPERATOR_KEY_HASH none of it is there. */
@ForOperators()
@Controller('ops/v1')
class OperatorsController {
  constructor(readonly services: OperatorServices) {}
}

for (const [name, command] of SERVED) {
  const answer = async function (this: OperatorsController, request: Request): Promise<unknown> {
    const result = await perform(command, this.services, givenIn(command, request), request);
    if (command.makes !== undefined && isObject(result))
      request.res?.location(`/ops/v1/${command.makes}/${String(result.id)}`);
    return command.file === undefined ? result : download(command.file, result as CsvText);
  };
  const method = { value: answer, writable: true, enumerable: false, configurable: true };
  Object.defineProperty(OperatorsController.prototype, name, method);
  Req()(OperatorsController.prototype, name, 0);
  routeOf(name, command)(OperatorsController.prototype, name, method);
}

@Module({
  imports: [OperatorsModule, AuditModule],
  controllers: [OperatorsController],
  providers: [OperatorAttempts, OperatorKeys],
  exports: [OperatorAttempts, OperatorKeys, OperatorsModule],
})
export class OperatorsHttpModule {}

/** Arguments from the path and the query or the body. @throws {ApiError} invalid_parameter */
function givenIn(command: ServiceCommand, { params, query, body }: Request): Record<string, unknown> {
  const sent: unknown = isInQuery(command) ? query : body;
  if (Array.isArray(sent)) throw new ApiError('invalid_parameter', 'The body must be one object, not a list');
  return { ...(isObject(sent) ? sent : {}), ...params };
}

function isInQuery({ route, takesFile }: ServiceCommand): boolean {
  return route.startsWith('GET') || takesFile === true;
}

export function download(file: string, text: CsvText): StreamableFile {
  const type = 'text/csv; charset=utf-8';
  const disposition = `attachment; filename="${file}"`;
  return new StreamableFile(typeof text === 'string' ? Readable.from([text]) : text, { type, disposition });
}

/** Route and documentation of a command. */
function routeOf(name: string, command: ServiceCommand): MethodDecorator {
  const [verb, path = ''] = command.route.split(' ');
  const { summary, description = '', answer, file, failures = [], makes } = command;
  const headers = makes === undefined ? {} : LOCATION_HEADER;
  return applyDecorators(
    verb === 'GET' ? Get(path) : Post(path),
    HttpCode(200),
    ...(verb === 'POST' && !command.takesFile ? [UseGuards(JsonBodyGuard)] : []),
    ApiTags(tagOf(path)),
    ApiOperation({ operationId: name, summary, description }),
    ...parametersOf(command, path),
    ...(makes === undefined
      ? []
      : [ApiIdempotencyKey('within a day it makes one, and is answered with that.')]),
    ...(answer ? [ApiOkResponse({ type: ANSWERS[answer], description: 'Done.', headers })] : []),
    ...(file ? [ApiOkResponse(CSV)] : []),
    ApiFailures(
      'key_required',
      'key_invalid',
      ...(command.action ? SCOPE : []),
      ...(makes ? MADE : []),
      ...failures,
    ),
  );
}

function parametersOf(command: ServiceCommand, path: string): MethodDecorator[] {
  const known = Object.entries(argumentsOf(command));
  const inPath = known.filter(([name]) => path.split('/').includes(`:${name}`));
  const others = known.filter((entry) => !inPath.includes(entry));
  const described = (entries: typeof known) =>
    entries.map(([name, { description, schema, isRequired }]) => {
      return {
        name,
        description,
        schema: { ...schema, enum: schema.enum && [...schema.enum] },
        required: isRequired,
      };
    });
  const decorators: MethodDecorator[] = described(inPath).map((parameter) => ApiParam(parameter));
  if (isInQuery(command)) decorators.push(...described(others).map((parameter) => ApiQuery(parameter)));
  else if (others.length > 0) {
    const properties = described(others).map(
      ({ name, schema, description }) => [name, { ...schema, description }] as const,
    );
    const required = others.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
    const schema = { type: 'object', properties: Object.fromEntries(properties), required };
    decorators.push(ApiBody({ required: true, schema }));
  }
  if (command.takesFile) {
    const description = 'The file: CSV, plain or gzipped, with a header.';
    decorators.push(ApiConsumes('application/octet-stream'));
    decorators.push(ApiBody({ description, required: true, schema: { type: 'string', format: 'binary' } }));
  }
  return decorators;
}

function describeOperations(app: INestApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Bowerbird for operators')
    .setDescription(
      'The commands of the command line. Press "Authorize" and enter your key. The audit log records ' +
        'every change with your name and reason.',
    )
    .setVersion(VERSION)
    .addServer('/')
    // addBearerAuth would add that the key is a JWT.
    .addSecurity(OPERATOR_SCHEME, { type: 'http', scheme: 'bearer', description: "An operator's key." });
  for (const [name, words] of Object.entries(TAGS)) description.addTag(name, words);
  return SwaggerModule.createDocument(app, description.build(), {
    include: [OperatorsHttpModule],
    extraModels: [ErrorBody],
    // Each operation has the tag of its command alone.
    autoTagControllers: false,
  });
}

/**
 * Serves /ops/openapi.json, and Swagger UI at /ops/docs, where the key stays in the page.
 *
 * @param forTrying the document as Swagger UI shows it
 */
export function serveOperationsDocument(
  app: NestExpressApplication,
  { operators }: Config,
  forTrying: (document: OpenAPIObject) => OpenAPIObject,
): void {
  if (operators.keys.length === 0) return;
  const document = once(() => describeOperations(app));
  const text = once(() => JSON.stringify(document()));
  const adapter: HttpServer = app.getHttpAdapter();
  adapter.get('/ops/openapi.json', (_request: Request, response: Response) => {
    response.type('application/json').set('Cache-Control', 'no-store').send(text());
  });
  app.use('/ops/docs', (_request: Request, response: Response, next: () => void) => {
    response.set('X-Robots-Tag', 'noindex').set('Cache-Control', 'no-store');
    next();
  });
  SwaggerModule.setup('ops/docs', app, () => forTrying(document()), {
    raw: [],
    customSiteTitle: 'Bowerbird for operators',
    swaggerOptions: { tryItOutEnabled: true, docExpansion: 'list', persistAuthorization: false },
  });
}
