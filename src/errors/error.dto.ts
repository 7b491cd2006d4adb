import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ERROR_CODES } from './error-codes.js';
import { Property } from '../validation/property.js';

export const EXAMPLE_REQUEST_ID = '8b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d';

@ApiSchema({ description: 'What went wrong.' })
export class ErrorDetail {
  @Property('Stable, machine-readable code.', 'invalid_parameter', { enum: Object.keys(ERROR_CODES) })
  code: string;

  @Property('What was wrong and what to change.', 'limit must be an integer from 1 to 50')
  message: string;

  @Property('The id of this request, also in the X-Request-Id header and in the log.', EXAMPLE_REQUEST_ID)
  request_id: string;
}

/** The body of every answer that is not 2xx or 304. */
@ApiSchema({ name: 'Error', description: 'The body of every failure.' })
export class ErrorBody {
  @ApiProperty({ type: ErrorDetail })
  error: ErrorDetail;
}
