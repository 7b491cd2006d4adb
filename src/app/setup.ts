import type { NestExpressApplication } from '@nestjs/platform-express';
import { NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import type { AddressInfo } from 'node:net';
import { parse as parseQuery } from 'node:querystring';
import type { Logger } from 'pino';
import { NetworkGate, NetworkRules, Takers } from '../access/network-rules.js';
import { ConnectionShares } from '../access/network-shares.js';
import { HTTP_LIMITS, HttpAdapter, type HttpLimits } from './http-adapter.js';
import { HttpDrain } from './shutdown.js';
import { OperatorsPort } from './operators-port.js';
import { setUpHeaders } from './headers.js';
import { TracedRequests } from './tracing.js';
import { AppLogger, requestLogger } from './logger.js';
import { AppModule } from './app.module.js';
import { Admission, PASSES } from '../access/admission.js';
import { withDeadline } from '../access/delivery.js';
import { AddressDigest, trustOf } from '../access/caller.js';
import { refuseKeyInUrl } from '../access/bearer.js';
import { NAME_LIST_TYPES } from '../api/check/name-list.js';
import { type Config, hasMetrics } from '../config/config.js';
import { MAX_BODY_BYTES, validationPipe } from '../errors/validation.pipe.js';
import { refuseUnreadable, requestId } from '../errors/incoming.middleware.js';
import { MCP_PATH } from '../mcp/mcp-identity.js';
import { Metrics } from '../observe/metrics.js';
import { describeApi, serveDocuments } from './openapi.js';
import { serveOperationsDocument } from '../ops/operators-http.js';
import { forTrying } from './reference.js';
import { PAYMENTS_PATH } from '../accounts/payments.module.js';
import { once } from '../validation/caches.js';
import { WorkLoop } from '../work/work-loop.js';
import { RequestCounts } from '../observe/request-counts.js';

/**
 * Builds the application as both the real server and the tests run it; not yet listening.
 *
 * @param options.limits of slow clients
 */
export async function createApp(
  config: Config,
  logger: Logger,
  { limits }: { readonly limits?: HttpLimits } = {},
): Promise<NestExpressApplication> {
  // Made for the first caller who asks: that takes as long as the rest of the start.
  const documents = once(() => describeApi(app, config));
  const module = AppModule.with(config, documents);
  const adapter = new HttpAdapter(config.links.baseUrl, limits);
  const app: NestExpressApplication = await NestFactory.create<NestExpressApplication>(module, adapter, {
    logger: new AppLogger(logger),
    // A failed start is thrown to the caller, who logs it once and exits; Nest would end the process itself.
    abortOnError: false,
    bodyParser: false,
  });
  try {
    equip(app, adapter, config, logger);
    adapter.admitThrough(connectionShares(adapter, app.get(NetworkRules), config, limits));
    serveDocuments(app, documents);
    serveOperationsDocument(app, config, forTrying);
    await app.init();
    return app;
  } catch (error) {
    // The database is open by now; left open, it would keep the process from ending.
    await app.close();
    throw error;
  }
}

/** Their lists and pages may read for longer than a caller's, and end with the operator as well. */
const OPERATORS_DEADLINE_MS = 60_000;

/** Connections of programs on this machine, of trusted proxies and of allowed networks are not counted. */
function connectionShares(
  adapter: HttpAdapter,
  rules: NetworkRules,
  { networks }: Config,
  { perAddress, exceptsLoopback = true }: HttpLimits = HTTP_LIMITS,
): ConnectionShares {
  const isTrusted = trustOf({ httpAdapter: adapter });
  const isExcepted = (address: string) =>
    isTrusted(address, 0) ||
    rules.allows(address) ||
    (exceptsLoopback && /^(?:::ffff:)?127\.|^::1$/.test(address));
  return new ConnectionShares(networks.mode, isExcepted, perAddress);
}

function equip(app: NestExpressApplication, adapter: HttpAdapter, config: Config, logger: Logger): void {
  app.set('trust proxy', config.http.trustProxy);
  // The parser's own bound would drop what follows the 1000th pair unread; Node's bound on the headers is enough.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));
  app.disable('x-powered-by');
  // Express would give every answer an ETag, even one that must not be cached; see sendAnswer.
  app.disable('etag');

  const drain = app.get(HttpDrain);
  const admission = config.admission.mode === 'off' ? null : app.get(Admission);
  const counts = app.get(RequestCounts);
  const takers = app.get(Takers);
  admission?.countWith((address, caller) => {
    counts.noteRefusal(address);
    takers.noteAtDoor(caller);
  });
  const networks = app.get(NetworkGate);
  adapter.enterThrough((request, response, route) => {
    if (!drain.admit(request, response) || networks.refuses(request, response)) return;
    const deadlineMs = PASSES.test(request.url ?? '') ? OPERATORS_DEADLINE_MS : config.http.readDeadlineMs;
    const run = withDeadline(response, deadlineMs, route);
    if (admission) admission.admit(request, response, run);
    else run();
  });
  app.use(requestId);
  app.use(app.get(TracedRequests).note);
  app.use(requestLogger(logger, new AddressDigest(config.auth.secret || undefined)));
  app.use(counts.note);
  app.use(takers.noteRefusals);
  if (hasMetrics(config)) app.use(app.get(Metrics).requests.note);
  setUpHeaders(app, config);
  app.use(refuseUnreadable);
  app.use(app.get(OperatorsPort).admit);
  if (config.auth.enabled) app.use(refuseKeyInUrl);
  // The tool server parses its own messages and reports errors as JSON-RPC.
  app.useBodyParser('json', { limit: MAX_BODY_BYTES, type: (request) => isJson(request as Request) });
  // The one address that takes lists of names in other types.
  app.useBodyParser('text', { limit: MAX_BODY_BYTES, type: (request) => isNameList(request as Request) });
  app.useGlobalPipes(validationPipe());
}

// Matched as Express matches a route: any case, with or without a slash at the end. Payment events are signed byte
// by byte, so their body is not parsed here.
const READS_ITSELF = new RegExp(`^/(?:${MCP_PATH}(?:/account)?|${PAYMENTS_PATH})/?$`, 'i');

function isJson(request: Request): boolean {
  return !READS_ITSELF.test(request.path) && Boolean(request.is('application/json'));
}

const BULK_CHECK = /^\/api\/v1\/domains\/check\/?$/i;

function isNameList(request: Request): boolean {
  return BULK_CHECK.test(request.path) && Boolean(request.is(NAME_LIST_TYPES));
}

/**
 * Starts listening, and then the background work. @returns the port, which the system chose when the
 * configuration says 0
 */
export async function listen(app: NestExpressApplication, { http }: Config): Promise<number> {
  await app.listen(http.port, http.host);
  await app.get(OperatorsPort).listen();
  app.get(WorkLoop).start();
  const address = app.getHttpServer().address() as AddressInfo;
  return address.port;
}
