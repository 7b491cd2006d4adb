import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ERROR_CODES } from './error-codes.js';

export const EXAMPLE_REQUEST_ID = '8b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d';

@ApiSchema({ description: 'What went wrong.' })
export class ErrorDetail {
  @ApiProperty({
    description: 'Stable, machine-readable code.',
    enum: Object.keys(ERROR_CODES),
    example: 'invalid_parameter',
  })
  code: string;

  @ApiProperty({
    description: 'What was wrong and what to change.',
    example: 'limit must be an integer from 1 to 50',
  })
  message: string;

  @ApiProperty({
    description: 'The id of this request, also in the X-Request-Id header and in the log.',
    example: EXAMPLE_REQUEST_ID,
  })
  request_id: string;
}

/** The body of every answer that is not 2xx or 304. */
@ApiSchema({ name: 'Error', description: 'The body of every failure.' })
export class ErrorBody {
  @ApiProperty({ type: ErrorDetail })
  error: ErrorDetail;
}
