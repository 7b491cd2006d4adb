import type { HttpServer, INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Config } from '../../config/config.js';
import { VERSION } from '../../config/product.js';
import { ErrorBody } from '../../errors/error.dto.js';
import { forTrying } from '../../app/openapi/reference/trying.js';
import { OPERATOR_SCHEME } from './access/operator.guard.js';
import { OperatorsHttpModule } from './operators-http.module.js';

/** @param app a preview will do. @returns null where nobody operates over HTTP */
export function describeOperations(app: INestApplication, { operators }: Config): OpenAPIObject | null {
  if (operators.keys.length === 0) return null;
  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Bowerbird for operators')
    .setDescription(
      'The same as the command line does. Press "Authorize" and give your key; whatever is changed is written down with your name and the reason you give.',
    )
    .setVersion(VERSION)
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: "An operator's key." }, OPERATOR_SCHEME)
    .addTag('Status and records', 'How the service is, and what it has done.')
    .addTag('Jobs', 'What keeps the dataset true.')
    .addTag('Imports', 'Bringing lists into the dataset.')
    .addTag('Dataset', 'Single names.')
    .addTag('Accounts', 'Accounts and their keys.')
    .build();
  return SwaggerModule.createDocument(app, description, {
    include: [OperatorsHttpModule],
    extraModels: [ErrorBody],
  });
}

/** Serves /ops/openapi.json, and Swagger UI at /ops/docs, where the key stays in the page. */
export function serveOperationsDocument(app: NestExpressApplication, document: OpenAPIObject | null): void {
  if (!document) return;
  const text = JSON.stringify(document);
  const adapter: HttpServer = app.getHttpAdapter();
  adapter.get('/ops/openapi.json', (_request: Request, response: Response) => {
    response.type('application/json').set('Cache-Control', 'no-store').send(text);
  });
  app.use('/ops/docs', (_request: Request, response: Response, next: () => void) => {
    response.set('X-Robots-Tag', 'noindex').set('Cache-Control', 'no-store');
    next();
  });
  SwaggerModule.setup('ops/docs', app, () => forTrying(document), {
    raw: [],
    customSiteTitle: 'Bowerbird for operators',
    swaggerOptions: { tryItOutEnabled: true, docExpansion: 'list', persistAuthorization: false },
  });
}
