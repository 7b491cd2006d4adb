import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiFailures } from '../../../errors/api-failures.decorator.js';
import type { ErrorCode } from '../../../errors/error-codes.js';

interface Told {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Left out where it is a file. */
  readonly answer?: Type;
  /** Failures of its own. */
  readonly failures?: readonly ErrorCode[];
}

/** Documents an operation of operators. All of them answer 200, and fail in the same ways. */
export function Operation({ id, summary, description = '', answer, failures = [] }: Told): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    ApiOperation({ operationId: id, summary, description }),
    ...(answer ? [ApiOkResponse({ type: answer, description: 'Done.' })] : []),
    ApiFailures(
      'invalid_parameter',
      'key_required',
      'key_invalid',
      'too_many_requests',
      'internal_error',
      'database_unavailable',
      ...failures,
    ),
  );
}
