import { ApiSchema } from '@nestjs/swagger';
import { ERROR_CODES } from './error-codes.js';
import { one, oneOf, shape, text } from '../validation/shape.js';

export const EXAMPLE_REQUEST_ID = '8b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d';

@ApiSchema({ description: 'What went wrong.' })
export class ErrorDetail extends shape({
  code: oneOf(Object.keys(ERROR_CODES), 'Stable, machine-readable code.', 'invalid_parameter'),
  message: text('What was wrong and what to change.', 'limit must be an integer from 1 to 50'),
  request_id: text(
    'The id of this request, also in the X-Request-Id header and in the log.',
    EXAMPLE_REQUEST_ID,
  ),
}) {}

/** The body of every answer that is not 2xx or 304. */
@ApiSchema({ name: 'Error', description: 'The body of every failure.' })
export class ErrorBody extends shape({
  error: one(ErrorDetail),
}) {}
