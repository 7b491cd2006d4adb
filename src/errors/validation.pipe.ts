import {
  type ArgumentMetadata,
  type ValidationError,
  ValidationPipe,
  type CanActivate,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { Request } from 'express';
import { isObject } from '../validation/unknown-values.js';
import { ApiError } from './api-error.js';

/**
 * Turns query and body into DTOs; what does not fit, or is not known at all, is a 400 that names the parameter and
 * the rule.
 */
export function validationPipe(): ValidationPipe {
  return new NamedValuesPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    // An address without parameters has a DTO without fields, which class-validator would call an unknown value.
    forbidUnknownValues: false,
    // Decorators are asked from the last one up, so the rule that the others rest on, such as the type, is written
    // last.
    stopAtFirstError: true,
    exceptionFactory: (errors) => new InvalidValues(errors),
  });
}

/** Becomes an ApiError where the shape is known. */
class InvalidValues extends Error {
  constructor(readonly errors: ValidationError[]) {
    super();
  }
}

/** No parameter holds more than a list of values. */
const MAX_DEPTH = 4;

/**
 * class-transformer passes silently over what bears the name of something inherited from Object.prototype
 * (`__proto__`, `constructor`, `toString`); such a parameter is as unknown as any other. And it calls itself for
 * every level of a value, which a small body has enough of to end in a fault of ours.
 */
class NamedValuesPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Most requests to such an address are right: nothing is to be looked at.
    if (metadata.metatype === NoParameters && isObject(value) && Object.keys(value).length === 0)
      return new NoParameters();
    if (metadata.type === 'body' && Array.isArray(value))
      throw new ApiError('invalid_parameter', 'The body must be one object, not a list');
    const given: [string, unknown][] = isNested(value) ? Object.entries(value) : [];
    for (const [name, nested] of given) {
      if (name in Object.prototype)
        throw new ApiError('invalid_parameter', unknownParameter(name, new Set()));
      if (metadata.type !== 'custom' && isDeeperThan(MAX_DEPTH, nested))
        throw new ApiError(
          'invalid_parameter',
          `${printable(name)} holds lists or objects more than ${MAX_DEPTH} deep`,
        );
      if (metadata.type === 'query' && Array.isArray(nested) && isSingle(metadata.metatype, name))
        throw new ApiError('invalid_parameter', `${name} must be given once`);
    }
    const read = await this.read(value, metadata);
    if (isObject(read) && isObject(value) && 'cursor' in value && Object.keys(value).every(isPlace))
      resumed.add(read);
    return read;
  }

  private async read(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      if (!(error instanceof InvalidValues)) throw error;
      throw new ApiError('invalid_parameter', describe(error.errors, namesOf(metadata.metatype)));
    }
  }
}

/** Names that callers guess, and what the parameter is called where it exists. */
const GUESSED: Readonly<Record<string, readonly string[]>> = {
  limit: ['per_page'],
  per_page: ['limit'],
  page_size: ['per_page', 'limit'],
  count: ['per_page', 'limit'],
  offset: ['page', 'cursor'],
  query: ['q'],
  keyword: ['q'],
  search: ['q'],
  name: ['domain'],
  names: ['domains'],
  domain: ['domains', 'q'],
  suffix: ['tld'],
  suffixes: ['tld'],
  tlds: ['tld'],
  day: ['date', 'first_seen_from'],
  date: ['first_seen_from', 'since'],
};

/** What callers can send of a shape. */
function namesOf(shape: ArgumentMetadata['metatype']): ReadonlySet<string> {
  if (!shape) return new Set();
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/** What a caller sends who goes on where an answer ended: the cursor, and how much they want. */
export const ALONE = ['cursor', 'limit', 'per_page'];
const isPlace = (name: string) => ALONE.includes(name);
const resumed = new WeakSet<object>();

/** Whether the cursor was sent alone. The query object cannot tell, because missing parameters get their defaults. */
export function isCursorAlone(query: object): boolean {
  return resumed.has(query);
}

/**
 * Whether a shape knows a parameter, and takes one value for it: the rules of a list are rules for each of its
 * values.
 */
function isSingle(shape: ArgumentMetadata['metatype'], name: string): boolean {
  if (!shape) return false;
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(shape, '', false, false)
    .filter(({ propertyName }) => propertyName === name);
  return rules.length > 0 && !rules.some(({ each }) => each);
}

// Level by level, as a function that called itself would have the same end.
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; depth < levels && level.length > 0; depth += 1)
    level = level
      .flatMap((nested) => Object.values<unknown>(nested as Record<string, unknown>))
      .filter(isNested);
  return level.length > 0;
}

function isNested(value: unknown): value is object {
  return isObject(value) || Array.isArray(value);
}

/** @param known the names that are parameters here */
export function unknownParameter(name: string, known: ReadonlySet<string>): string {
  const meant = Object.hasOwn(GUESSED, name) ? GUESSED[name]?.find((one) => known.has(one)) : undefined;
  return `${printable(name)} is not a parameter here${meant === undefined ? '' : `; use ${meant}`}`;
}

const MAX_NAME_LENGTH = 40;
const MAX_PROBLEMS = 5;

function describe(errors: ValidationError[], known: ReadonlySet<string>): string {
  const problems = errors.slice(0, MAX_PROBLEMS).flatMap((error) => messages(error, '', known));
  const more = errors.length - MAX_PROBLEMS;
  return problems.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function messages(error: ValidationError, path: string, known: ReadonlySet<string>): string[] {
  const name = path + error.property;
  if (error.constraints?.whitelistValidation) return [unknownParameter(name, known)];
  const own = Object.values(error.constraints ?? {});
  return [...own, ...(error.children ?? []).flatMap((child) => messages(child, `${name}.`, known))];
}

// A parameter's name is the caller's text: shorten it, and let no control character into an answer or a log.
function printable(name: string): string {
  const text = name.replace(/[^\x20-\x7e]/g, '?') || 'the empty name';
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text;
}

/** The query of an address without parameters: every parameter is refused by name. */
export class NoParameters {}

/** The largest body that is read at any address, in bytes; messages say it in kB. */
export const MAX_BODY_BYTES = 16_384;
export const BODY_TOO_LARGE = `The body is larger than this service reads (${MAX_BODY_BYTES / 1024} kB).`;

/**
 * Where an operation says which types its body may have beside JSON; the OpenAPI documents have them in their
 * place.
 */
export const REQUEST_CONTENT = 'x-request-content';

/** Refuses a body of another kind, which would not be read: a change that changed nothing would be called a success. */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    // Null without a body, false with one of another kind, and with one that is empty.
    if (request.is('application/json') !== false || request.get('Content-Length') === '0') return true;
    throw new ApiError(
      'unsupported_media_type',
      'Send the body as JSON, with "Content-Type: application/json"',
    );
  }
}
